import * as z from 'zod';
import { maxValidKeysPerCompany } from '../../lambdas/api/limits.ts';
import type { Slot } from '../../lambdas/data/api-keys/api-keys.ts';
import { isValidAt, type NewKey } from '../../lambdas/domain/api-keys/api-key.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { changeOutput, changeView, type Difference, makeChange } from '../cli/change.ts';
import type { OperatorContext } from '../cli/context.ts';
import type { View } from '../cli/view.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { findLastActOnKey } from './audit-of-key.ts';
import { createKeyFile, handOver, removeKeyFile } from './key-file.ts';

/** What every command answers that puts out a new key. */
export const keyIssueOutput = changeOutput.extend({
  /** Null, like the next, where nothing was done. */
  keyId: z.string().nullable(),
  expiresAt: z.iso.datetime().nullable(),
  /** Holds the key, readable for its owner alone; null if it was shown instead. */
  keyFile: z.string().nullable(),
});

type Plan = {
  readonly companyId: string;
  readonly file: string;
  readonly showKey: boolean;
  /** The key that an earlier run has left in the file; it is taken up. */
  readonly kept: NewKey | undefined;
  /** Differences to tell of; none if the kept key is registered. */
  readonly differences: readonly Difference[];
  /** Throws an OperatorError only where the key is certainly not registered. */
  readonly register: (key: NewKey) => Promise<void>;
};

/**
 * Puts a key into its file, registers it, and hands it over. In this order, and with the file of a run that was broken off
 * taken up, no key is ever registered whose text nobody has.
 */
export const issueIntoFile = async (
  context: OperatorContext,
  { companyId, file, showKey, kept, differences, register }: Plan,
): Promise<z.output<typeof keyIssueOutput>> => {
  let key = kept;
  const apply = async () => {
    const created = kept ?? createKeyFile(file, companyId, context.nowMs);
    key = created;
    await register(created).catch((error) => {
      if (!kept && error instanceof OperatorError) removeKeyFile(file);
      throw error;
    });
  };
  const change = await makeChange(context, { companyId, differences, apply });
  if (!key || context.isDryRun) return { ...change, keyId: null, expiresAt: null, keyFile: null };
  const keyFile = handOver(context, file, key, showKey);
  return { ...change, keyId: key.keyId, expiresAt: toTimestamp(key.expiresAtMs), keyFile };
};

export const keyIssueView = ({ keyId, expiresAt, keyFile, ...change }: z.output<typeof keyIssueOutput>): View => [
  ...changeView(change),
  { facts: { key: keyId, 'expires at': expiresAt, file: keyFile } },
];

/**
 * Refuses a key of an earlier run that is not registered and must not be: one that has run out, and one that was registered
 * and deleted since.
 */
export const refuseUnusableKey = async (context: OperatorContext, file: string, companyId: string, key: NewKey) => {
  const refuse = (what: string) =>
    new OperatorError('refused', `${file} holds a key that ${what} Delete the file, or name another --key-file.`);
  if (!isValidAt(key, context.nowMs)) throw refuse(`ran out at ${toTimestamp(key.expiresAtMs)}.`);
  const { store } = await context.connect();
  const auditContext = await findLastActOnKey(store, companyId, key.keyId, key.createdAtMs);
  if (auditContext)
    throw refuse(
      `was deleted at ${auditContext.at} (${auditContext.operation} by ${auditContext.operator ?? auditContext.actorKeyId}).`,
    );
};

export const capReached = (companyId: string, takenSlots: readonly Slot[]): OperatorError => {
  const first = takenSlots.reduce((one, other) => (other.expiresAtMs < one.expiresAtMs ? other : one));
  return new OperatorError(
    'refused',
    `${companyId} has ${maxValidKeysPerCompany} valid keys, and may have no more. Revoke one that is not in use: key list ${companyId}. The first to run out is ${first.keyId}, at ${toTimestamp(first.expiresAtMs)}.`,
  );
};
