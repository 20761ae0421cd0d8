import type { Answer, Refusal, Success } from './answer.ts';
import type { OperationId } from './operation-types.ts';
import type { PartnerClient } from './partner-client.ts';

/** What a partner keeps of its keys, as JSON in a file, say: all that a run has to know of those before it. */
export type KeptApiKey = {
  readonly apiKey: string;
  /** The key before it, and since when: still valid, so that other processes can follow. */
  readonly replaced?: { readonly keyId: string; readonly at: string };
};

export type ApiKeyStore = {
  readonly read: () => Promise<KeptApiKey>;
  /** Resolves when a crash would not lose it. Replace all at once: write a file beside, and rename it. */
  readonly keep: (kept: KeptApiKey) => Promise<void>;
};

type KeyClient = PartnerClient<'createApiKey' | 'deleteApiKey' | 'getOwnApiKey'>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * To be run every few hours: replaces the key that is kept where it expires soon, and deletes the one that was replaced when
 * the overlap is over. Tells whether it replaced one. Wherever a run broke off, the next one goes on from what is kept, and no
 * key is left over; between creating and keeping, that holds for 24 hours. Throws RotationError.
 */
export const rotateApiKeyIfDue = async (
  client: KeyClient,
  store: ApiKeyStore,
  { daysBeforeExpiry = 30, overlapHours = 48 } = {},
): Promise<boolean> => {
  const kept = await store.read();
  const { replaced } = kept;
  const current = await readCurrentKey(client, kept.apiKey);
  const isDue = Date.parse(current.expiresAt) - Date.now() <= daysBeforeExpiry * dayMs;
  const isOverlapOver = replaced && Date.now() - Date.parse(replaced.at) >= overlapHours * hourMs;
  // Only one key at a time can be on record as replaced.
  if (isDue || isOverlapOver) await deleteReplaced(client, store, kept);
  if (isDue) await replace(client, store, current);
  return isDue;
};

/** The same at once, however long the key is still valid. Ends the overlap of the rotation before. */
export const rotateApiKey = async (client: KeyClient, store: ApiKeyStore): Promise<void> => {
  const { apiKey } = await deleteReplacedApiKey(client, store);
  await replace(client, store, await readCurrentKey(client, apiKey));
};

/** Deletes the key that the last rotation replaced, if there is one, and gives what is kept then, which the client uses. */
export const deleteReplacedApiKey = async (client: KeyClient, store: ApiKeyStore): Promise<KeptApiKey> =>
  deleteReplaced(client, store, await store.read());

const deleteReplaced = async (client: KeyClient, store: ApiKeyStore, kept: KeptApiKey): Promise<KeptApiKey> => {
  const { apiKey, replaced } = kept;
  client.useApiKey(apiKey);
  if (replaced === undefined) return kept;
  const answer = await client.call('deleteApiKey', { apiKey, path: { keyId: replaced.keyId } });
  const isGone = !answer.ok && answer.problem.code === 'api-key-not-found';
  if (!isGone) succeeded('Deleting the replaced key', answer);
  await store.keep({ apiKey });
  return { apiKey };
};

type CurrentKey = { readonly apiKey: string; readonly keyId: string; readonly expiresAt: string };

const readCurrentKey = async (client: KeyClient, apiKey: string): Promise<CurrentKey> => {
  client.useApiKey(apiKey);
  const { body } = succeeded('Reading the key in use', await client.call('getOwnApiKey', { apiKey }));
  return { ...body, apiKey };
};

/** Keeps the new key before it is used, and uses it before anything relies on it. */
const replace = async (client: KeyClient, store: ApiKeyStore, current: CurrentKey): Promise<void> => {
  const apiKey = await createSuccessor(client, current);
  await store.keep({ apiKey, replaced: { keyId: current.keyId, at: new Date().toISOString() } });
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
