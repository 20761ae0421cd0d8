import { serve } from '../chain/serve.ts';
import { setting } from '../data/store/environment.ts';
import { isConsentUpToDate } from '../domain/contract.ts';
import { toTimestamp } from '../domain/time.ts';

export const handler = serve('getContract', ({ contract }) => {
  const requiredVersion = Number(setting('requiredConsentVersion'));
  const { companyId, userId, state, sinceMs, acceptedConsentVersion, acceptedAtMs } = contract;
  return {
    body: {
      companyId,
      userId,
      state,
      since: toTimestamp(sinceMs),
      consent: {
        requiredVersion,
        acceptedVersion: acceptedConsentVersion,
        acceptedAt: acceptedAtMs === null ? null : toTimestamp(acceptedAtMs),
        upToDate: isConsentUpToDate(contract, requiredVersion),
        portalUrl: setting('consentPortalUrl'),
      },
    },
  };
});
