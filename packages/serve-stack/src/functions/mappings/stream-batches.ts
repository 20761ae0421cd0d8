import { setTimeout as wait } from 'node:timers/promises';
import type { StreamRecord } from '../../dynamodb/stream-reader.ts';
import { createdAtMs, sequenceNumberOf } from './stream-event.ts';

export type GiveUpReason = 'RecordAgeExceeded' | 'RetryAttemptsExhausted';

/** Says how a batch is handed to a function, and what becomes of one that the function cannot take. */
export type StreamBatchOptions = {
  readonly batchSize: number;
  readonly bisects: boolean;
  readonly maxAgeMs: number;
  readonly maxRetries: number;
  /** Resolves to the sequence numbers of the records that have failed. */
  readonly invoke: (records: readonly StreamRecord[]) => Promise<ReadonlySet<string>>;
  /** Told of records that are not handed on any more, after so many invocations. */
  readonly giveUp: (records: readonly StreamRecord[], reason: GiveUpReason, invocations: number) => Promise<void>;
};

const firstRestMs = 100;
const longestRestMs = 10_000;

/**
 * Hands records to a function as Lambda does, one batch after the other. A batch that fails is tried again, from its first
 * failed record on, and where asked for in halves, until its retries or its time are over; then those behind it follow.
 * Resolves to how many records are done with: all, unless it was to stop.
 */
export const takeInBatches = async (
  records: readonly StreamRecord[],
  options: StreamBatchOptions,
  signal: AbortSignal,
): Promise<number> => {
  let done = 0;
  while (done < records.length && !signal.aborted) {
    const batch = records.slice(done, done + options.batchSize);
    const taken = await takeBatch(batch, 0, options, signal);
    done += taken;
    if (taken < batch.length) break;
  }
  return done;
};

const takeBatch = async (
  batch: readonly StreamRecord[],
  retries: number,
  options: StreamBatchOptions,
  signal: AbortSignal,
): Promise<number> => {
  const { bisects, maxAgeMs, maxRetries, invoke, giveUp } = options;
  const expired = batch.filter((record) => Date.now() - createdAtMs(record) > maxAgeMs);
  if (expired.length > 0) await giveUp(expired, 'RecordAgeExceeded', retries);
  const current = batch.slice(expired.length);
  if (current.length === 0) return batch.length;

  const failed = await invoke(current);
  const firstFailed = current.findIndex((record) => failed.has(sequenceNumberOf(record)));
  if (firstFailed < 0) return batch.length;
  const before = expired.length + firstFailed;
  const rest = current.slice(firstFailed);
  const again = async (part: readonly StreamRecord[], attempts: number) => {
    await wait(Math.min(firstRestMs * 2 ** retries, longestRestMs), undefined, { signal }).catch(() => undefined);
    return signal.aborted ? 0 : takeBatch(part, attempts, options, signal);
  };

  if (bisects && rest.length > 1) {
    const half = Math.ceil(rest.length / 2);
    const taken = await again(rest.slice(0, half), retries);
    return before + taken + (taken < half ? 0 : await again(rest.slice(half), retries));
  }
  if (retries < maxRetries) return before + (await again(rest, retries + 1));
  await giveUp(rest, 'RetryAttemptsExhausted', retries + 1);
  return batch.length;
};
