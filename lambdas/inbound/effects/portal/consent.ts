import { acceptConsent, withdrawConsent } from '../../../data/contracts/consent.ts';
import type { Effects } from '../../effect.ts';
import { auditContextOf } from './audit-context.ts';

export const consentEffects = {
  'portal.consent.accepted.v1': (context, event) =>
    acceptConsent(context.store, auditContextOf(context, event), {
      ...event.data,
      requiredVersion: context.setting('requiredConsentVersion'),
    }),
  'portal.consent.withdrawn.v1': (context, event) =>
    withdrawConsent(context.store, auditContextOf(context, event), event.data),
} satisfies Partial<Effects<'takePortalEvents'>>;
