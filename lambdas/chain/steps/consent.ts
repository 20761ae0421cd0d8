import { Problem } from '../../api/problem.ts';
import { setting } from '../../data/store/environment.ts';
import { isConsentUpToDate } from '../../domain/contract.ts';
import { known, type MiddlewareFactory } from '../call.ts';

/** The owner has accepted the latest consent version, or the answer says where to. */
export const consent: MiddlewareFactory = () => ({
  before: (request) => {
    const contract = known(request, 'contract');
    const requiredConsentVersion = Number(setting('requiredConsentVersion'));
    if (isConsentUpToDate(contract, requiredConsentVersion)) return;
    const portalUrl = setting('consentPortalUrl');
    throw new Problem(
      'consent-outdated',
      { requiredConsentVersion, acceptedConsentVersion: contract.acceptedConsentVersion, portalUrl },
      { Link: `<${portalUrl}>; rel="blocked-by"` },
    );
  },
});
