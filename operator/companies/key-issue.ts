import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { maxValidKeysPerCompany } from '../../lambdas/api/limits.ts';
import { pickFreeSlot, putNewKey, slotAttempts, takeSlot } from '../../lambdas/data/api-keys/api-key-creation.ts';
import { findApiKey, findPresentedKey, readTakenSlots, type Slot } from '../../lambdas/data/api-keys/api-keys.ts';
import { type AuditContext, type AuditRow, auditPut } from '../../lambdas/data/audit.ts';
import { companyKey } from '../../lambdas/data/contracts/companies.ts';
import { retrying } from '../../lambdas/data/store/attempts.ts';
import { readAllPages } from '../../lambdas/data/store/reads.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { type TransactItem, transact } from '../../lambdas/data/store/writes.ts';
import {
  defaultKeyOptions,
  isSameKey,
  isValidAt,
  type NewKey,
  type StoredApiKey,
} from '../../lambdas/domain/api-key.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { companyId } from '../cli/command.ts';
import type { OperatorContext } from '../cli/context.ts';
import { changeOutput, changeView, type Difference, makeChange } from '../cli/make-change.ts';
import type { View } from '../cli/output.ts';
import { OperatorError } from '../error.ts';
import { createKeyFile, deliverKey, keyFileOptions, removeKeyFile } from './key-file.ts';

const keyIssueOutput = changeOutput.extend({
  /** Null, like `expiresAt`, if nothing was changed. */
  keyId: z.string().nullable(),
  expiresAt: z.iso.datetime().nullable(),
  /** The file with the key, readable by its owner only; null if the key was shown on the terminal or nothing was changed. */
  keyFile: z.string().nullable(),
});

/** The common part of commands that issue a key. */
export const keyIssueCommand = {
  arguments: { companyId },
  options: keyFileOptions,
  changes: true,
  shownToCompany: true,
  output: keyIssueOutput,
  view: ({ keyId, expiresAt, keyFile, ...change }: z.output<typeof keyIssueOutput>): View => [
    ...changeView(change),
    { fields: { key: keyId, 'expires at': expiresAt, file: keyFile } },
  ],
} as const;

type Plan = {
  readonly companyId: string;
  readonly file: string;
  readonly showKey: boolean;
  /** The key that an earlier run left in the file; it is used instead of a new one. */
  readonly kept: NewKey | undefined;
  /** The differences to report; empty if the kept key is registered and nothing else is left to do. */
  readonly differences: readonly Difference[];
  /** Throws an OperatorError only if the key is certainly not registered. */
  readonly register: (key: NewKey) => Promise<void>;
  /** The steps after the registration; a repeated run takes them too. */
  readonly complete?: () => Promise<void>;
};

/**
 * Writes a key to its file, registers it, and hands it over. This order, and using the file of an interrupted run, ensures that
 * the text of a registered key is never lost.
 */
export const issueIntoFile = async (
  context: OperatorContext,
  { companyId, file, showKey, kept, differences, register, complete }: Plan,
): Promise<z.output<typeof keyIssueOutput>> => {
  let key = kept;
  const apply = async () => {
    const created = kept ?? createKeyFile(file, companyId, context.nowMs);
    key = created;
    await register(created).catch((error) => {
      if (!kept && error instanceof OperatorError) removeKeyFile(file);
      throw error;
    });
    await complete?.();
  };
  const change = await makeChange(context, { companyId, differences, apply });
  if (!key || context.isDryRun) return { ...change, keyId: null, expiresAt: null, keyFile: null };
  const keyFile = deliverKey(context, file, key, showKey);
  return { ...change, keyId: key.keyId, expiresAt: toTimestamp(key.expiresAtMs), keyFile };
};

/**
 * Throws if a key of an earlier run cannot be used: because it has expired, or because it was registered and then deleted.
 */
export const refuseUnusableKey = async (context: OperatorContext, file: string, companyId: string, key: NewKey) => {
  const refuse = (what: string) =>
    new OperatorError('refused', `${file} holds a key that ${what} Delete the file, or name another --key-file.`);
  if (!isValidAt(key, context.nowMs)) throw refuse(`expired at ${toTimestamp(key.expiresAtMs)}.`);
  const { store } = await context.connect();
  const auditContext = await findLastActOnKey(store, companyId, key.keyId, key.createdAtMs);
  if (auditContext)
    throw refuse(
      `was deleted at ${auditContext.at} (${auditContext.operation} by ${auditContext.operator ?? auditContext.actorKeyId}).`,
    );
};

export const keyLimitReached = (companyId: string, takenSlots: readonly Slot[]): OperatorError => {
  const first = takenSlots.reduce((one, other) => (other.expiresAtMs < one.expiresAtMs ? other : one));
  return new OperatorError(
    'refused',
    `${companyId} has ${maxValidKeysPerCompany} valid keys, the maximum. Revoke one that is not in use: key list ${companyId}. The first to expire is ${first.keyId}, at ${toTimestamp(first.expiresAtMs)}.`,
  );
};

type Issue =
  | { readonly outcome: 'issued' | 'company-not-found' | 'key-id-taken' }
  | { readonly outcome: 'api-key-limit-reached'; readonly takenSlots: readonly Slot[] };

/**
 * Registers a key that the operator generated. The limit of `createApiKey` applies, but no valid key is needed. The outcome is
 * also `issued` if the same key is registered already.
 */
export const issueApiKey = async (
  store: Store,
  auditContext: AuditContext,
  key: NewKey,
  options = defaultKeyOptions,
): Promise<Issue> => {
  const { companyId, nowMs } = auditContext;
  return retrying<Issue>(slotAttempts, async () => {
    const namesake = await findApiKey(store, companyId, key.keyId);
    if (namesake) return { outcome: isSameKey(key, namesake) ? 'issued' : 'key-id-taken' };
    const takenSlots = await readTakenSlots(store, companyId, nowMs);
    const slot = pickFreeSlot(takenSlots);
    if (slot === undefined) return { outcome: 'api-key-limit-reached', takenSlots };

    const record = toRecord(key, slot, options);
    const failed = await transact(store, {
      company: companyExists(store, companyId),
      slot: takeSlot(store, record, nowMs),
      newKey: putNewKey(store, record),
      audit: auditPut(store, auditContext, { keyId: key.keyId, after: { key: options } }),
    });
    if (!failed) return { outcome: 'issued' };
    return failed.name === 'company' ? { outcome: 'company-not-found' } : undefined;
  });
};

/** The transaction item that fails if the company does not exist. */
const companyExists = (store: Store, companyId: string): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('Companies'),
    Key: companyKey(companyId),
    ConditionExpression: 'attribute_exists(companyId)',
  },
});

/** Whether the store has this key, with the same secret. */
export const isRegistered = async (store: Store, key: NewKey): Promise<boolean> =>
  isSameKey(key, await findPresentedKey(store, key));

/** Returns the stored form of a key that the operator issues. */
export const toRecord = ({ apiKey, ...kept }: NewKey, slot: number, options = defaultKeyOptions): StoredApiKey => ({
  ...kept,
  ...options,
  slot,
  createdByKeyId: null,
  lastUsedOn: null,
});

/**
 * Returns the last audit row about a key since that time. A key with an audit row but without an item was deleted. Reads all
 * audit rows of the company since that time.
 */
const findLastActOnKey = async (
  store: Store,
  companyId: string,
  keyId: string,
  sinceMs: number,
): Promise<AuditRow | undefined> => {
  const rows = await readAllPages((after) =>
    store.send(
      new QueryCommand({
        TableName: store.tableName('AuditLog'),
        ConsistentRead: true,
        KeyConditionExpression: 'subject = :companyId AND sk >= :since',
        FilterExpression: 'keyId = :keyId',
        ExpressionAttributeValues: {
          ':companyId': companyId,
          ':since': new Date(sinceMs).toISOString(),
          ':keyId': keyId,
        },
        ExclusiveStartKey: after,
      }),
    ),
  );
  return rows.at(-1) as AuditRow | undefined;
};
