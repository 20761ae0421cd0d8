import type { Answer, Refusal, Success } from './answer.ts';
import type { OperationId } from './operation-types.ts';
import type { PartnerClient } from './partner-client.ts';

/** What a partner keeps of its keys, as JSON in a file, say: all that a run has to know of those before it. */
export type KeptApiKey = {
  readonly apiKey: string;
  /** The key before it: still valid, so that other processes can follow, until the next run deletes it. */
  readonly replacedKeyId?: string;
};

export type ApiKeyStore = {
  readonly read: () => Promise<KeptApiKey>;
  /** Resolves when a crash would not lose it. Replace all at once: write a file beside, and rename it. */
  readonly keep: (kept: KeptApiKey) => Promise<void>;
};

type KeyClient = PartnerClient<'createApiKey' | 'deleteApiKey' | 'getOwnApiKey'>;

const dayMs = 86_400_000;

/**
 * To be run every few hours: deletes the key that the last rotation replaced, and replaces the one that is kept where it
 * expires soon. Tells whether it did. Wherever a run broke off, the next one goes on from what is kept, and no key is left
 * over; between creating and keeping, that holds for 24 hours. Throws RotationError.
 */
export const rotateApiKeyIfDue = async (
  client: KeyClient,
  store: ApiKeyStore,
  { daysBeforeExpiry = 30 } = {},
): Promise<boolean> => {
  const current = await readCurrentKey(client, store);
  const isDue = Date.parse(current.expiresAt) - Date.now() <= daysBeforeExpiry * dayMs;
  if (isDue) await replace(client, store, current);
  return isDue;
};

/** The same at once, however long the key is still valid. */
export const rotateApiKey = async (client: KeyClient, store: ApiKeyStore): Promise<void> =>
  replace(client, store, await readCurrentKey(client, store));

/** Deletes the key that the last rotation replaced, if there is one, and gives what is kept then, which the client uses. */
export const deleteReplacedApiKey = async (client: KeyClient, store: ApiKeyStore): Promise<KeptApiKey> => {
  const kept = await store.read();
  const { apiKey, replacedKeyId } = kept;
  client.useApiKey(apiKey);
  if (replacedKeyId === undefined) return kept;
  const answer = await client.call('deleteApiKey', { path: { keyId: replacedKeyId } });
  const isGone = !answer.ok && answer.problem.code === 'api-key-not-found';
  if (!isGone) succeeded('Deleting the replaced key', answer);
  await store.keep({ apiKey });
  return { apiKey };
};

type CurrentKey = { readonly apiKey: string; readonly keyId: string; readonly expiresAt: string };

const readCurrentKey = async (client: KeyClient, store: ApiKeyStore): Promise<CurrentKey> => {
  const { apiKey } = await deleteReplacedApiKey(client, store);
  const { body } = succeeded('Reading the key in use', await client.call('getOwnApiKey', { apiKey }));
  return { ...body, apiKey };
};

/** Keeps the new key before it is used, and uses it before anything relies on it. */
const replace = async (client: KeyClient, store: ApiKeyStore, current: CurrentKey): Promise<void> => {
  const apiKey = await createSuccessor(client, current);
  await store.keep({ apiKey, replacedKeyId: current.keyId });
  succeeded('Trying the new key', await client.call('getOwnApiKey', { apiKey }));
  client.useApiKey(apiKey);
};

/** The same new key, however often it is asked for with the same old one. */
const createSuccessor = async (client: KeyClient, { apiKey, keyId }: CurrentKey): Promise<string> => {
  const create = (idempotencyKey: string) =>
    client.call('createApiKey', { apiKey, headers: { 'Idempotency-Key': idempotencyKey } });
  const first = await create(`rotation-of-${keyId}`);
  // Somebody has deleted the key that it created.
  const isSpent = !first.ok && first.problem.code === 'idempotency-key-spent';
  return succeeded('Creating a key', isSpent ? await create(crypto.randomUUID()) : first).body.apiKey;
};

/** A step of a rotation that was refused or left without an answer. What is kept is good: run it again. */
export class RotationError extends Error {
  override readonly name = 'RotationError';
  readonly answer: Refusal<OperationId>;

  constructor(step: string, answer: Refusal<OperationId>) {
    const { code, title, detail } = answer.problem;
    super(`${step}: ${title} (${code}). ${detail}`);
    this.answer = answer;
  }
}

const succeeded = <Id extends OperationId>(step: string, answer: Answer<Id>): Success<Id> => {
  if (answer.ok) return answer;
  throw new RotationError(step, answer as Refusal<OperationId>);
};
