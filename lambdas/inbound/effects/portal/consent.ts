import { acceptConsent, withdrawConsent } from '../../../data/contracts/consent.ts';
import type { Effects } from '../../effect.ts';
import { auditContextOf } from './audit-context.ts';

export const consentEffects = {
  'portal.consent.accepted.v1': async (context, event) =>
    // Whoever accepts what nobody has written yet would have accepted all that is written until then.
    event.data.consentVersion > context.setting('newestConsentVersion')
      ? { outcome: 'unknown-consent-version' }
      : acceptConsent(context.store, auditContextOf(context, event), {
          ...event.data,
          requiredVersion: context.setting('requiredConsentVersion'),
          arrivedAtMs: event.arrivedAtMs,
        }),
  'portal.consent.withdrawn.v1': (context, event) =>
    withdrawConsent(context.store, auditContextOf(context, event), {
      ...event.data,
      arrivedAtMs: event.arrivedAtMs,
    }),
} satisfies Partial<Effects<'takePortalEvents'>>;
