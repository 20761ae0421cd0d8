import type { InboundEvent, TypeFrom } from '../../../api/inbound-events/inbound-events.ts';
import type { AuditContext } from '../../../data/audit.ts';
import type { EffectContext } from '../../effect.ts';

/** Makes a change as of the time of the fact, and puts it on record now under the id and the type of its event: no key made it. */
export const auditContextOf = (
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
