import type { Answer, BodyOf, OperationId, Refusal, Success } from './operation-types.ts';
import type { PartnerClient } from './partner-client.ts';

/** The state that a partner keeps between two runs, for example as JSON in a file. */
export type KeptApiKey = {
  readonly apiKey: string;
  /** The value under which the key after `apiKey` is created: from before the request until that key is kept. */
  readonly idempotencyKey?: string;
  /** The key that `apiKey` replaced, and when. It stays valid for a while, so that other processes can follow. */
  readonly replaced?: { readonly keyId: string; readonly at: string };
};

export type ApiKeyStore = {
  readonly read: () => Promise<KeptApiKey>;
  /** Resolves when a crash would not lose the state. Replace it at once: write a new file and rename it. */
  readonly keep: (kept: KeptApiKey) => Promise<void>;
};

type KeyClient = PartnerClient<'createApiKey' | 'deleteApiKey' | 'getOwnApiKey'>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Replaces the kept key if it expires soon, and deletes the key that was replaced when the overlap is over. Run it every few
 * hours; it returns whether it replaced the key. If a run breaks off, the next one continues from the kept state, and no key
 * is left over. Between the creation of a key and its keeping, this holds for 24 hours. Throws RotationError, and TypeError for a
 * key that may only read.
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
  // The state has room for one replaced key only.
  if (isDue || isOverlapOver) await deleteReplaced(client, store, kept);
  if (isDue) await replace(client, store, current);
  return isDue;
};

/** Replaces the kept key at once, however long it is still valid. Ends the overlap of the rotation before. */
export const rotateApiKey = async (client: KeyClient, store: ApiKeyStore): Promise<void> => {
  const { apiKey } = await deleteReplacedApiKey(client, store);
  await replace(client, store, await readCurrentKey(client, apiKey));
};

/** Deletes the key that the last rotation replaced, if there is one. Returns the state that is kept then; the client uses it. */
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
      `The kept key ${body.keyId} may only read, so it creates no successor. Rotate a key with full access, and let that create keys that read.`,
    );
  return { ...body, apiKey };
};

/** Creates a key, keeps it before the first use, and tries it before the client relies on it. */
const replace = async (client: KeyClient, store: ApiKeyStore, current: CurrentKey): Promise<void> => {
  const created = await createSuccessor(client, store, current);
  if (!created) return client.useApiKey((await store.read()).apiKey);
  const { apiKey } = created;
  await store.keep({ apiKey, replaced: { keyId: current.keyId, at: new Date().toISOString() } });
  succeeded('Trying the new key', await client.call('getOwnApiKey', { apiKey }));
  client.useApiKey(apiKey);
};

/**
 * Creates the successor of a key, which works from where that does and has its label; a repeat under the same kept value gives the same successor. Undefined if another
 * process has replaced the key in the meantime.
 */
const createSuccessor = async (client: KeyClient, store: ApiKeyStore, { apiKey, allowedCidrs, label }: CurrentKey) => {
  const create = async (isSpent: boolean) => {
    const idempotencyKey = await keepIdempotencyKey(store, apiKey, isSpent);
    if (idempotencyKey === undefined) return undefined;
    const headers = { 'Idempotency-Key': idempotencyKey };
    return client.call('createApiKey', { apiKey, headers, body: { allowedCidrs, label } });
  };
  const first = await create(false);
  // The key of an earlier request was used or deleted: by a process that has kept it, or by somebody else.
  const isSpent = first?.ok === false && first.problem.code === 'idempotency-key-spent';
  const answer = isSpent ? await create(true) : first;
  return answer && succeeded('Creating a key', answer).body;
};

/** Keeps a value before the request that it names, unless one is kept; undefined if `apiKey` is no longer the kept key. */
const keepIdempotencyKey = async (store: ApiKeyStore, apiKey: string, isSpent: boolean) => {
  const before = await store.read();
  if (before.apiKey === apiKey && (isSpent || before.idempotencyKey === undefined))
    await store.keep({ ...before, idempotencyKey: randomValue() });
  // Another process may have kept a value, or a new key, at the same time.
  const kept = await store.read();
  return kept.apiKey === apiKey ? kept.idempotencyKey : undefined;
};

/** 128 bits: whoever has the old key and could guess the value could fetch the new key, too. */
const randomValue = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** A step of a rotation was refused or got no answer. The kept state is consistent: run the rotation again. */
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
