import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { RateLimit } from '../api/rate-classes.ts';
import {
  arrivalAfterSpendingMs,
  latestAdmissibleArrivalMs,
  recordExpiresAtSeconds,
  retryAfterMs,
} from '../domain/token-bucket.ts';
import { tableName } from './environment.ts';
import type { Store } from './store.ts';
import { StoreUnavailableError } from './store-errors.ts';

/** A request's wish for one token of a bucket. */
export type Spending = {
  readonly bucketId: string;
  readonly limit: RateLimit;
  readonly nowMs: number;
};

/** The arrival time is the one after the token was spent, or the one that refused it. */
export type Decision = { readonly admitted: boolean; readonly arrivalMs: number };

/**
 * Decides exactly, in at most two writes, and in none where `seenArrivalMs` (of an earlier, possibly stale read) already
 * refuses: arrival only grows, so a stale one can steer to the wrong form or refuse, but never admit. Each form is one
 * atomic conditional write; their conditions are disjoint and together say when a token is there.
 * Throws where the store fails: nothing is admitted unchecked.
 */
export const spendToken = async (store: Store, spending: Spending, seenArrivalMs: number): Promise<Decision> => {
  if (isRefusing(spending, seenArrivalMs)) return { admitted: false, arrivalMs: seenArrivalMs };

  // Tells our own write, whose answer was lost, from somebody else's. API Gateway's request id will not do: a client can
  // choose it, and would be taken for having paid.
  const writeId = randomUUID();
  const isIdle = seenArrivalMs <= spending.nowMs;
  const firstWrite = await write(store, spending, writeId, isIdle ? idleForm(spending) : busyForm(spending));
  if (isDecided(spending, firstWrite)) return firstWrite;

  const secondWrite = await write(store, spending, writeId, isIdle ? busyForm(spending) : idleForm(spending));
  if (isDecided(spending, secondWrite)) return secondWrite;
  throw new StoreUnavailableError(
    `Bucket ${spending.bucketId} changed between two writes in a way that arrival cannot.`,
  );
};

/** A write that was not admitted decides too if the arrival time that it met refuses; else the other form's turn has come. */
const isDecided = (spending: Spending, { admitted, arrivalMs }: Decision) =>
  admitted || isRefusing(spending, arrivalMs);

const isRefusing = ({ nowMs, limit }: Spending, arrivalMs: number) => retryAfterMs(arrivalMs, nowMs, limit) > 0;

/** The bucket is full: there is no record, or its arrival time has passed. */
const idleForm = ({ nowMs, limit }: Spending): Form => ({
  UpdateExpression: 'SET tat = :next, rid = :rid, expiresAt = :expiresAt',
  ConditionExpression: 'attribute_not_exists(bucketId) OR tat <= :now',
  ExpressionAttributeValues: { ':now': nowMs, ':next': arrivalAfterSpendingMs(0, nowMs, limit) },
});

/** The bucket is not full, and holds a token. */
const busyForm = ({ nowMs, limit }: Spending): Form => ({
  UpdateExpression: 'SET tat = tat + :interval, rid = :rid, expiresAt = :expiresAt',
  ConditionExpression: 'tat > :now AND tat <= :latest AND rid <> :rid',
  ExpressionAttributeValues: {
    ':now': nowMs,
    ':interval': limit.refillIntervalMs,
    ':latest': latestAdmissibleArrivalMs(nowMs, limit),
  },
});

type Form = {
  readonly UpdateExpression: string;
  readonly ConditionExpression: string;
  readonly ExpressionAttributeValues: Readonly<Record<string, number>>;
};

const write = async (
  store: Store,
  { bucketId, limit, nowMs }: Spending,
  writeId: string,
  form: Form,
): Promise<Decision> => {
  try {
    const { Attributes } = await store.send(
      new UpdateCommand({
        TableName: tableName('TokenBuckets'),
        Key: { bucketId },
        ...form,
        ExpressionAttributeValues: {
          ...form.ExpressionAttributeValues,
          ':rid': writeId,
          ':expiresAt': recordExpiresAtSeconds(nowMs, limit),
        },
        ReturnValues: 'UPDATED_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { admitted: true, arrivalMs: Attributes?.tat };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // The document client leaves the items of errors as they came.
    const old = error.Item && unmarshall(error.Item);
    return { admitted: old?.rid === writeId, arrivalMs: old?.tat ?? 0 };
  }
};
