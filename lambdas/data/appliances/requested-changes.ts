import type { ApplianceFunction } from '../../api/schemas/gateway.ts';
import { type Block, blockAt, type Gateway, type IfMatch, isMatch, type Shadow } from '../../domain/appliance.ts';
import { blockFactName } from '../../domain/gateway.ts';
import { isOfLevel, levelsApart } from '../../domain/level-setpoints.ts';
import { inNormalForm } from '../../domain/normal-form.ts';
import type { Requester, Requesters } from '../../domain/open-change.ts';
import { type AuditContext, type AuditTargetIds, auditPut } from '../audit.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { type TransactItem, transact } from '../store/writes.ts';
import { type ApplianceItemKey, gatewayItemKey, toGateway, toShadow } from './appliances.ts';
import { expiring, opened, openFrom } from './open-since-index.ts';

export type RequestedChange<Item extends Shadow> = {
  readonly gateway: Gateway;
  /** The function that must not be blocked by the appliance. */
  readonly uses: ApplianceFunction;
  readonly key: ApplianceItemKey;
  /** The item as it was read. */
  readonly item: Item;
  /** Returns an item as the company may see it; the item itself if absent. */
  readonly shownOf?: (item: Item) => Item;
  readonly values: NonNullable<Item['desired']>;
  readonly ifMatch: IfMatch;
  /** Since when the company has been permitted to act on the home (`permittedSince`). */
  readonly permittedSinceMs: number;
  /** Until when the values are worth applying; absent if they do not expire. */
  readonly validUntilMs?: number | undefined;
  /** Another item that has to exist for the change to make sense. */
  readonly refersTo?: ApplianceItemKey | undefined;
  /** What is changed, by its ids, for the audit. */
  readonly target: AuditTargetIds;
};

export type ChangeOutcome<Item> =
  | { readonly outcome: 'requested'; readonly item: Item }
  | { readonly outcome: 'appliance-function-blocked'; readonly block: Block }
  | { readonly outcome: 'precondition-failed' | 'gateway-removed' | 'gone' | 'reference-not-found' };

/**
 * Stores a requested change next to the reported values. One transaction checks that the function is not blocked (so a
 * concurrent block wins) and that the item has the version that was read, and writes the audit row. After a conflict with
 * another requested change, this one builds on it, or fails if `If-Match` rejects the new version.
 */
export const requestChange = async <Item extends Shadow>(
  store: Store,
  auditContext: AuditContext,
  change: RequestedChange<Item>,
): Promise<ChangeOutcome<Item>> => {
  const block = blockAt(change.gateway, change.uses, auditContext.nowMs);
  if (block) return { outcome: 'appliance-function-blocked', block };

  const values = levelsApart(inNormalForm(change.values));
  const { companyId, userId = '', actorKey, requestId, nowMs } = auditContext;
  // An attempt fails if another change of the item was requested or fulfilled concurrently.
  return retryingFrom(change.item, { to: 'request a change of an item', atMost: 10 }, async (seen) => {
    const item = change.shownOf?.(seen) ?? seen;
    if (!isMatch(change.ifMatch, item.version)) return { outcome: 'precondition-failed' };
    const version = item.version + 1;
    const requester: Requester = {
      companyId,
      userId,
      keyId: actorKey?.keyId ?? null,
      requestId,
      atMs: nowMs,
      version,
      permittedSinceMs: change.permittedSinceMs,
      ...(change.validUntilMs !== undefined && { validUntilMs: change.validUntilMs }),
    };
    const wanted: Wanted = {
      desired: { ...item.desired, ...values },
      desiredBy: { ...item.desiredBy, ...Object.fromEntries(Object.keys(values).map((name) => [name, requester])) },
      desiredAtMs: Math.max(nowMs, item.desiredAtMs ?? 0),
      version,
    };
    const failed = await transact(store, {
      gateway: functionIsNotBlocked(store, change, auditContext.nowMs),
      ...(change.refersTo && { reference: exists(store, change.refersTo) }),
      item: putDesired(store, change.key, wanted, item),
      audit: auditPut(store, auditContext, { ...change.target, ...changedValues(item, values) }),
    });
    if (!failed) return { outcome: 'requested', item: withDesired(item, wanted) };
    if (failed.name === 'gateway') return blocked(failed.old, change.uses, auditContext.nowMs);
    if (failed.name === 'reference') return { outcome: 'reference-not-found' };
    return failed.old ? again(toShadow(failed.old) as Item) : { outcome: 'gone' };
  });
};

/** The requested values, and those that a read would have returned just before: the desired ones, or else the reported ones. */
const changedValues = ({ reported, desired }: Shadow, values: object) => {
  const shown = { ...levelsApart(reported), ...desired } as Readonly<Record<string, unknown>>;
  const before = Object.fromEntries(Object.keys(values).map((name) => [name, shown[name]]));
  return { before, after: { ...values } };
};

/** Leaves out what became of an earlier requested change, which does not apply to this one. */
const withDesired = <Item extends Shadow>({ lastRefusal, lastDropped, ...item }: Item, wanted: Wanted): Item =>
  ({ ...item, ...wanted }) as object as Item;

type Wanted = {
  readonly desired: object;
  readonly desiredBy: Requesters;
  readonly desiredAtMs: number;
  readonly version: number;
};

/** The gateway existed when it was read: if its item is absent, it was removed since. */
const blocked = (old: Record<string, unknown> | undefined, uses: ApplianceFunction, nowMs: number) => {
  const block = old && blockAt(toGateway(old), uses, nowMs);
  return block
    ? ({ outcome: 'appliance-function-blocked', block } as const)
    : ({ outcome: 'gateway-removed' } as const);
};

const functionIsNotBlocked = (
  store: Store,
  { gateway: { gatewayId }, uses }: Pick<RequestedChange<Shadow>, 'gateway' | 'uses'>,
  nowMs: number,
): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('Appliances'),
    Key: gatewayItemKey(gatewayId),
    ConditionExpression:
      'attribute_exists(sk) AND (attribute_not_exists(facts.#block.sinceMs) OR facts.#block.untilMs <= :now)',
    ExpressionAttributeNames: { '#block': blockFactName(uses) },
    ExpressionAttributeValues: { ':now': nowMs },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});

const exists = (store: Store, key: ApplianceItemKey): TransactItem => ({
  ConditionCheck: { TableName: store.tableName('Appliances'), Key: key, ConditionExpression: 'attribute_exists(sk)' },
});

/**
 * Writes only if the item has the version that was read, and no confirmation came since: otherwise the confirmed change would
 * be requested again together with the new one.
 */
const putDesired = (
  store: Store,
  key: ApplianceItemKey,
  { desired, desiredBy, desiredAtMs, version }: Wanted,
  seen: Shadow,
): TransactItem => {
  const desiresLevels = Object.keys(desired).some(isOfLevel);
  const { sets, removes, values } = expiring(desiredBy);
  return {
    Update: {
      TableName: store.tableName('Appliances'),
      Key: key,
      UpdateExpression: `SET desired = :desired, desiredBy = :desiredBy, desiredAtMs = :desiredAt, version = :next, ${opened}${desiresLevels ? ', desiresLevels = :desiresLevels' : ''}${sets} REMOVE lastRefusal, lastDropped${removes}`,
      ConditionExpression: `version = :seen AND ${seen.desired ? 'attribute_exists' : 'attribute_not_exists'}(desired)`,
      ExpressionAttributeValues: {
        ':desired': desired,
        ':desiredBy': desiredBy,
        ':desiredAt': desiredAtMs,
        ':seen': seen.version,
        ':next': version,
        ...openFrom(key.gatewayId, desiredAtMs),
        ...(desiresLevels && { ':desiresLevels': true }),
        ...values,
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
};
