import { BatchGetCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { clientConfigOf } from 'serve-stack/dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { isStoreUnavailable, isThrottle } from '../../../lambdas/data/store/attempts.ts';
import { connectStore, maxAttempts, withDeadline } from '../../../lambdas/data/store/store.ts';
import { functionEnvironment, requestTimeouts } from '../../../lambdas/runtime/function-environment.ts';
import { writeEvent } from '../../../lambdas/runtime/log-lines.ts';
import { campaign, size } from '../../support/campaign.ts';
import { patience } from '../../support/time.ts';
import { injectFault, openWorld } from '../../support/world.ts';

const { storeDeadlineMs } = functionEnvironment({});

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** How long a client may wait for a response, even if the store does not respond. */
const answerWithinMs = 2500;
/** The time for the rest of a request and for the transfer of its response. */
const reserveMs = 500;

const connectWith = (timeouts: typeof requestTimeouts) =>
  connectStore(world.store.tableName, timeouts, clientConfigOf(world.proxy.endpoint));

/** Returns the error of a read that fails. */
const failureOf = ({ send, tableName }: typeof world.store): Promise<unknown> => {
  const command = new GetCommand({ TableName: tableName('ApiKeys'), Key: { companyId: 'nobody', sk: 'nothing' } });
  return send(command).then(
    () => 'none',
    (error) => error,
  );
};

test('an attempt without a response in time is given up; after the last one the store is unavailable', async () => {
  injectFault(world, () => 'hang');
  const failure = await failureOf(connectWith({ ...patience.requestTimeouts, requestTimeout: 20 }).store);
  expect(failure).toMatchObject({ name: 'TimeoutError', $metadata: { attempts: maxAttempts } });
  expect(failure).toSatisfy(isStoreUnavailable);
});

describe('throttled attempts are counted', () => {
  const read = new GetCommand({ TableName: '', Key: { companyId: 'nobody', sk: 'nothing' } });

  test('once each, even if a later attempt succeeds, and logged with the next line of the process', async () => {
    const { store, takeThrottles } = connectWith(patience.requestTimeouts);
    const lines: string[] = [];
    const logLine = () =>
      writeEvent({ setting: () => 'test', log: (line) => void lines.push(line), takeThrottles }, 0, { outcome: 'x' });
    const TableName = store.tableName('ApiKeys');
    let attempts = 0;
    // Selected by the key: an attempt that the previous test has given up may arrive only now.
    injectFault(world, ({ input }) => (input.Key.sk.S === 'throttled' && attempts++ === 0 ? 'throttle' : undefined));
    await store.send(new GetCommand({ TableName, Key: { ...read.input.Key, sk: 'throttled' } }));
    expect(attempts).toBe(2);
    logLine();
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ StoreThrottles: 1, _aws: expect.anything() });
    logLine();
    expect(lines[1]).not.toContain('StoreThrottles');
  });

  test('in a transaction, and for a batch that leaves keys unprocessed', async () => {
    const { store, takeThrottles } = connectWith(patience.requestTimeouts);
    injectFault(world, () => 'unprocessed');
    const TableName = store.tableName('ApiKeys');
    await store.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [read.input.Key as object] } } }));
    expect(takeThrottles()).toBe(1);
    for (const Code of ['ThrottlingError', 'ProvisionedThroughputExceeded'])
      expect(isThrottle({ name: 'TransactionCanceledException', CancellationReasons: [{ Code }] })).toBe(true);
    expect(isThrottle({ name: 'TransactionCanceledException', CancellationReasons: [{ Code: 'None' }] })).toBe(false);
    expect(isThrottle(new Error('other'))).toBe(false);
  });
});

describe('the time-outs of functions', () => {
  test('leave time for a response', () => {
    expect(storeDeadlineMs).toBeLessThanOrEqual(answerWithinMs - reserveMs);
    expect(requestTimeouts.requestTimeout).toBeLessThan(storeDeadlineMs);
  });

  test('end a read of a store that hangs, and not before their time', campaign, async ({ annotate }) => {
    const { store } = connectWith(requestTimeouts);
    injectFault(world, () => 'hang');
    const durationsMs: number[] = [];
    for (let turn = 0; turn < size({ test: 1, prove: 10 }); turn++) {
      const startMs = performance.now();
      expect(await failureOf(withDeadline(store, storeDeadlineMs))).toSatisfy(isStoreUnavailable);
      durationsMs.push(performance.now() - startMs);
    }
    await annotate(`${durationsMs.length} reads, the longest ${Math.round(Math.max(...durationsMs))} ms`);
    expect(Math.min(...durationsMs)).toBeGreaterThan(requestTimeouts.requestTimeout);
  });
});
