import { isDeepStrictEqual } from 'node:util';
import { maxWebhooksPerCompany } from '../../lambdas/api/limits.ts';
import { pickFreeSlot, putNewKey, takeSlot } from '../../lambdas/data/api-keys/api-key-creation.ts';
import {
  findApiKey,
  keyItemKey,
  readTakenSlots,
  type Slot,
  toStoredApiKey,
} from '../../lambdas/data/api-keys/api-keys.ts';
import { neverDeletedCheck } from '../../lambdas/data/audit.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { TransactItem } from '../../lambdas/data/store/writes.ts';
import { idsKey, listWebhooks, toWebhook, toWebhookItem, webhookKey } from '../../lambdas/data/webhooks/webhooks.ts';
import { isValidAt, type StoredApiKey } from '../../lambdas/domain/api-key.ts';
import type { Webhook } from '../../lambdas/domain/webhook.ts';
import { type CopyTools, type DecideOnRow, left, putBack, putInPlaceOf, putMissing, same } from './row-copy.ts';

/** The rule of ApiKeys. A key whose deletion is in the audit log stays deleted, and the limit of ten valid keys applies. */
export const decideOnKey: DecideOnRow = async (tools, { restored, own }) => {
  const { keyId, companyId, sk } = restored as { keyId: string; companyId: string; sk: string };
  const isKey = sk.startsWith('KEY#');
  const { deletedKeys } = await tools.records.of(companyId);
  if (deletedKeys.has(keyId))
    return isKey ? left(`key ${keyId} of ${companyId}`, 'deleted according to AuditLog') : same;
  if (!isKey) return own ? same : lostSlot(tools, restored as unknown as CompanySlot);
  if (!own) return lostKey(tools, toStoredApiKey(restored));
  // The day of last use changes without an audit row, and a key that was put back may have another slot.
  const row = { ...restored, lastUsedOn: own.lastUsedOn, slot: own.slot };
  if (isDeepStrictEqual(row, own)) return same;
  return putBackKey(tools, { companyId, keyId }, { key: putInPlaceOf(tools.store, 'ApiKeys', row, own) });
};

type KeyId = { readonly companyId: string; readonly keyId: string };

type CompanySlot = Slot & KeyId;

const putBackKey = (tools: CopyTools, { companyId, keyId }: KeyId, items: Readonly<Record<string, TransactItem>>) =>
  putBack(tools, { subject: companyId, onRecord: { keyId }, items });

/** Puts back the slot of an existing key, unless another key has taken it. The slot of a lost key is put back with the key. */
const lostSlot = async (tools: CopyTools, { companyId, slot, keyId }: CompanySlot): ReturnType<DecideOnRow> => {
  const key = await findApiKey(tools.store, companyId, keyId);
  if (!key || key.slot !== slot || !isValidAt(key, tools.nowMs)) return same;
  return putBackKey(tools, key, { key: keyIsIn(tools.store, key), slot: takeSlot(tools.store, key, tools.nowMs) });
};

/** Checks that the key still exists, so that a key deleted meanwhile takes no slot. */
const keyIsIn = (store: Store, key: StoredApiKey): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('ApiKeys'),
    Key: keyItemKey(key),
    ConditionExpression: 'slot = :slot',
    ExpressionAttributeValues: { ':slot': key.slot },
  },
});

const lostKey = async (tools: CopyTools, key: StoredApiKey): ReturnType<DecideOnRow> => {
  const { store, nowMs } = tools;
  // Another run may have copied the key meanwhile, and its company may then have deleted it.
  const tombstone = neverDeletedCheck(store, key.companyId, key.keyId);
  if (!isValidAt(key, nowMs)) return putBackKey(tools, key, { tombstone, key: putNewKey(store, key) });
  const slot = slotFor(key, await readTakenSlots(store, key.companyId, nowMs));
  if (slot === undefined) return left(`key ${key.keyId} of ${key.companyId}`, 'ten other keys are valid');
  const placed = { ...key, slot };
  return putBackKey(tools, key, {
    tombstone,
    slot: takeOwnSlot(store, placed, nowMs),
    key: putNewKey(store, placed),
  });
};

const slotFor = ({ slot, keyId }: StoredApiKey, taken: readonly Slot[]): number | undefined => {
  const isFree = taken.every((each) => each.slot !== slot || each.keyId === keyId);
  return isFree ? slot : pickFreeSlot(taken);
};

/** Takes the slot for a key that may already hold it. */
const takeOwnSlot = (store: Store, key: StoredApiKey, nowMs: number): TransactItem => {
  const { Put } = takeSlot(store, key, nowMs);
  return {
    Put: {
      ...Put,
      ConditionExpression: `${Put.ConditionExpression} OR keyId = :keyId`,
      ExpressionAttributeValues: { ...Put.ExpressionAttributeValues, ':keyId': key.keyId },
    },
  };
};

/**
 * The rule of Webhooks. An existing webhook is kept, since webhook messages change it without an audit row. A webhook that was
 * deleted or that an operator disabled, according to the audit log, remains deleted or disabled, and the limit of three
 * webhooks applies. A missing set of ids is rebuilt from the existing webhooks.
 */
export const decideOnWebhook: DecideOnRow = async (tools, { restored, own }) => {
  const companyId = String(restored.companyId);
  const isIds = restored.sk === idsKey('').sk;
  // DynamoDB has no empty sets: then the attribute is absent.
  if (own && !(isIds && own.webhookIds === undefined)) return same;
  const { webhooks: there } = await listWebhooks(tools.store, companyId, maxWebhooksPerCompany);
  if (isIds) return there.length === 0 ? same : lostIds(tools, companyId, there);

  const webhook = toWebhook(restored);
  const { webhookId } = webhook;
  const recorded = (await tools.records.of(companyId)).webhooks.get(webhookId);
  const what = `webhook ${webhookId} of ${companyId}`;
  if (recorded?.isDeleted) return left(what, 'deleted according to AuditLog');
  if (there.length >= maxWebhooksPerCompany) return left(what, 'three other webhooks exist');
  const row = toWebhookItem(disabledSince(withNewerSecret(webhook, recorded?.secretVersion), recorded?.disabledAtMs));
  return putBack(tools, {
    subject: companyId,
    onRecord: { webhookId },
    items: {
      ids: takeOwnPlace(tools.store, companyId, webhookId),
      webhook: putMissing(tools.store, 'Webhooks', row),
    },
  });
};

/** Applies the newest secret version of the audit log. The replaced secret no longer signs. */
const withNewerSecret = (webhook: Webhook, recorded = webhook.secretVersion): Webhook => {
  if (recorded <= webhook.secretVersion) return webhook;
  const { previousSecretUntilMs, ...others } = webhook;
  return { ...others, secretVersion: recorded };
};

/** Disables a webhook that an operator disabled according to the audit log. */
const disabledSince = (webhook: Webhook, disabledAtMs: number | undefined): Webhook => {
  if (disabledAtMs === undefined || webhook.state === 'disabled') return webhook;
  const { due, dueAt, failedSinceMs, ...others } = webhook;
  return { ...others, state: 'disabled', disabledAtMs, disabledBecause: 'operator', failures: 0 };
};

/** Adds the id of a webhook to the set, if it is not full. The id may be in the set already. */
const takeOwnPlace = (store: Store, companyId: string, webhookId: string): TransactItem => ({
  Update: {
    TableName: store.tableName('Webhooks'),
    Key: idsKey(companyId),
    UpdateExpression: 'ADD webhookIds :ids',
    ConditionExpression:
      'attribute_not_exists(webhookIds) OR size(webhookIds) < :most OR contains(webhookIds, :webhookId)',
    ExpressionAttributeValues: {
      ':ids': new Set([webhookId]),
      ':webhookId': webhookId,
      ':most': maxWebhooksPerCompany,
    },
  },
});

/** Puts back the set of ids. Checks that each webhook still exists, so that the set lists no webhook deleted meanwhile. */
const lostIds = (tools: CopyTools, companyId: string, webhooks: readonly Webhook[]) => {
  const { store } = tools;
  const ids = webhooks.map(({ webhookId }) => webhookId);
  return putBack(tools, {
    subject: companyId,
    onRecord: { row: idsKey(companyId).sk },
    items: {
      ...Object.fromEntries(ids.map((webhookId) => [webhookId, webhookExists(store, companyId, webhookId)])),
      ids: {
        Put: {
          TableName: store.tableName('Webhooks'),
          Item: { ...idsKey(companyId), webhookIds: new Set(ids) },
          ConditionExpression: 'attribute_not_exists(webhookIds)',
        },
      },
    },
  });
};

const webhookExists = (store: Store, companyId: string, webhookId: string): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('Webhooks'),
    Key: webhookKey(companyId, webhookId),
    ConditionExpression: 'attribute_exists(sk)',
  },
});
