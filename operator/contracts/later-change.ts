import type { AuditContext, AuditRow } from '../../lambdas/data/audit/audit-log.ts';
import { queryPartition } from '../../lambdas/data/store/partition-query.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { OperatorError } from '../errors/operator-error.ts';

/** An act as a sentence names it: what was done, by whom, when and why. */
export const describeAct = ({ operation, operator, actorKeyId, at, reason }: AuditRow): string => {
  const actor = operator ?? actorKeyId;
  return `${operation}${actor ? ` by ${actor}` : ''} at ${at}${reason ? ` ("${reason}")` : ''}`;
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
  const { items } = await queryPartition(store, 'AuditLog', companyId, laterAt);
  const row = (items as unknown as AuditRow[]).find(isIt);
  return new OperatorError(
    'conflict',
    `${what} of ${companyId} was changed at ${laterAt}, and this command began at ${new Date(nowMs).toISOString()}: the later change stands. ${row ? `It is ${describeAct(row)}.` : 'It is not on record.'} Look with company show ${companyId}. If this change still has to be made, run the command again after that time; if that time is in the future, compare the clocks with doctor.`,
  );
};
