import { createCloudWatch } from 'serve-stack/cloudwatch';
import { createResolver, loadStack } from 'serve-stack/template';
import { beforeAll, expect, test } from 'vitest';
import { type JobName, jobsOfDeployment } from '../../../lambdas/api/background-functions.ts';
import { appWith, fullConfig } from '../synthesized.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const toMs = Date.parse('2036-03-10T12:00:00Z');

let stack: ReturnType<typeof loadStack>;
beforeAll(async () => {
  stack = loadStack((await appWith(fullConfig)).synth().directory);
});

/** A job's history, by minutes before now: its runs, the failed ones, and its measurements. */
type Course = {
  readonly runs?: readonly number[];
  readonly failures?: readonly number[];
  readonly measured?: readonly (readonly [minutesAgo: number, value: number])[];
};

type JobAlarm = {
  readonly alarm: string;
  /** The own metric that the job writes. */
  readonly metric?: string;
  readonly rings: Readonly<Record<string, Course>>;
  readonly isQuiet: Readonly<Record<string, Course>>;
};

/** Returns minutes before now, at an interval, over a number of hours. */
const every = (minutes: number, hours: number, since = 0): number[] =>
  Array.from({ length: (hours * 60) / minutes }, (_, index) => since + index * minutes + 1);

const measuring = (value: number, minutesAgo: readonly number[]) => minutesAgo.map((each) => [each, value] as const);

/** When the alarm of each job goes into ALARM. A single error may be over, since another run followed, but still alarms. */
const alarms: Readonly<Record<JobName, JobAlarm>> = {
  watchKeyExpiry: {
    alarm: 'key-watch',
    rings: { 'one run of the day that fails': { runs: [20], failures: [20] } },
    isQuiet: { 'a run that ends well': { runs: [20], failures: [] } },
  },
  purgeFeeds: {
    alarm: 'feed-purge',
    rings: { 'one run of six hours that fails': { runs: [20], failures: [20] } },
    isQuiet: { 'a run that ends well': { runs: [20], failures: [] } },
  },
  recordUsage: {
    alarm: 'usage',
    rings: {
      'all runs of an hour that fail': { runs: every(15, 2), failures: every(15, 2) },
      'no run in an hour': { runs: every(15, 1, 75) },
    },
    isQuiet: {
      'two of four runs that fail': { runs: every(15, 2), failures: [1, 16] },
      'runs that end well': { runs: every(15, 2), failures: [] },
    },
  },
  sweepWebhookMessages: {
    alarm: 'webhook-messages-late',
    metric: 'OldestWebhookMessageMs',
    rings: {
      'a message that is due for more than five minutes': { measured: measuring(300_001, every(1, 1)) },
      'no run in ten minutes': { measured: measuring(0, every(1, 1, 15)) },
    },
    isQuiet: {
      'a message that is due for five minutes': { measured: measuring(300_000, every(1, 1)) },
      'a late message that was sent since': { measured: [...measuring(0, every(1, 1)), [4, 400_000]] },
    },
  },
  dropExpiredChanges: {
    alarm: 'audit-write-failures',
    metric: 'AuditWriteFailures',
    rings: { 'a run that fails': { measured: [[2, 1]] } },
    isQuiet: { 'runs that end well, and write no value': { measured: [] } },
  },
  watchMacKeys: {
    alarm: 'mac-keys',
    metric: 'MacKeysUnusable',
    rings: {
      'a key that cannot be used': { measured: measuring(1, every(60, 6)) },
      'no run in three hours': { measured: measuring(0, every(60, 6, 240)) },
    },
    isQuiet: {
      'keys that can be used': { measured: measuring(0, every(60, 6)) },
      'a key that was enabled again since': { measured: [[1, 0], ...measuring(1, every(60, 6, 60))] },
    },
  },
};

const rows = (kind: 'rings' | 'isQuiet') =>
  Object.entries(alarms).flatMap(([job, row]) =>
    Object.entries(row[kind]).map(([name, course]) => [job, row.alarm, name, course, row.metric] as const),
  );

const stateOf = (
  job: string,
  alarm: string,
  { runs = [], failures = [], measured = [] }: Course,
  metric = '',
): string => {
  const cloudWatch = createCloudWatch({
    template: stack.template,
    resolve: createResolver(stack, { tablePrefix: '' }),
  });
  const put = (
    namespace: string,
    name: string,
    dimensions: Record<string, string>,
    value: number,
    minutesAgo: number,
  ) => cloudWatch.putMetric({ namespace, name, dimensions, value, atMs: toMs - minutesAgo * minuteMs });
  const FunctionName = `${stack.name}-${job}`;
  for (const minutesAgo of runs) put('AWS/Lambda', 'Invocations', { FunctionName }, 1, minutesAgo);
  for (const minutesAgo of runs)
    put('AWS/Lambda', 'Errors', { FunctionName }, failures.includes(minutesAgo) ? 1 : 0, minutesAgo);
  for (const [minutesAgo, value] of measured) put(stack.name, metric, {}, value, minutesAgo);
  const found = cloudWatch
    .alarms({ fromMs: toMs - 12 * hourMs, toMs })
    .find(({ name }) => name === `${stack.name}-${alarm}`);
  return found?.state ?? 'no such alarm';
};

const remedyFor = (alarm: string): string =>
  `Correct metric, threshold, periods or treatMissingData of the alarm ${alarm} in infra/monitoring/alarms/, or what test/infra/monitoring/job-alarms.infra.test.ts expects of it.`;

test('a deployment runs exactly the jobs whose alarms ring without any run', () => {
  const ringing = Object.entries(alarms).flatMap(([job, { alarm }]) =>
    stateOf(job, alarm, {}) === 'ALARM' ? [job] : [],
  );
  expect(ringing.toSorted(), remedyFor('of a job')).toEqual(jobsOfDeployment.toSorted());
});

test.each(jobsOfDeployment)('%s ends its alarm with its first run', (job) => {
  const { alarm, metric } = alarms[job];
  expect(stateOf(job, alarm, { runs: [2], measured: [[2, 0]] }, metric)).toBe('OK');
});

test.each(rows('rings'))('%s rings %s for %s', (job, alarm, _, course, metric) => {
  expect(stateOf(job, alarm, course, metric), remedyFor(alarm)).toBe('ALARM');
});

test.each(rows('isQuiet'))('%s does not ring %s for %s', (job, alarm, _, course, metric) => {
  expect(stateOf(job, alarm, course, metric), remedyFor(alarm)).toBe('OK');
});
