import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type ServedStack, UserFacingError } from 'serve-stack';
import type { ConsumerName } from '../../lambdas/api/background-functions.ts';
import { type DoneOutcome, doneOutcomes, waitingOutcomes } from '../../lambdas/api/inbound-events/inbound-event.ts';

/** Resolves to the outcome of a queue message once the service has processed it. */
type OutcomeOf = (eventId: string) => Promise<DoneOutcome>;

const lookEveryMs = 50;

/** Generous: a consumer's first message starts its process, which takes a second or two. */
const patienceMs = 30_000;

/**
 * Reads the outcomes of messages that are sent after this call from a consumer's log. Throws UserFacingError if one was
 * refused, or if the log has no outcome of it within 30 seconds.
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
        throw new UserFacingError(`The service refused the event (${outcome}). See ${file}.`);
    }
    throw new UserFacingError(`The event was sent but not processed within ${patienceMs / 1000} s. See ${file}.`);
  };
};

/** Whether the queue delivers a message with this outcome again. */
const isRepeated = (outcome: string) => outcome === 'failed' || waitingOutcomes.some((each) => each === outcome);

type Line = { readonly eventId?: string; readonly eventIds?: readonly string[]; readonly outcome?: string };

const outcomeIn = (file: string, begin: number, eventId: string): string | undefined => {
  if (!statSync(file, { throwIfNoEntry: false })) return undefined;
  const lines = readFileSync(file).subarray(begin).toString().split('\n').slice(0, -1);
  const written = JSON.stringify(eventId);
  const found = lines.filter((line) => line.includes(written)).map((line) => JSON.parse(line) as Line);
  return found.findLast((line) => line.eventId === eventId || line.eventIds?.includes(eventId))?.outcome;
};
