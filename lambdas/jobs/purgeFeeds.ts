import { purgeRunMinutes } from '../api/limits.ts';
import type { FeedPurgeEvent } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import { findGone, removeGone } from '../data/feed/purge.ts';
import { duePurges, endPurge, keepPurge, type PurgeNote } from '../data/feed/purge-notes.ts';
import { functionEnvironment, lambdaHandler } from '../data/function-environment.ts';
import type { Store } from '../data/store/store.ts';
import { isPastForGood } from '../domain/feed-event.ts';
import { faultFields, writeEvent } from '../domain/log-events.ts';

const operation = 'purgeFeeds';
type Content = EventContent<FeedPurgeEvent>;

/** A run that has gone on for so long keeps where it is, and the next one goes on. */
const runMs = purgeRunMinutes * 60_000;

/**
 * Removes from the rows of feeds what owners have taken back: the events that nobody is shown any more. It may run any number
 * of times, also at once, and may die anywhere: what one run leaves undone the next one does, and a company whose feed cannot
 * be read holds up no other.
 */
export const handler = lambdaHandler(
  functionEnvironment(process.env),
  async (_event: unknown, environment): Promise<void> => {
    const { store, processTimeMs } = environment;
    const startMs = processTimeMs();
    const counts = { companies: 0, removed: 0, unfinished: 0 };
    const faults: unknown[] = [];
    const purge = async (companyId: string, notes: readonly PurgeNote[]) => {
      counts.companies++;
      const isLate = () => processTimeMs() >= startMs + runMs;
      const { removed, isDone } = await purgeCompany(store, companyId, notes, isLate);
      counts.removed += removed;
      if (!isDone) counts.unfinished++;
    };
    try {
      for await (const notes of duePurges(store, startMs))
        for (const [companyId, ofCompany] of Map.groupBy(notes, (note) => note.companyId))
          await purge(companyId, ofCompany).catch((fault: unknown) => void faults.push(fault));
    } catch (fault) {
      faults.push(fault);
    }
    const [fault] = faults;
    const outcome =
      fault === undefined ? { level: 'INFO' as const } : { level: 'ERROR' as const, ...faultFields(fault) };
    writeEvent(environment, startMs, { operation, ...counts, ...outcome } satisfies Content);
    if (fault !== undefined) throw fault;
  },
);

/**
 * Goes through a feed once for those of its notes that have come furthest. The others wait for the next run: if each note began
 * it anew, nobody would come to the end of a feed that takes longer than a run.
 */
const purgeCompany = async (
  store: Store,
  companyId: string,
  notes: readonly PurgeNote[],
  isLate: () => boolean,
): Promise<{ readonly removed: number; readonly isDone: boolean }> => {
  const afterSeq = Math.max(...notes.map((note) => note.afterSeq));
  const furthest = notes.filter((note) => note.afterSeq === afterSeq);
  const userIds = new Set(furthest.map(({ userId }) => userId));
  let removed = 0;
  for await (const { lastSeq, gone } of findGone(store, { companyId, userIds }, isPastForGood, afterSeq)) {
    for (const each of gone) removed += await removeGone(store, companyId, each);
    if (!isLate()) continue;
    for (const note of furthest) await keepPurge(store, note, lastSeq);
    return { removed, isDone: false };
  }
  for (const note of furthest) await endPurge(store, note);
  return { removed, isDone: furthest.length === notes.length };
};
