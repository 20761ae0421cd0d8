import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { RatePolicy } from '../api/limits.ts';
import {
  arrivalAfterConsumingMs,
  latestAdmissibleArrivalMs,
  recordExpiresAtSeconds,
  retryAfterMs,
} from '../domain/token-bucket.ts';
import { StoreUnavailableError } from './store/attempts.ts';
import type { Store } from './store/store.ts';
import { type GuardedWrite, putIf, updateIf } from './store/writes.ts';

/** A request for one token of a bucket. */
type TokenRequest = {
  readonly bucketId: string;
  readonly limit: RatePolicy;
  readonly nowMs: number;
};

/** `arrivalMs` is the arrival time after the token was spent, or the one for which the request was refused. */
export type TokenDecision = { readonly admitted: boolean; readonly arrivalMs: number };

/**
 * Decides exactly, with at most two writes, and with none if `seenArrivalMs` (of an earlier, possibly stale read) already
 * refuses: arrival only grows, so a stale one can select the wrong form or refuse, but never admit. Each form is one atomic
 * conditional write; their conditions are disjoint, and one of them holds if and only if the bucket has a token. Throws if the
 * store fails: nothing is admitted unchecked.
 */
export const consumeToken = async (
  store: Store,
  tokenRequest: TokenRequest,
  seenArrivalMs: number,
): Promise<TokenDecision> => {
  if (isRefusing(tokenRequest, seenArrivalMs)) return { admitted: false, arrivalMs: seenArrivalMs };

  // Distinguishes our own write, whose response was lost, from another request's; request ids cannot, since clients can choose
  // them.
  const writeId = randomUUID();
  const forms =
    seenArrivalMs <= tokenRequest.nowMs ? [consumeIfFull, consumeIfNotFull] : [consumeIfNotFull, consumeIfFull];
  for (const write of forms) {
    const { isApplied, item } = await write(store, tokenRequest, writeId);
    const decision = { admitted: isApplied || item?.rid === writeId, arrivalMs: Number(item?.tat ?? 0) };
    // A write that does not admit decides, too, if the arrival time that it found refuses.
    if (decision.admitted || isRefusing(tokenRequest, decision.arrivalMs)) return decision;
  }
  throw new StoreUnavailableError(
    `Bucket ${tokenRequest.bucketId} changed between two writes in a way that arrival cannot.`,
  );
};

/** Returns the arrival time of a bucket, possibly stale; 0 if it has no record. */
export const readArrivalMs = async (store: Store, bucketId: string): Promise<number> => {
  const { Item } = await store.send(new GetCommand({ TableName: store.tableName('TokenBuckets'), Key: { bucketId } }));
  return Number(Item?.tat ?? 0);
};

const isRefusing = ({ nowMs, limit }: TokenRequest, arrivalMs: number) => retryAfterMs(arrivalMs, nowMs, limit) > 0;

type Write = (store: Store, tokenRequest: TokenRequest, writeId: string) => Promise<GuardedWrite>;

/** Applies if the bucket is full: there is no record, or its arrival time has passed. */
const consumeIfFull: Write = (store, { bucketId, limit, nowMs }, writeId) =>
  putIf(store, {
    TableName: store.tableName('TokenBuckets'),
    Item: {
      bucketId,
      tat: arrivalAfterConsumingMs(0, nowMs, limit),
      rid: writeId,
      expiresAt: recordExpiresAtSeconds(nowMs, limit),
    },
    ConditionExpression: 'attribute_not_exists(bucketId) OR tat <= :now',
    ExpressionAttributeValues: { ':now': nowMs },
  });

/** Applies if the bucket is not full, and holds a token. */
const consumeIfNotFull: Write = (store, { bucketId, limit, nowMs }, writeId) =>
  updateIf(store, 'TokenBuckets', {
    Key: { bucketId },
    UpdateExpression: 'SET tat = tat + :interval, rid = :rid, expiresAt = :expiresAt',
    ConditionExpression: 'tat > :now AND tat <= :latest AND rid <> :rid',
    ExpressionAttributeValues: {
      ':now': nowMs,
      ':interval': limit.refillIntervalMs,
      ':latest': latestAdmissibleArrivalMs(nowMs, limit),
      ':rid': writeId,
      ':expiresAt': recordExpiresAtSeconds(nowMs, limit),
    },
  });
