import assert from 'node:assert/strict';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { ratePolicies } from '../../../../lambdas/api/limits.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import { consumeToken, type TokenDecision } from '../../../../lambdas/data/token-buckets.ts';
import { rowsOf, type Tables, withItems } from '../../../../test/support/memory-store/tables.ts';
import { startMs } from '../../../../test/support/world.ts';
import { answersOf, type Scenario } from '../scenario.ts';

const bucketId = 'a-bucket';
const limit = ratePolicies.gateway;

/** Reads the bucket as a request does, without consistency, and takes a token. */
const request = (nowMs: number) => async (store: Store) => {
  const { Item } = await store.send(new GetCommand({ TableName: store.tableName('TokenBuckets'), Key: { bucketId } }));
  return consumeToken(store, { bucketId, limit, nowMs }, Number(Item?.tat ?? 0));
};

const arrivalIn = (tables: Tables): number => Number(rowsOf(tables, 'TokenBuckets').get(bucketId)?.tat ?? 0);

/** Requests at these times on a bucket from which `spent` tokens were taken at the beginning. */
const requestsOn =
  (spent: number, times: readonly number[]): Scenario['arrange'] =>
  async (store) => {
    for (let token = 0; token < spent; token++)
      await consumeToken(store, { bucketId, limit, nowMs: startMs }, startMs + token * limit.refillIntervalMs);
    const refilled = Math.floor((Math.max(...times) - startMs) / limit.refillIntervalMs);
    const held = Math.min(times.length, limit.burst - spent + refilled);
    return {
      operations: Object.fromEntries(times.map((nowMs, index) => [`request ${index}`, request(nowMs)])),
      afterEach: (before, after) => assert(arrivalIn(after) >= arrivalIn(before), 'a spent token came back'),
      atEnd: (ending) => {
        const admitted = answersOf<TokenDecision>(ending).filter((decision) => decision.admitted).length;
        assert(admitted <= held, `${admitted} were admitted, and the bucket held ${held}`);
        const charged = (Math.max(arrivalIn(ending.tables), startMs) - startMs) / limit.refillIntervalMs - spent;
        if (new Set(times).size > 1) return;
        assert(charged >= admitted, `${admitted} were admitted, and ${charged} were charged`);
        if (ending.isUndisturbed) assert.deepEqual([admitted, charged], [held, held]);
      },
    };
  };

const later = startMs + limit.refillIntervalMs;

export const tokenBucketScenarios: readonly Scenario[] = [
  {
    name: 'two requests on a full bucket',
    guarantee: 'both are admitted, and each is charged',
    maxDisturbances: { prove: 2, full: 3 },
    arrange: requestsOn(0, [startMs, startMs]),
  },
  {
    name: 'two requests on a bucket that holds one token',
    guarantee: 'one is admitted, however stale their reads',
    maxDisturbances: { prove: 2, full: 2 },
    arrange: requestsOn(limit.burst - 1, [startMs, startMs]),
  },
  {
    name: 'three requests on a bucket that holds two tokens',
    guarantee: 'two are admitted, however stale their reads',
    maxDisturbances: { prove: 1, full: 1 },
    arrange: requestsOn(limit.burst - 2, [startMs, startMs, startMs]),
  },
  {
    name: 'three requests on an empty bucket, two of them when it has refilled one token',
    guarantee: 'at most one is admitted',
    maxDisturbances: { prove: 1, full: 1 },
    arrange: requestsOn(limit.burst, [startMs, later, later]),
  },
  {
    name: 'two requests on a bucket that has long been full, while the store removes its record',
    guarantee: 'no more are admitted than a full bucket holds',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store) => {
      for (let token = 0; token < limit.burst; token++)
        await consumeToken(store, { bucketId, limit, nowMs: startMs }, startMs);
      const nowMs = startMs + 3_600_000;
      return {
        operations: {
          'request 1': request(nowMs),
          'request 2': request(nowMs),
          'expiry of the record': (_, { turns, memory }) =>
            turns.wait('the record', () => {
              // DynamoDB removes no record that was written again in the meantime.
              const hasExpired = arrivalIn(memory.now()) < nowMs;
              const changes = hasExpired ? [{ table: 'TokenBuckets', key: bucketId, item: undefined }] : [];
              return [{ name: 'is removed', happen: () => memory.set(withItems(memory.now(), changes)) }];
            }),
        },
        atEnd: (ending) => {
          const decisions = answersOf<TokenDecision | undefined>(ending).filter((decision) => decision !== undefined);
          // A write that lost its answer may be charged twice if another write comes in between: too much, never too little.
          if (ending.isUndisturbed) for (const { admitted } of decisions) assert(admitted, 'a full bucket refused');
          assert(
            Math.max(arrivalIn(ending.tables), nowMs) >=
              nowMs + decisions.filter(({ admitted }) => admitted).length * limit.refillIntervalMs,
            'a token was not charged',
          );
        },
      };
    },
  },
];
