import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { StreamRecord } from '../dynamodb/stream-reader.ts';

export type GiveUpReason = 'RecordAgeExceeded' | 'RetryAttemptsExhausted';

/** How batches are passed to a function, and when failed batches are given up. */
export type StreamBatchOptions = {
  readonly batchSize: number;
  readonly bisects: boolean;
  readonly maxAgeMs: number;
  readonly maxRetries: number;
  /** Resolves to the sequence numbers of the records that have failed. */
  readonly invoke: (records: readonly StreamRecord[]) => Promise<ReadonlySet<string>>;
  /** Receives the records that are dropped, the reason, and the number of their invocations. */
  readonly giveUp: (records: readonly StreamRecord[], reason: GiveUpReason, invocations: number) => Promise<void>;
};

/**
 * Passes the wanted records to a function, in up to `lanes` concurrent batches; records of one item keep their order. Resolves,
 * once all batches have ended, to the number of records from the first on that are done.
 */
export const takeInLanes = async (
  records: readonly StreamRecord[],
  { lanes, isWanted }: { readonly lanes: number; readonly isWanted: (record: StreamRecord) => boolean },
  options: StreamBatchOptions,
  signal: AbortSignal,
): Promise<number> => {
  const wanted = [...records.keys()].filter((place) => isWanted(records[place] as StreamRecord));
  const places = Map.groupBy(wanted, (place) => laneOf(records[place], lanes));
  const left = await Promise.all(
    [...places.values()].map(async (ofLane) => {
      const inLane = ofLane.map((place) => records[place] as StreamRecord);
      return ofLane[await takeInBatches(inLane, options, signal)] ?? records.length;
    }),
  );
  return Math.min(...left, records.length);
};

/**
 * Returns the same lane for all records of one item. A stream does not mark the partition key, so all keys of the record count.
 */
const laneOf = (record: StreamRecord | undefined, lanes: number): number => {
  const keys = Object.entries(record?.dynamodb?.Keys ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(keys)).digest().readUInt32BE() % lanes;
};

const firstRestMs = 100;
const longestRestMs = 10_000;

/**
 * Passes records to a function as Lambda does, one batch after the other. A failed batch is retried from its first failed
 * record on, and in halves if `bisects` is set, until its retries or its time are over; then the next batch follows. Resolves
 * to the number of records that are done: all, unless `signal` was aborted.
 */
const takeInBatches = async (
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

export const createdAtMs = ({ dynamodb }: Pick<StreamRecord, 'dynamodb'>): number =>
  dynamodb?.ApproximateCreationDateTime?.getTime() ?? Date.now();

export const sequenceNumberOf = ({ dynamodb }: StreamRecord): string => dynamodb?.SequenceNumber ?? '';
