import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type ServedStack, UserFacingError } from 'serve-stack';
import type { ConsumerName } from '../../lambdas/api/background-functions.ts';
import { type DoneOutcome, doneOutcomes, waitingOutcomes } from '../../lambdas/api/inbound-events/inbound-event.ts';

/** Says how the service has processed a message of a queue, when it has. */
export type OutcomeOf = (eventId: string) => Promise<DoneOutcome>;

const lookEveryMs = 50;

/** A consumer that is started by its first message takes a second or two. */
const patienceMs = 30_000;

/**
 * Reads from the log of a consumer what became of messages that are sent after this call. Throws a sentence if one was
 * refused, or if nothing of it is in the log in time.
 */
export const outcomesIn = (served: ServedStack, consumer: ConsumerName): OutcomeOf => {
  const file = join(served.logsDirectory, `${served.version().stack.name}-${consumer}.log`);
  const begin = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return async (eventId) => {
    for (const endMs = performance.now() + patienceMs; performance.now() < endMs; await wait(lookEveryMs)) {
      const outcome = outcomeIn(file, begin, eventId);
      const done = doneOutcomes.find((each) => each === outcome);
      if (done) return done;
      if (outcome !== undefined && !isRepeated(outcome))
        throw new UserFacingError(`The service has refused the event (${outcome}). ${file} says more.`);
    }
    throw new UserFacingError(
      `The event was sent, and was not processed within ${patienceMs / 1000} s. ${file} says more.`,
    );
  };
};

/** Whether such a message comes again by itself. */
const isRepeated = (outcome: string) => outcome === 'failed' || waitingOutcomes.some((each) => each === outcome);

type Line = { readonly eventId?: string; readonly eventIds?: readonly string[]; readonly outcome?: string };

const outcomeIn = (file: string, begin: number, eventId: string): string | undefined => {
  if (!statSync(file, { throwIfNoEntry: false })) return undefined;
  const lines = readFileSync(file).subarray(begin).toString().split('\n').slice(0, -1);
  const found = lines.filter((line) => line.includes(eventId)).map((line) => JSON.parse(line) as Line);
  return found.findLast((line) => line.eventId === eventId || line.eventIds?.includes(eventId))?.outcome;
};
