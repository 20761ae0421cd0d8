import type { Answer, BodyOf, OperationId, Refusal, Success } from './operation-types.ts';
import type { PartnerClient } from './partner-client.ts';

/** The state of the rotation between two runs. Store it as JSON, for example in a file that only your service can read. */
export type KeptApiKey = {
  /** The key in use. */
  readonly apiKey: string;
  /** The `Idempotency-Key` of the request that creates the next key. Present from before that request until the key is kept. */
  readonly idempotencyKey?: string;
  /** The key that `apiKey` replaced, and when (RFC 3339, UTC). It stays valid until the overlap ends, for other processes. */
  readonly replaced?: { readonly keyId: string; readonly at: string };
};

/** Stores the state of the rotation, for example in a file. */
export type ApiKeyStore = {
  /** Returns the state that was kept last. */
  readonly read: () => Promise<KeptApiKey>;
  /** Resolves once the state would survive a crash. Replace the state atomically: write a new file and rename it. */
  readonly keep: (kept: KeptApiKey) => Promise<void>;
};

type KeyClient = PartnerClient<'createApiKey' | 'deleteApiKey' | 'getOwnApiKey'>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Replaces the API key if it expires within `daysBeforeExpiry` (default 30), and deletes the replaced key `overlapHours`
 * (default 48) after the replacement. Run it every few hours.
 *
 * If a run is interrupted, the next one continues from the kept state and leaves no unused key behind. If the interruption
 * falls between the creation of a key and `keep`, the next run must start within 24 hours.
 *
 * Returns whether it replaced the key. Throws RotationError if the service refuses a step or does not answer, and TypeError
 * if the key has read access only.
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
  // The state holds a single replaced key, so the previous one is deleted first.
  if (isDue || isOverlapOver) await deleteReplaced(client, store, kept);
  if (isDue) await replace(client, store, current);
  return isDue;
};

/**
 * Replaces the API key at once, whatever its expiry, and deletes the key that the previous rotation replaced. Throws
 * RotationError if the service refuses a step or does not answer, and TypeError if the key has read access only.
 */
export const rotateApiKey = async (client: KeyClient, store: ApiKeyStore): Promise<void> => {
  const { apiKey } = await deleteReplacedApiKey(client, store);
  await replace(client, store, await readCurrentKey(client, apiKey));
};

/**
 * Deletes the key that the last rotation replaced, if it still exists. Returns the kept state, whose key the client uses from
 * then on. Throws RotationError if the service refuses the deletion or does not answer.
 */
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

type CurrentKey = BodyOf<'getOwnApiKey'> & { readonly apiKey: string };

const readCurrentKey = async (client: KeyClient, apiKey: string): Promise<CurrentKey> => {
  client.useApiKey(apiKey);
  const { body } = succeeded('Reading the key in use', await client.call('getOwnApiKey', { apiKey }));
  if (body.access === 'read')
    throw new TypeError(
      `The kept key ${body.keyId} has read access only, so it cannot create a successor. Rotate a key with full access, and create read-only keys with it.`,
    );
  return { ...body, apiKey };
};

/** Creates a key, keeps it before its first use, and tests it before the client uses it. */
const replace = async (client: KeyClient, store: ApiKeyStore, current: CurrentKey): Promise<void> => {
  const created = await createSuccessor(client, store, current);
  if (!created) return client.useApiKey((await store.read()).apiKey);
  const { apiKey } = created;
  await store.keep({ apiKey, replaced: { keyId: current.keyId, at: new Date().toISOString() } });
  succeeded('Testing the new key', await client.call('getOwnApiKey', { apiKey }));
  client.useApiKey(apiKey);
};

/**
 * Creates the successor of a key, with the same allowed addresses and the same label. A repeat with the same kept value returns
 * the same successor. Returns undefined if another process has replaced the key in the meantime.
 */
const createSuccessor = async (client: KeyClient, store: ApiKeyStore, { apiKey, allowedCidrs, label }: CurrentKey) => {
  const create = async (isSpent: boolean) => {
    const idempotencyKey = await keepIdempotencyKey(store, apiKey, isSpent);
    if (idempotencyKey === undefined) return undefined;
    const headers = { 'Idempotency-Key': idempotencyKey };
    return client.call('createApiKey', { apiKey, headers, body: { allowedCidrs, label } });
  };
  const first = await create(false);
  // The key of an earlier request was used or deleted, so the service does not return it again: retry with a new value.
  const isSpent = first?.ok === false && first.problem.code === 'idempotency-key-spent';
  const answer = isSpent ? await create(true) : first;
  return answer && succeeded('Creating a key', answer).body;
};

/**
 * Keeps an `Idempotency-Key` before the request that sends it, unless one is already kept, and returns the kept one. Returns
 * undefined if `apiKey` is no longer the kept key.
 */
const keepIdempotencyKey = async (store: ApiKeyStore, apiKey: string, isSpent: boolean) => {
  const before = await store.read();
  if (before.apiKey === apiKey && (isSpent || before.idempotencyKey === undefined))
    await store.keep({ ...before, idempotencyKey: randomValue() });
  // Another process may have kept a value, or a new key, at the same time.
  const kept = await store.read();
  return kept.apiKey === apiKey ? kept.idempotencyKey : undefined;
};

/** 128 random bits: with the old key and a guessable value, an attacker could fetch the new key. */
const randomValue = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The service refused a step of the rotation or did not answer. The kept state is consistent: run the rotation again. */
export class RotationError extends Error {
  override readonly name = 'RotationError';
  /** The answer of the failed call. */
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
