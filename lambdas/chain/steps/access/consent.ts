import { Problem } from '../../../api/problem.ts';
import { isConsentUpToDate } from '../../../domain/contract.ts';
import type { Step } from '../step.ts';

/** Refuses until the owner has accepted the latest consent version, and says where that is done. */
export const consent: Step<'consent'> =
  () =>
  ({ contract, settings: { requiredConsentVersion, consentPortalUrl: portalUrl } }) =>
    isConsentUpToDate(contract, requiredConsentVersion)
      ? undefined
      : new Problem(
          'consent-outdated',
          { requiredConsentVersion, acceptedConsentVersion: contract.acceptedConsentVersion, portalUrl },
          { Link: `<${portalUrl}>; rel="blocked-by"` },
        );
