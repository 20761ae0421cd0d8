import { type Drop, type DroppedBecause, dropReasonOf, newestOf, type Requester } from '../../domain/open-change.ts';
import { type AuditContext, auditPut } from '../audit.ts';
import type { Store } from '../store/store.ts';
import { type TransactItem, transact } from '../store/writes.ts';
import { changeItemOf } from './appliances.ts';
import { closed, expiring, type OpenChange } from './open-since-index.ts';

/** Who drops changes, when, and by which operation. The audit rows have the company and the owner of each change. */
export type DropContext = Omit<AuditContext, 'companyId' | 'userId' | 'requestId'> & {
  /** What caused the drop. Absent if only time did: each audit row then has the id of the request whose values it drops. */
  readonly requestId?: string;
};

/** Returns why a property that was asked for must be dropped; undefined if it stays. */
export type WhyDropped = (requester: Requester) => DroppedBecause | undefined;

/**
 * Drops the desired properties of an item for which `whyDropped` returns a reason, in one transaction with an audit row for each
 * company, owner and reason. The version grows by one, and the other desired properties stay open. Resolves to 'kept' if there
 * is nothing to drop, and to 'overtaken' if the item has changed since it was read.
 */
export const dropChange = async (
  store: Store,
  dropContext: DropContext,
  seen: OpenChange,
  whyDropped: WhyDropped,
): Promise<'dropped' | 'kept' | 'overtaken'> => {
  const dropped = Object.entries(seen.desiredBy).flatMap(([name, requester]) => {
    const because = whyDropped(requester);
    return because === undefined ? [] : [{ name, requester, because }];
  });
  if (dropped.length === 0) return 'kept';
  const byParties = Map.groupBy(dropped, ({ requester: { companyId, userId }, because }) =>
    [companyId, userId, because].join('|'),
  );
  const failed = await transact<string>(store, {
    item: withoutDropped(store, dropContext, seen, dropped),
    ...Object.fromEntries(
      [...byParties].map(([parties, those]) => [`audit ${parties}`, auditOf(store, dropContext, seen, those)]),
    ),
  });
  return failed ? 'overtaken' : 'dropped';
};

type Dropped = { readonly name: string; readonly requester: Requester; readonly because: DroppedBecause };

const withoutDropped = (
  store: Store,
  { nowMs, recordedAtMs = nowMs }: DropContext,
  { gatewayId, sk, desired, desiredBy, version, lastDropped }: OpenChange,
  dropped: readonly Dropped[],
): TransactItem => {
  const isKept = ([name]: readonly [string, unknown]): boolean => dropped.every((each) => each.name !== name);
  const kept = Object.entries(desired).filter(isKept);
  const requesters = Object.entries(desiredBy).filter(isKept);
  const newest = dropped.reduce((one, other) => (other.requester.version > one.requester.version ? other : one));
  const drop: Drop = {
    version: Math.max(lastDropped?.version ?? 0, newest.requester.version),
    atMs: recordedAtMs,
    reason: dropReasonOf(newest.because),
    names: [...new Set([...(lastDropped?.names ?? []), ...dropped.map(({ name }) => name)])],
  };
  const keptBy = Object.fromEntries(requesters);
  const { sets, removes, values } = expiring(keptBy);
  const rest =
    kept.length > 0
      ? {
          expression: `, desired = :desired, desiredBy = :desiredBy, desiredAtMs = :desiredAt${sets} REMOVE lastRefusal${removes}`,
          values: {
            ...values,
            ':desired': Object.fromEntries(kept),
            ':desiredBy': keptBy,
            ':desiredAt': Math.max(...requesters.map(([, { atMs }]) => atMs)),
          },
        }
      : { expression: ` ${closed}`, values: {} };
  return {
    Update: {
      TableName: store.tableName('Appliances'),
      Key: { gatewayId, sk },
      UpdateExpression: `SET version = :next, lastDropped = :drop${rest.expression}`,
      ConditionExpression: 'version = :seen AND attribute_exists(desired)',
      ExpressionAttributeValues: { ':seen': version, ':next': version + 1, ':drop': drop, ...rest.values },
    },
  };
};

const auditOf = (
  store: Store,
  dropContext: DropContext,
  { gatewayId, sk, desired, version }: OpenChange,
  dropped: readonly Dropped[],
): TransactItem => {
  const [{ because }] = dropped as [Dropped];
  const requester = newestOf(Object.fromEntries(dropped.map(({ name, requester }) => [name, requester])));
  const { companyId, userId, requestId } = requester;
  const { kind: _, ...ids } = changeItemOf(sk);
  const values = Object.fromEntries(
    dropped.map(({ name }) => [name, (desired as Readonly<Record<string, unknown>>)[name]]),
  );
  return auditPut(
    store,
    { requestId, ...dropContext, companyId, userId },
    { gatewayId, ...ids, before: values, after: { dropped: because, version: version + 1 } },
  );
};
