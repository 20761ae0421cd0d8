import { shownLimitedPaths } from '../api/limits.ts';
import type { Decision } from '../api/metrics.ts';
import type { StoredApiKey } from '../domain/api-key.ts';
import { toTimestamp } from '../domain/time.ts';
import { added, type Counts, highest, type Period, type Usage } from '../domain/usage.ts';
import { asOfMs, type UsageProgress } from '../domain/usage-progress.ts';

/** The counts of a company as it sees them, by day and operation, of the days that were read. */
export const usageBody = (
  byDay: ReadonlyMap<Period, Usage>,
  progress: UsageProgress | undefined,
  keys: readonly StoredApiKey[],
) => {
  const limitedPaths = highest(added([...byDay.values()].map((usage) => usage.limitedPaths)), shownLimitedPaths);
  return {
    asOf: progress ? toTimestamp(asOfMs(progress)) : null,
    items: [...byDay].flatMap(([day, { counts }]) => usageItems(day, counts)),
    mostLimitedPaths: Object.entries(limitedPaths).map(([name, limited]) => {
      const [operation = '', ratePolicy = '', path = ''] = name.split(' ');
      return { operation, path, ratePolicy, limited };
    }),
    keys: keys
      .map(({ keyId, lastUsedOn }) => ({ keyId, lastUsedOn }))
      .sort((one, other) => ((one.lastUsedOn ?? '') < (other.lastUsedOn ?? '') ? 1 : -1)),
  };
};

const usageItems = (day: Period, counts: Counts) => {
  const named = Object.entries(counts).map(([name, requests]) => ({ parts: name.split(' '), requests }));
  const byOperation = Map.groupBy(named, ({ parts: [operation = ''] }) => operation);
  return [...byOperation]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([operation, outcomes]) => {
      const countsOf = (wanted: Decision) =>
        Object.fromEntries(
          outcomes.flatMap(({ parts: [, decision, detail = ''], requests }) =>
            decision === wanted ? [[detail, requests]] : [],
          ),
        );
      const allowed =
        outcomes.find(({ parts: [, decision] }) => decision === ('allowed' satisfies Decision))?.requests ?? 0;
      return {
        day,
        operation,
        allowed,
        ...{ limited: countsOf('limited'), refused: countsOf('refused'), failed: countsOf('failed') },
      };
    });
};
