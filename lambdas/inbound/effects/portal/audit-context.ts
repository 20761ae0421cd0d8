import type { InboundEvent, TypeFrom } from '../../../api/inbound-events/inbound-events.ts';
import type { AuditContext } from '../../../data/audit/audit-log.ts';

/** Puts a change on record as of the time of the fact, under the id and the type of its event: no key made it. */
export const auditContextOf = (event: InboundEvent<TypeFrom<'portalEvents'>>): AuditContext => ({
  companyId: event.subject,
  nowMs: event.timeMs,
  requestId: event.id,
  operation: event.type,
  actorKey: null,
  userId: event.data.userId,
});
