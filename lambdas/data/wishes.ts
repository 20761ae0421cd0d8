import type { ApplianceFunction } from '../api/schemas/gateway.ts';
import { type Block, blockAt, type Gateway, type Wishable } from '../domain/appliance.ts';
import { isMatch } from '../domain/entity-tag.ts';
import { type ApplianceItemKey, gatewayItemKey, toGateway } from './appliances.ts';
import { type Act, auditPut } from './audit-log.ts';
import { tableName } from './environment.ts';
import type { Store } from './store.ts';
import { StoreUnavailableError } from './store-errors.ts';
import { type TransactItem, transact } from './transaction.ts';

export type Wish<Item extends Wishable> = {
  readonly gateway: Gateway;
  /** What has not to be blocked by the appliance. */
  readonly uses: ApplianceFunction;
  readonly key: ApplianceItemKey;
  /** As it was read. */
  readonly item: Item;
  readonly values: Readonly<Record<string, unknown>>;
  /** The values of the header; none where there is no such header. */
  readonly ifMatch: readonly string[];
  /** Another item that has to exist for the wish to make sense. */
  readonly refersTo?: ApplianceItemKey | undefined;
  /** What is changed, by its ids, for the audit. */
  readonly target: Readonly<Record<string, string>>;
};

export type WishOutcome<Item> =
  | { readonly outcome: 'wished'; readonly item: Item }
  | { readonly outcome: 'appliance-function-blocked'; readonly block: Block }
  | { readonly outcome: 'precondition-failed' | 'gone' | 'reference-not-found' };

/** An attempt that fails has met another wish for the same item. */
const maxAttempts = 10;

/**
 * Stores a wish beside what is reported. One transaction: the function is not blocked (so a block that arrives at the same
 * moment wins), the item is still of the version that was read, and the audit row is written. A wish that meets another
 * builds on it, or gives way to it where `If-Match` says so. Throws StoreUnavailableError.
 */
export const makeWish = async <Item extends Wishable>(
  store: Store,
  act: Act,
  wish: Wish<Item>,
): Promise<WishOutcome<Item>> => {
  const block = blockAt(wish.gateway, wish.uses, act.nowMs);
  if (block) return { outcome: 'appliance-function-blocked', block };

  let { item } = wish;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (!isMatch(wish.ifMatch, item.version)) return { outcome: 'precondition-failed' };
    const wished = { ...item.wished, ...wish.values };
    const failed = await transact(store, {
      gateway: functionIsNotBlocked(wish, act.nowMs),
      ...(wish.refersTo && { reference: exists(wish.refersTo) }),
      item: putWish(wish.key, wished, item),
      audit: auditPut(act, wish.target),
    });
    if (!failed) return { outcome: 'wished', item: { ...item, wished, version: item.version + 1 } };
    if (failed.name === 'gateway') return blocked(failed.old, wish.uses, act.nowMs);
    if (failed.name === 'reference') return { outcome: 'reference-not-found' };
    if (!failed.old) return { outcome: 'gone' };
    item = failed.old as Item;
  }
  throw new StoreUnavailableError(`An item changed under ${maxAttempts} attempts to wish for it.`);
};

const blocked = (old: Record<string, unknown> | undefined, uses: ApplianceFunction, nowMs: number) => {
  const block = old && blockAt(toGateway(old), uses, nowMs);
  if (!block) throw new StoreUnavailableError('The gateway was there when it was read, and is gone.');
  return { outcome: 'appliance-function-blocked', block } as const;
};

const functionIsNotBlocked = (
  { gateway: { gatewayId }, uses }: Pick<Wish<Wishable>, 'gateway' | 'uses'>,
  nowMs: number,
): TransactItem => ({
  ConditionCheck: {
    TableName: tableName('Appliances'),
    Key: gatewayItemKey(gatewayId),
    ConditionExpression:
      'attribute_exists(sk) AND (attribute_not_exists(blocks.#uses) OR blocks.#uses.untilMs <= :now)',
    ExpressionAttributeNames: { '#uses': uses },
    ExpressionAttributeValues: { ':now': nowMs },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});

const exists = (key: ApplianceItemKey): TransactItem => ({
  ConditionCheck: { TableName: tableName('Appliances'), Key: key, ConditionExpression: 'attribute_exists(sk)' },
});

/** On the item as it was seen: of this version, and its wish not confirmed since, lest that come back with the new one. */
const putWish = (
  key: ApplianceItemKey,
  wished: Readonly<Record<string, unknown>>,
  { version, wished: seenWish }: Wishable,
): TransactItem => ({
  Update: {
    TableName: tableName('Appliances'),
    Key: key,
    UpdateExpression: 'SET wished = :wished, version = :next',
    ConditionExpression: `version = :seen AND ${seenWish ? 'attribute_exists' : 'attribute_not_exists'}(wished)`,
    ExpressionAttributeValues: { ':wished': wished, ':seen': version, ':next': version + 1 },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});
