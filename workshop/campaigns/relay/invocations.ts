import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { handler } from '../../../lambdas/consumers/relayRequestedChanges.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import type { FifoMessage, SendToQueue } from '../../../lambdas/runtime/senders.ts';
import { createDone } from '../../../lambdas/runtime/set-aside.ts';
import { applianceRecord, unavailable } from '../../../test/support/feed.ts';
import { calmStore, type Memory } from '../../../test/support/memory-store/memory.ts';
import { rowsOf } from '../../../test/support/memory-store/tables.ts';
import { below } from '../../../test/support/random.ts';
import { startMs } from '../../../test/support/world.ts';

/** What happens at a step: its process dies before or after it, the queue rejects the message, or it succeeds. */
type Fate = 'dies-before' | 'dies-after' | 'refused' | 'done';

/** Invokes the relay with batches of the stream as Lambda does: again, until the relay reports a record as handled. */
export const openRelay = (memory: Memory, send: SendToQueue, random: () => number) => {
  const stream = openStream(memory);
  const store = calmStore(memory);
  const faults = { kills: 0, refusals: 0 };
  let isCalm = false;

  const fateOf = (): Fate => {
    const roll = isCalm ? 3 : below(random, 12);
    return (['dies-before', 'dies-after', 'refused'] as const)[roll] ?? 'done';
  };

  /** Returns whether there was a record to handle. */
  const invoke = async (): Promise<boolean> => {
    const batch = stream.nextBatch(1 + below(random, 10));
    if (batch.length === 0) return false;
    let isDead = false;
    const step = async <T>(run: () => Promise<T>, isOfQueue: boolean): Promise<T> => {
      if (isDead) throw unavailable('The process is dead.');
      const fate = fateOf();
      if (fate === 'refused' && isOfQueue) {
        faults.refusals++;
        throw unavailable('The queue takes no message.');
      }
      isDead = fate.startsWith('dies');
      if (isDead) faults.kills++;
      if (fate === 'dies-before') throw unavailable('The process dies.');
      return run();
    };
    const run = handler.withEnvironment({
      store: { ...store, send: ((command: never) => step(() => store.send(command), false)) as Store['send'] },
      send: (queue, message) => step(() => send(queue, message as FifoMessage), true),
      done: createDone(),
      // The only setting that the relay reads: the required version of the terms, which the owner has accepted.
      setting: (() => 3) as never,
      log: () => {},
      processTimeMs: () => startMs,
    });
    const answer = await run({ Records: [...batch] }, undefined);
    if (!isDead) stream.answered(batch, answer);
    return true;
  };

  return {
    invoke,
    /** Handles everything that is left, without faults. */
    drain: async (): Promise<void> => {
      isCalm = true;
      while (await invoke());
    },
    faults: faults as Readonly<typeof faults>,
  };
};

/**
 * The stream of Appliances: a record for each change of an item, in order, with both images. The reader receives a batch again
 * from the first record that its answer names, or the whole batch if it does not answer. `first` are records of before.
 */
export const openStream = ({ versions }: Memory, first: readonly DynamoDBRecord[] = []) => {
  const records = [...first];
  let seenVersions = 1;
  let next = 0;

  const readNew = (): void => {
    for (; seenVersions < versions.length; seenVersions++) {
      const [before, after] = [seenVersions - 1, seenVersions].map((index) =>
        rowsOf(versions[index] ?? {}, 'Appliances'),
      );
      for (const key of new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])) {
        const [old, changed] = [before?.get(key), after?.get(key)];
        if (old !== changed) records.push(applianceRecord(records.length, old, changed));
      }
    }
  };

  return {
    /** Returns the next records, at most `size`. */
    nextBatch: (size: number): readonly DynamoDBRecord[] => {
      readNew();
      return records.slice(next, next + size);
    },
    /** Continues after the records that the reader has handled. */
    answered: (batch: readonly DynamoDBRecord[], { batchItemFailures }: DynamoDBBatchResponse): void => {
      const failed = batchItemFailures.map(({ itemIdentifier }) => Number(itemIdentifier));
      next = Math.min(...failed, next + batch.length);
    },
  };
};
