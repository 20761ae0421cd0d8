import type { InboundEvent, TypeFrom } from '../api/inbound-events/inbound-events.ts';
import type { AuditContext } from '../data/audit.ts';
import { applyGrant } from '../data/contracts/grants.ts';
import { acceptConsent, endContract, openContract, withdrawConsent } from '../data/contracts/owner-decisions.ts';
import type { EffectContext, Effects } from './take-messages.ts';

/** The effects of the portal's events. */
export const portalEffects: Effects<'takePortalEvents'> = {
  'portal.contract.opened.v1': (context, event) =>
    openContract(context.store, auditContextOf(context, event), { ...event.data, arrivedAtMs: event.arrivedAtMs }),
  'portal.contract.ended.v1': (context, event) =>
    endContract(context.store, auditContextOf(context, event), { ...event.data, arrivedAtMs: event.arrivedAtMs }),

  'portal.consent.accepted.v1': async (context, event) =>
    // A future version would count as consent to every version up to it.
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

  'portal.installation.added.v1': (context, event) =>
    applyGrant(context.store, auditContextOf(context, event), {
      ...event.data,
      isGranted: true,
      arrivedAtMs: event.arrivedAtMs,
    }),
  'portal.installation.removed.v1': (context, event) =>
    applyGrant(context.store, auditContextOf(context, event), {
      ...event.data,
      isGranted: false,
      arrivedAtMs: event.arrivedAtMs,
    }),
};

/**
 * Returns the audit context of an event: the change happens at the time of the fact, and is recorded now, under the id and
 * the type of the event. No API key is involved.
 */
const auditContextOf = (
  { nowMs }: Pick<EffectContext<'takePortalEvents'>, 'nowMs'>,
  event: InboundEvent<TypeFrom<'portalEvents'>>,
): AuditContext => ({
  companyId: event.subject,
  nowMs: event.timeMs,
  recordedAtMs: nowMs(),
  requestId: event.id,
  operation: event.type,
  actorKey: null,
  userId: event.data.userId,
});
