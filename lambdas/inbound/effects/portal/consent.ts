import { acceptConsent, withdrawConsent } from '../../../data/contracts/consent.ts';
import type { Effects } from '../../effect.ts';
import { auditContextOf } from './audit-context.ts';

export const consentEffects = {
  'portal.consent.accepted.v1': ({ store, setting }, event) =>
    acceptConsent(store, auditContextOf(event), {
      ...event.data,
      requiredVersion: setting('requiredConsentVersion'),
    }),
  'portal.consent.withdrawn.v1': ({ store }, event) => withdrawConsent(store, auditContextOf(event), event.data),
} satisfies Partial<Effects<'takePortalEvents'>>;
