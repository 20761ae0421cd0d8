import { randomUUID } from 'node:crypto';
import { toTimestamp } from '../domain/time.ts';
import { tableName } from './environment.ts';
import type { TransactItem } from './transaction.ts';

/** Who changes something, when and through what. */
export type Act = {
  readonly companyId: string;
  readonly nowMs: number;
  /** As in `x-request-id`. Finds the request; is not unique, since a client can choose it. */
  readonly requestId: string;
  readonly operation: string;
  /** The key that authenticated the request; null where the operator acts. */
  readonly actorKeyId: string | null;
  /** On whose behalf; none where nobody's appliances are touched. */
  readonly userId?: string | undefined;
};

/** A change on record: the act, and by their ids the things that it changed. */
export type AuditRow = Omit<Act, 'companyId' | 'nowMs'> & {
  /** The company. */
  readonly subject: string;
  /** RFC 3339, UTC. */
  readonly at: string;
  readonly [targetId: string]: unknown;
};

/**
 * The part of a change's transaction that puts it on record; `target` names what is changed by its ids. Never holds a key,
 * a hash or a secret.
 */
export const auditPut = (act: Act, target: Readonly<Record<string, string>>): TransactItem => {
  const { companyId, nowMs, ...rest } = act;
  const at = toTimestamp(nowMs);
  const row: AuditRow = { subject: companyId, at, ...rest, ...target };
  // Always with milliseconds, so that the order of the text is that of time; and not with the request id, which a client
  // can choose: a second act under it would take the place of the first.
  const sk = `${new Date(nowMs).toISOString()}#${randomUUID()}`;
  return { Put: { TableName: tableName('AuditLog'), Item: { ...row, sk } } };
};
