import { contractBody } from '../answers/company.ts';
import { serve } from '../chain/serve.ts';

export const getContract = /* @__PURE__ */ serve('getContract', ({ contract, setting }) => ({
  body: contractBody(contract, {
    requiredConsentVersion: setting('requiredConsentVersion'),
    consentPortalUrl: setting('consentPortalUrl'),
  }),
}));
