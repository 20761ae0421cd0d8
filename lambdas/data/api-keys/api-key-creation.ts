import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { idempotencyHours, maxValidKeysPerCompany } from '../../api/limits.ts';
import {
  defaultKeyOptions,
  deriveKey,
  generateKey,
  type KeyOptions,
  type NewKey,
  type PresentedKey,
  type StoredApiKey,
} from '../../domain/api-key.ts';
import { toMonth } from '../../domain/time.ts';
import { type AuditContext, auditPut } from '../audit.ts';
import { type Attempts, retrying } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { type TransactItem, transact } from '../store/writes.ts';
import {
  type CallerKeyLost,
  callerKeyCheck,
  callerKeyLost,
  keyItemKey,
  readTakenSlots,
  type Slot,
  slotItemKey,
  toKeyItem,
} from './api-keys.ts';

type Creation =
  | { readonly outcome: 'created'; readonly key: ReturnType<typeof generateKey> }
  | { readonly outcome: 'api-key-limit-reached'; readonly takenSlots: readonly Slot[] }
  | CallerKeyLost;

/** An attempt fails if another creation takes its slot; there is a limited number of slots to lose. */
export const slotAttempts: Attempts = { to: 'take a slot', atMost: maxValidKeysPerCompany * 2 };

/**
 * Creates a key for the company of the audit context. One transaction checks that the caller's own key is still valid, takes a
 * free slot, and writes the key's record and the audit row. So a company never has more than ten valid keys.
 */
export const createApiKey = async (
  store: Store,
  auditContext: AuditContext,
  options: KeyOptions = defaultKeyOptions,
): Promise<Creation> => {
  const { companyId, nowMs, actorKey } = auditContext;
  return retrying(slotAttempts, async () => {
    const takenSlots = await readTakenSlots(store, companyId, nowMs);
    const slot = pickFreeSlot(takenSlots);
    if (slot === undefined) return { outcome: 'api-key-limit-reached', takenSlots };

    const key = generateKey(companyId, nowMs);
    const { apiKey, ...kept } = key;
    const record = { ...kept, ...options, slot, createdByKeyId: actorKey?.keyId ?? null, lastUsedOn: null };
    const failed = await transact(store, {
      ...(actorKey && { callerKey: callerKeyCheck(store, actorKey, nowMs) }),
      slot: takeSlot(store, record, nowMs),
      newKey: putNewKey(store, record),
      audit: auditPut(store, auditContext, { keyId: key.keyId, after: { key: options } }),
    });
    if (!failed) return { outcome: 'created', key };
    return failed.name === 'callerKey' ? callerKeyLost(failed.old) : undefined;
  });
};

/** Returns a random free slot, so that concurrent creations seldom choose the same one; undefined if all are taken. */
export const pickFreeSlot = (takenSlots: readonly Slot[]): number | undefined => {
  const taken = new Set(takenSlots.map(({ slot }) => slot));
  const free = Array.from({ length: maxValidKeysPerCompany }, (_, slot) => slot).filter((slot) => !taken.has(slot));
  return free[Math.floor(Math.random() * free.length)];
};

export const takeSlot = (
  store: Store,
  { companyId, slot, keyId, expiresAtMs, access, allowedCidrs, label }: StoredApiKey,
  nowMs: number,
) =>
  ({
    Put: {
      TableName: store.tableName('ApiKeys'),
      Item: {
        ...slotItemKey(companyId, slot),
        slot,
        keyId,
        expiresAtMs,
        expiryMonth: toMonth(expiresAtMs),
        access,
        allowedCidrs,
        label,
      },
      ConditionExpression: 'attribute_not_exists(sk) OR expiresAtMs <= :now',
      ExpressionAttributeValues: { ':now': nowMs },
    },
  }) satisfies TransactItem;

export const putNewKey = (store: Store, record: StoredApiKey): TransactItem => ({
  Put: {
    TableName: store.tableName('ApiKeys'),
    Item: toKeyItem(record),
    ConditionExpression: 'attribute_not_exists(sk)',
  },
});

/**
 * The request repeats an earlier one. Its key is returned again, unless the key was used or deleted since
 * (`idempotency-key-spent`).
 */
type Repeat =
  | { readonly outcome: 'shown-again'; readonly key: NewKey }
  | { readonly outcome: 'idempotency-key-spent' }
  /** The request is no repeat: an earlier one with the same value asked for a key with other options, which are `earlier`. */
  | { readonly outcome: 'idempotency-key-reused'; readonly earlier: KeyOptions };

const saltBytes = 32;

/**
 * Creates a key like `createApiKey`, but only once in 24 hours for the same caller's key and value. A repeat, even a concurrent
 * one, returns the same key until that key is used. The transaction also writes a record of the request.
 */
export const createApiKeyOnce = async (
  store: Store,
  auditContext: AuditContext,
  caller: PresentedKey,
  { value, options = defaultKeyOptions }: { readonly value: string; readonly options?: KeyOptions },
): Promise<Creation | Repeat> => {
  const { companyId, keyId: callerKeyId } = caller;
  const { nowMs } = auditContext;
  const request = { companyId, keyId: callerKeyId, value };
  return retrying<Creation | Repeat>(slotAttempts, async () => {
    // The slots are read first: if an equal request took the last one, this request finds its record and not the limit.
    const takenSlots = await readTakenSlots(store, companyId, nowMs);
    const earlier = await findIdempotencyRecord(store, request, nowMs);
    if (earlier && !isDeepStrictEqual(earlier.options, options))
      return { outcome: 'idempotency-key-reused', earlier: earlier.options };
    if (earlier)
      return repeat(store, auditContext, caller, deriveKey(caller, earlier.salt, value, earlier.createdAtMs));
    const slot = pickFreeSlot(takenSlots);
    if (slot === undefined) return { outcome: 'api-key-limit-reached', takenSlots };

    const idempotencyRecord = { salt: randomBytes(saltBytes), createdAtMs: nowMs, options };
    const key = deriveKey(caller, idempotencyRecord.salt, value, nowMs);
    const { apiKey, ...kept } = key;
    const record = { ...kept, ...options, slot, createdByKeyId: callerKeyId, lastUsedOn: null };
    const failed = await transact(store, {
      callerKey: callerKeyCheck(store, caller, nowMs),
      idempotencyRecord: putIdempotencyRecord(store, request, idempotencyRecord),
      slot: takeSlot(store, record, nowMs),
      newKey: putNewKey(store, record),
      audit: auditPut(store, auditContext, { keyId: key.keyId, after: { key: options } }),
    });
    if (!failed) return { outcome: 'created', key };
    return failed.name === 'callerKey' ? callerKeyLost(failed.old) : undefined;
  });
};

/**
 * Returns the key that the earlier request created, and writes an audit row. The transaction checks that the key exists and was
 * never used, so a concurrent first use comes either before the repeat or after it.
 */
const repeat = async (
  store: Store,
  auditContext: AuditContext,
  caller: PresentedKey,
  key: NewKey,
): Promise<Repeat | CallerKeyLost> => {
  const asRepeat = { ...auditContext, operation: `${auditContext.operation} repeat` };
  const failed = await transact(store, {
    callerKey: callerKeyCheck(store, caller, auditContext.nowMs),
    unusedKey: unusedKeyCheck(store, key),
    audit: auditPut(store, asRepeat, { keyId: key.keyId }),
  });
  if (!failed) return { outcome: 'shown-again', key };
  return failed.name === 'callerKey' ? callerKeyLost(failed.old) : { outcome: 'idempotency-key-spent' };
};

const unusedKeyCheck = (store: Store, key: NewKey): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('ApiKeys'),
    Key: keyItemKey(key),
    ConditionExpression: 'lastUsedOn = :never',
    ExpressionAttributeValues: { ':never': null },
  },
});

/** Identifies a request by its company, the key that authenticated it, and the value of its `Idempotency-Key`. */
export type RequestIdentity = { readonly companyId: string; readonly keyId: string; readonly value: string };

/**
 * What a repeat needs to derive the same key again, together with the key that authenticates it. The new key itself is not
 * stored.
 */
export type IdempotencyRecord = {
  readonly salt: Uint8Array;
  readonly createdAtMs: number;
  /** Options that the key was created with. */
  readonly options: KeyOptions;
};

const lifetimeMs = idempotencyHours * 3_600_000;

/**
 * Returns the record of a request of the last 24 hours. An older one counts as absent, even if DynamoDB has not removed it yet.
 */
const findIdempotencyRecord = async (
  store: Store,
  request: RequestIdentity,
  nowMs: number,
): Promise<IdempotencyRecord | undefined> => {
  const command = { TableName: store.tableName('IdempotencyRecords'), Key: itemKey(request), ConsistentRead: true };
  const { Item } = await store.send(new GetCommand(command));
  const record = Item as IdempotencyRecord | undefined;
  return record && record.createdAtMs > nowMs - lifetimeMs ? record : undefined;
};

/** The transaction item of a creation that lets only one of several equal requests succeed. */
const putIdempotencyRecord = (
  store: Store,
  request: RequestIdentity,
  { salt, createdAtMs, options }: IdempotencyRecord,
): TransactItem => ({
  Put: {
    TableName: store.tableName('IdempotencyRecords'),
    Item: { ...itemKey(request), salt, createdAtMs, options, removeAt: Math.ceil((createdAtMs + lifetimeMs) / 1000) },
    ConditionExpression: 'attribute_not_exists(sk) OR createdAtMs <= :outlived',
    ExpressionAttributeValues: { ':outlived': createdAtMs - lifetimeMs },
  },
});

/** Has the hash of the value: a value may be long, and readers of the table must not learn it. */
const itemKey = ({ companyId, keyId, value }: RequestIdentity) => ({
  companyId,
  sk: `${keyId}#${createHash('sha256').update(value).digest('hex')}`,
});
