import assert from 'node:assert/strict';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import { endMsOf, unpackUsage } from '../../../../lambdas/domain/usage.ts';
import type { UsageProgress } from '../../../../lambdas/domain/usage-progress.ts';
import { handler } from '../../../../lambdas/jobs/recordUsage.ts';
import type { QueryLogPages } from '../../../../lambdas/runtime/log-queries.ts';
import { createProcessMemory } from '../../../../lambdas/runtime/process-memory.ts';
import { rowsOf, type Tables } from '../../../../test/support/memory-store/tables.ts';
import type { Scenario } from '../scenario.ts';

const timeOn = (day: number, time: string) => Date.parse(`2036-03-${day}T${time}Z`);

/** Requests of one company, each with the time from which the log shows its line. */
const lines = [
  { timestamp: '2036-03-10T23:40:00Z', seenAtMs: timeOn(10, '23:40:01') },
  // Late for the hourly count, and counted when the hour is settled.
  { timestamp: '2036-03-10T23:41:00Z', seenAtMs: timeOn(11, '00:30:00') },
  { timestamp: '2036-03-11T01:10:00Z', seenAtMs: timeOn(11, '01:10:01') },
  { timestamp: '2036-03-11T01:59:59Z', seenAtMs: timeOn(11, '02:03:00') },
  { timestamp: '2036-03-11T02:02:00Z', seenAtMs: timeOn(11, '02:02:01') },
];

const lateEvening = timeOn(10, '23:50:00');
/** From two o'clock on, a run settles the last hour of the previous day. */
const [early, late] = [timeOn(11, '02:01:00'), timeOn(11, '02:04:00')];

/** The log as it is when a run begins: later lines belong to hours that the next run counts. */
const logAt = (nowMs: number): QueryLogPages =>
  async function* (query) {
    const [, period = 'none'] = /\/\^(\S+)\//.exec(query) ?? [];
    const counted = lines.filter(({ timestamp, seenAtMs }) => timestamp.startsWith(period) && seenAtMs <= nowMs);
    const common = { companyId: 'acme', operation: 'getContract', decision: 'allowed' };
    if (counted.length > 0) yield [{ ...common, requests: String(counted.length) }];
  };

const runAt = (nowMs: number) => (store: Store) =>
  handler.withEnvironment({
    store,
    storeDeadlineMs: Number.POSITIVE_INFINITY,
    memory: createProcessMemory(),
    processTimeMs: () => nowMs,
    setting: (name) => (name === 'logRetentionDays' ? 90 : '-') as never,
    log: () => undefined,
    queryLog: logAt(nowMs),
  })(undefined, undefined);

type Row = { readonly usage: Uint8Array; readonly countedAtMs: number };

const progressIn = (tables: Tables) => rowsOf(tables, 'Usage').get('-\0progress') as UsageProgress | undefined;

const countIn = (tables: Tables, period: string): number | undefined =>
  usageIn(rowsOf(tables, 'Usage').get(`acme\0${period}`) as Row | undefined)?.counts['getContract allowed'];

const usageIn = (row: Row | undefined) => row && unpackUsage(row.usage);

/** Partners see at least the requests that were counted up to the time in the progress row. */
const nothingIsMissing = (tables: Tables): void => {
  const { countedMs = 0, settledMs = 0, failed = {} } = progressIn(tables) ?? {};
  const seen = lines.filter(({ seenAtMs }) => seenAtMs <= countedMs);
  for (const [hour, ofHour] of Map.groupBy(seen, ({ timestamp }) => timestamp.slice(0, 13))) {
    // A later run counts it. Until then, asOf is not after the beginning of the hour.
    if (Object.hasOwn(failed, hour)) continue;
    const isSettled = endMsOf(hour) <= settledMs;
    // Late lines are missing until their hour is settled.
    const inTime = ofHour.filter(({ timestamp, seenAtMs }) => isSettled || seenAtMs <= Date.parse(timestamp) + 300_000);
    const counted = countIn(tables, hour) ?? 0;
    assert(counted >= inTime.length, `of ${hour}, ${counted} of ${inTime.length} requests are counted`);
  }
};

const neverFalls = (before: Tables, after: Tables): void => {
  const [old, young] = [rowsOf(before, 'Usage'), rowsOf(after, 'Usage')];
  for (const [key, row] of old)
    assert(
      (young.get(key) as Row).countedAtMs >= (row as Row).countedAtMs,
      `${key.replace('\0', ' ')} is of an earlier run again`,
    );
};

export const usageScenarios: readonly Scenario[] = [
  {
    name: 'a run that counts requests, and the next one, which begins before it has ended',
    guarantee: 'everything up to the progress time is counted, and the counts of the later run stay',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store) => {
      await runAt(lateEvening)(store);
      return {
        operations: { early: runAt(early), late: runAt(late) },
        afterEach: (before, after) => {
          neverFalls(before, after);
          nothingIsMissing(after);
        },
        atEnd: ({ tables, outcomes, isUndisturbed }) => {
          if (outcomes.late?.kind !== 'ended') return;
          // A write that arrives twice may set the progress back to that of its own run; the next run then counts more hours
          // again.
          if (isUndisturbed) assert.equal(progressIn(tables)?.countedMs, late);
          assert.deepEqual(
            ['2036-03-10T23', '2036-03-11T01', '2036-03-11T02'].map((period) => countIn(tables, period)),
            [2, 2, 1],
          );
        },
      };
    },
  },
];
