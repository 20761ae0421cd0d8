import { partition } from '../../../docs/generate/scale/quotas.ts';
import { storeDeadlineMs } from '../../../lambdas/data/function-environment.ts';
import { createPartition } from './partition.ts';

/** Items that a request reads consistently: a unit each. */
export type Item = 'key' | 'contract' | 'grant';

/** How many partitions the reads of each item are spread over, and whether contract and grants share theirs. */
export type Layout = Readonly<Record<Item, number>> & { readonly isContractWithGrants: boolean };

export type Outcome = {
  readonly served: number;
  /** 503 with Retry-After. The model knows no other refusal: an item that is throttled is not absent. */
  readonly unavailable: number;
  /** Reads that were refused, by item. */
  readonly throttled: Readonly<Record<Item, number>>;
};

type Request = { readonly arrivedAtMs: number; readonly attempt: number; readonly pending: readonly Item[] };

const items: readonly Item[] = ['key', 'contract', 'grant'];

/** As `batchGet` and `backOff` do: asked this often in all, with full jitter under a ceiling that doubles. */
const [maxAttempts, firstCeilingMs] = [4, 25];

const warmUpMs = 2000;

/**
 * One company whose requests come evenly, each for a gateway of many. A batch read takes what DynamoDB gives; what is left
 * over is asked for again, and after the last attempt the request is 503. Counts what arrives after the warm-up.
 */
export const simulateCompany = (
  requestsPerSecond: number,
  layout: Layout,
  random: () => number,
  durationMs = 5000,
): Outcome => {
  const spread = (count: number) => Array.from({ length: count }, () => createPartition(partition.readUnits));
  const partitions = { key: spread(layout.key), contract: spread(layout.contract), grant: spread(layout.grant) };
  if (layout.isContractWithGrants) partitions.grant = partitions.contract;
  const outcome = { served: 0, unavailable: 0, throttled: { key: 0, contract: 0, grant: 0 } };

  const read = (item: Item, nowMs: number): boolean => {
    const choices = partitions[item];
    return choices[Math.floor(random() * choices.length)]?.take(1, nowMs) ?? false;
  };

  // The clock goes by milliseconds; those who ask again come before those who arrive.
  const due = new Map<number, Request[]>();
  const serve = (request: Request, nowMs: number): void => {
    const isCounted = request.arrivedAtMs >= warmUpMs;
    const pending = request.pending.filter((item) => !read(item, nowMs));
    if (isCounted) for (const item of pending) outcome.throttled[item]++;
    if (pending.length === 0) {
      if (isCounted) outcome.served++;
      return;
    }
    const againAtMs = Math.ceil(nowMs + 1 + random() * firstCeilingMs * 2 ** request.attempt);
    const isLast = request.attempt + 1 === maxAttempts || againAtMs - request.arrivedAtMs > storeDeadlineMs;
    if (isLast && isCounted) outcome.unavailable++;
    if (!isLast)
      due.set(againAtMs, [...(due.get(againAtMs) ?? []), { ...request, attempt: request.attempt + 1, pending }]);
  };

  for (let nowMs = 0, arrived = 0; nowMs < durationMs || due.size > 0; nowMs++) {
    const waiting = due.get(nowMs) ?? [];
    due.delete(nowMs);
    for (const request of waiting) serve(request, nowMs);
    const untilNow = Math.floor((Math.min(nowMs + 1, durationMs) * requestsPerSecond) / 1000);
    for (; arrived < untilNow; arrived++) serve({ arrivedAtMs: nowMs, attempt: 0, pending: items }, nowMs);
  }
  return outcome;
};
