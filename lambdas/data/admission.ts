import { BatchGetCommand, type BatchGetCommandInput } from '@aws-sdk/lib-dynamodb';
import type { ApiKeyRecord } from '../domain/api-key.ts';
import type { Contract } from '../domain/contract.ts';
import { keyItemKey, toApiKeyRecord } from './api-keys.ts';
import { backOff } from './backoff.ts';
import { contractKey, toContract } from './contracts.ts';
import { tableName } from './environment.ts';
import type { Store } from './store.ts';
import { StoreUnavailableError } from './store-errors.ts';

/** All that the checks of a request have to know, as of one moment. */
export type Admission = {
  readonly key: ApiKeyRecord | undefined;
  readonly contract: Contract | undefined;
  /** The arrival time of the request's token bucket, possibly stale; 0 where it has no record. */
  readonly bucketArrivalMs: number;
};

type Item = Record<string, unknown>;

/**
 * Reads it in one round trip. Key and contract are read consistently, so that a deleted key and a suspended company are
 * refused by the next request; the bucket need not be (see `spendToken`). Throws StoreUnavailableError.
 */
export const readAdmission = async (
  store: Store,
  { companyId, keyId, bucketId }: { companyId: string; keyId: string; bucketId: string },
): Promise<Admission> => {
  const [apiKeys, contracts, tokenBuckets] = [tableName('ApiKeys'), tableName('Contracts'), tableName('TokenBuckets')];
  const items = await batchGet(store, {
    [apiKeys]: { Keys: [keyItemKey(companyId, keyId)], ConsistentRead: true },
    [contracts]: { Keys: [contractKey(companyId)], ConsistentRead: true },
    [tokenBuckets]: { Keys: [{ bucketId }] },
  });
  const [key, contract, bucket] = [items(apiKeys)[0], items(contracts)[0], items(tokenBuckets)[0]];
  return {
    key: key && toApiKeyRecord(key),
    contract: contract && toContract(contract),
    bucketArrivalMs: Number(bucket?.tat ?? 0),
  };
};

const maxAttempts = 4;

/** Asks again for the keys that DynamoDB left unprocessed. Returns the items by table. */
const batchGet = async (store: Store, keys: NonNullable<BatchGetCommandInput['RequestItems']>) => {
  const found: Record<string, Item[]> = {};
  let pending = keys;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { Responses = {}, UnprocessedKeys = {} } = await store.send(new BatchGetCommand({ RequestItems: pending }));
    for (const [table, items] of Object.entries(Responses)) found[table] = [...(found[table] ?? []), ...items];
    if (Object.keys(UnprocessedKeys).length === 0) return (table: string): Item[] => found[table] ?? [];
    pending = UnprocessedKeys;
    await backOff(attempt);
  }
  throw new StoreUnavailableError(`A batch read was left unprocessed ${maxAttempts} times.`);
};
