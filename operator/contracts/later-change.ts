import { maxClockAheadMs } from '../../lambdas/api/inbound-events/envelope.ts';
import { type AuditContext, type AuditRow, factMsOf } from '../../lambdas/data/audit/audit-log.ts';
import { readAuditSince } from '../../lambdas/data/audit/audit-reading.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { OperatorError } from '../errors/operator-error.ts';

/** An act as a sentence names it: what was done, by whom, when and why. */
export const describeAct = ({ operation, operator, actorKeyId, at, factAt, reason }: AuditRow): string => {
  const actor = operator ?? actorKeyId;
  const when = factAt === undefined ? at : `${factAt}, on record since ${at}`;
  return `${operation}${actor ? ` by ${actor}` : ''} at ${when}${reason ? ` ("${reason}")` : ''}`;
};

/** The part of a change that gives way, and the time of what it gives way to. */
type LaterChange = { readonly what: string; readonly changedAtMs: number; readonly isIt: (row: AuditRow) => boolean };

/** The portal and operators are one order of writers, in which the last by time stands: refuses the one who is not. */
export const laterChangeOf = async (
  store: Store,
  { companyId, nowMs }: Pick<AuditContext, 'companyId' | 'nowMs'>,
  { what, changedAtMs, isIt }: LaterChange,
): Promise<OperatorError> => {
  const laterAt = new Date(changedAtMs).toISOString();
  // An event may bear a time ahead of the one at which it is put on record.
  const rows = await readAuditSince(store, store.tableName('AuditLog'), companyId, changedAtMs - maxClockAheadMs);
  const row = rows.find((each) => factMsOf(each) === changedAtMs && isIt(each));
  return new OperatorError(
    'conflict',
    `${what} of ${companyId} was changed at ${laterAt}, and this command began at ${new Date(nowMs).toISOString()}: the later change stands. ${row ? `It is ${describeAct(row)}.` : 'It is not on record.'} Look with company show ${companyId}. If this change still has to be made, run the command again after that time; if that time is in the future, compare the clocks with doctor.`,
  );
};
