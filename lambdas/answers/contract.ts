import type { Settings } from '../api/environment.ts';
import { type Contract, isConsentUpToDate } from '../domain/contract.ts';
import { toTimestamp } from '../domain/time.ts';

export const contractBody = (
  contract: Contract,
  { requiredConsentVersion, consentPortalUrl }: Pick<Settings, 'requiredConsentVersion' | 'consentPortalUrl'>,
) => ({
  companyId: contract.companyId,
  userId: contract.userId,
  state: contract.state === 'active' ? ('active' as const) : ('ended' as const),
  since: toTimestamp(contract.sinceMs),
  consent: {
    requiredVersion: requiredConsentVersion,
    acceptedVersion: contract.acceptedConsentVersion,
    acceptedAt: contract.acceptedAtMs === null ? null : toTimestamp(contract.acceptedAtMs),
    upToDate: isConsentUpToDate(contract, requiredConsentVersion),
    portalUrl: consentPortalUrl,
  },
});
