import { purgeRunMinutes } from '../api/limits.ts';
import type { FeedPurgeEvent } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import { findGone, removeGone } from '../data/feed/purge.ts';
import { duePurges, endPurge, keepPurge, type PurgeNote } from '../data/feed/purge-notes.ts';
import type { Store } from '../data/store/store.ts';
import { isPastForGood } from '../domain/feed-event.ts';
import type { FunctionEnvironment } from '../runtime/function-environment.ts';
import { faultFields, writeEvent } from '../runtime/log-lines.ts';

const operation = 'purgeFeeds';
type Content = EventContent<FeedPurgeEvent>;

/** After this time, a run stores its position and stops; the next run continues. */
const runMs = purgeRunMinutes * 60_000;

/**
 * Removes from the rows of feeds what owners have withdrawn: events that can never be shown again. It can run any number of
 * times, also concurrently, and can fail at any point: the next run continues. A company whose feed cannot be read does not
 * block the others.
 */
export const purgeFeeds = async (environment: FunctionEnvironment): Promise<void> => {
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
      for (const [companyId, companyNotes] of Map.groupBy(notes, (note) => note.companyId))
        await purge(companyId, companyNotes).catch((fault: unknown) => void faults.push(fault));
  } catch (fault) {
    faults.push(fault);
  }
  const [fault] = faults;
  const outcome = fault === undefined ? { level: 'INFO' as const } : { level: 'ERROR' as const, ...faultFields(fault) };
  writeEvent(environment, startMs, { operation, ...counts, ...outcome } satisfies Content);
  if (fault !== undefined) throw fault;
};

/**
 * Processes a company's feed once, for those of its notes that have progressed furthest. The other notes wait for the next
 * run: if each note restarted the feed, a feed that takes longer than a run would never be finished.
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
