import { BatchGetCommand, type BatchGetCommandInput } from '@aws-sdk/lib-dynamodb';
import { backOff } from './attempts.ts';
import type { Store } from './store.ts';
import { StoreUnavailableError } from './store-errors.ts';

type Item = Record<string, unknown>;

const maxAttempts = 4;

/** The items by table; asks again for the keys that DynamoDB left unprocessed. Throws StoreUnavailableError. */
export const batchGet = async (store: Store, keys: NonNullable<BatchGetCommandInput['RequestItems']>) => {
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
