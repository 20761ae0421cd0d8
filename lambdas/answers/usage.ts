import { shownLimitedPaths } from '../api/limits.ts';
import type { Decision } from '../api/metrics.ts';
import { maxUsageKeys } from '../api/schemas/usage.ts';
import type { StoredApiKey } from '../domain/api-key.ts';
import { toTimestamp } from '../domain/time.ts';
import {
  type Counts,
  dayOf,
  isHour,
  type Period,
  startMsOf,
  sumOfCounts,
  topCounts,
  type Usage,
  usageByDay,
} from '../domain/usage.ts';
import { asOfMs, type UsageProgress } from '../domain/usage-progress.ts';

/** The grouping that the request asks for, and the stored data: the hours in order, and the keys of the company. */
type UsageParts = {
  readonly by: 'hour' | 'key' | undefined;
  readonly usages: ReadonlyMap<Period, Usage>;
  readonly progress: UsageProgress | undefined;
  readonly keys: readonly StoredApiKey[];
};

/** The usage of a company in a response: by operation and day or hour, or by key. */
export const usageBody = ({ by, usages, progress, keys }: UsageParts) => {
  const byDay = usageByDay(usages);
  const limitedPaths = topCounts(
    sumOfCounts([...byDay.values()].map((usage) => usage.limitedPaths)),
    shownLimitedPaths,
  );
  const shown = by === 'hour' ? [...usages].filter(([period]) => isHour(period)) : by === 'key' ? [] : [...byDay];
  return {
    asOf: progress ? toTimestamp(asOfMs(progress)) : null,
    items: shown.flatMap(([period, { counts }]) => usageItems(period, counts)),
    mostLimitedPaths: Object.entries(limitedPaths).map(([name, limited]) => {
      const [operation = '', ratePolicy = '', path = ''] = name.split(' ');
      return { operation, path, ratePolicy, limited };
    }),
    keys:
      by === 'key'
        ? usedKeys(usages, keys)
        : lastUsedFirst(keys.map(({ keyId, lastUsedOn }) => ({ keyId, lastUsedOn }))),
  };
};

const lastUsedFirst = <Key extends { readonly lastUsedOn: string | null }>(keys: readonly Key[]): Key[] =>
  keys.toSorted((one, other) => ((one.lastUsedOn ?? '') < (other.lastUsedOn ?? '') ? 1 : -1));

/** Each key with its requests: existing keys first, then deleted keys that were used in the period. */
const usedKeys = (usages: ReadonlyMap<Period, Usage>, keys: readonly StoredApiKey[]) => {
  const requests = sumOfCounts([...usages.values()].map((usage) => usage.keys ?? {}));
  const lastHours = new Map(
    [...usages].flatMap(([hour, usage]) =>
      Object.keys(usage.keys ?? {}).map((name) => [name.split(' ')[0] ?? '', hour] as const),
    ),
  );
  const known = new Set(keys.map(({ keyId }) => keyId));
  const ofKey = (keyId: string, label: string | null, lastUsedOn: string | null) => {
    const lastHour = lastHours.get(keyId);
    const countOf = (decision: Decision) => requests[`${keyId} ${decision}`] ?? 0;
    return {
      keyId,
      label,
      lastUsedOn,
      lastHour: lastHour === undefined ? null : toTimestamp(startMsOf(lastHour)),
      requests: {
        allowed: countOf('allowed'),
        limited: countOf('limited'),
        refused: countOf('refused'),
        failed: countOf('failed'),
      },
    };
  };
  const there = lastUsedFirst(keys.map(({ keyId, label, lastUsedOn }) => ofKey(keyId, label, lastUsedOn)));
  const gone = [...lastHours].flatMap(([keyId, hour]) => (known.has(keyId) ? [] : [ofKey(keyId, null, dayOf(hour))]));
  return [...there, ...gone.toSorted((one, other) => ((one.lastHour ?? '') < (other.lastHour ?? '') ? 1 : -1))].slice(
    0,
    maxUsageKeys,
  );
};

const usageItems = (period: Period, counts: Counts) => {
  const when = { day: dayOf(period), ...(isHour(period) && { hour: toTimestamp(startMsOf(period)) }) };
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
        ...when,
        operation,
        allowed,
        limited: countsOf('limited'),
        refused: countsOf('refused'),
        failed: countsOf('failed'),
      };
    });
};
