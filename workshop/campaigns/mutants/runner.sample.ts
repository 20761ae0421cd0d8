import { setImmediate } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test, vi } from 'vitest';
import { findPresentedKey } from '../../../lambdas/data/api-keys/api-keys.ts';
import { findCompany } from '../../../lambdas/data/contracts/companies.ts';
import { createStore } from '../../../lambdas/data/store/store.ts';

/** Whether the last read was strongly consistent; both mutants of these tests change that. */
let isStrong = false;

/** A client that finds nothing, one turn of the event loop later. */
const client = new DynamoDBClient({ region: 'eu-central-1', credentials: { accessKeyId: '-', secretAccessKey: '-' } });
client.middlewareStack.add(
  () => async (args) => {
    isStrong = 'ConsistentRead' in args.input;
    await setImmediate();
    return { output: { $metadata: {} }, response: {} };
  },
  { step: 'serialize', name: 'findNothing' },
);
const store = createStore(client, (table) => table);

const read = () => findPresentedKey(store, { companyId: 'acme', keyId: '1', hash: new Uint8Array() });

test('misses both mutants', async () => {
  await read();
  await findCompany(store, 'acme');
});

test('notices the second of two mutants that are tried together', async () => {
  await read();
  await findCompany(store, 'acme');
  expect(isStrong).toBe(true);
});

test('notices the mutant, and leaves calls and errors behind', async () => {
  void (async () => {
    for (;;) await read();
  })();
  // If calls were rejected after the run, this would be an endless loop without a pause.
  void (async () => {
    for (;;) await read().catch(() => {});
  })();
  await read();
  if (!isStrong) {
    void Promise.reject(new Error('A rejection under a mutant'));
    setTimeout(() => {
      throw new Error('An error after a run under a mutant');
    });
  }
  expect(isStrong).toBe(true);
});

let runs = 0;

test('fails once and then passes', () => {
  expect(++runs).toBeGreaterThan(1);
});

test('fails each time', () => {
  throw new Error('As ever');
});

test('leaves an error behind without a mutant', () => {
  void Promise.reject(new Error('Nobody handles this'));
});

test('is still running, and fails, when the time is over', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Number.MAX_SAFE_INTEGER });
  throw new Error('Too late');
});
