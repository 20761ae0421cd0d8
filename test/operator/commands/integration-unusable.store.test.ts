import { createCloudWatch } from 'serve-stack/cloudwatch';
import { beforeAll, expect, test } from 'vitest';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { maxLogRows, type QueryLog } from '../../../lambdas/runtime/log-queries.ts';
import { eventLike, reportGateway, take } from '../../support/messages.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
const gatewayIds = ['gw-a', 'gw-b'] as const;
beforeAll(async () => {
  world = await openWorld();
  for (const gatewayId of gatewayIds) await reportGateway(world.store, gatewayId);
});

const minuteMs = 60_000;
const minutesAgo = (minutes: number) => startMs - minutes * minuteMs;

type Sent = readonly [minutesAgo: number, gatewayId: string, reported: object, id?: string];

/** Log lines of the consumer about reports of a circuit, as CloudWatch Logs returns them. */
const logOf = async (sent: readonly Sent[], others: readonly [number, object][] = []) => {
  const cloudWatch = createCloudWatch({
    template: { Resources: {} } as never,
    resolve: ((value: unknown) => value) as never,
  });
  const reports = sent.map(([minutes, subject, reported, id]): [number, object] => [
    minutes,
    eventLike('circuit.reported.v1', { subject, timeMs: minutesAgo(minutes), data: { reported }, ...(id && { id }) }),
  ]);
  for (const [minutes, event] of [...reports, ...others]) {
    const { lines } = await take('takeGatewayReports', [event], { arrivedAtMs: minutesAgo(minutes) });
    for (const message of lines) cloudWatch.putLogEvent({ logGroup: 'consumers', atMs: minutesAgo(minutes), message });
  }
  return (async (query, { fromMs, toMs }) => {
    const { columns, rows } = cloudWatch.queryLogs(query, ['consumers'], { fromMs, toMs: toMs + 1000 });
    return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? ''])));
  }) satisfies QueryLog;
};

const command = ['integration', 'unusable'];
const optionsWith = (consumers: QueryLog) => ({
  ...world,
  connection: { queryLog: { requests: async () => [], access: async () => [], consumers } },
});

const room = '/data/reported/roomTemperatureCelsius';

test('counts every unusable part separately, each gateway once, and shows the last one', async () => {
  const log = await logOf([
    [50, 'gw-a', { roomTemperatureCelsius: 6553.5 }],
    [40, 'gw-a', { roomTemperatureCelsius: 6553.5, supplyTemperatureCelsius: 'cold' }],
    [30, 'gw-b', { roomTemperatureCelsius: 6553.5 }, 'the-last'],
    [20, 'gw-b', { roomTemperatureCelsius: 21 }],
  ]);
  const { exit, output } = await operateForJson(command, optionsWith(log));
  expect(exit).toBe('ok');
  expect(output).toMatchObject({
    since: toTimestamp(startMs - 24 * 60 * minuteMs),
    hasMore: false,
    isIncomplete: false,
  });
  expect(output.parts).toEqual([
    {
      type: 'circuit.reported.v1',
      pointer: room,
      expected: expect.stringContaining('150'),
      messages: 3,
      subjects: 2,
      first: toTimestamp(minutesAgo(50)),
      last: toTimestamp(minutesAgo(30)),
      lastSubject: 'gw-b',
      lastEventId: 'the-last',
    },
    expect.objectContaining({
      pointer: '/data/reported/supplyTemperatureCelsius',
      messages: 1,
      subjects: 1,
      lastSubject: 'gw-a',
      last: toTimestamp(minutesAgo(40)),
    }),
  ]);
});

test('leaves out messages that were rejected as a whole, or had no unusable part', async () => {
  const { circuitId: _, ...nameless } = eventLike('circuit.reported.v1', { subject: 'gw-a' }).data as never as {
    circuitId: string;
  };
  const log = await logOf(
    [[5, 'gw-a', { roomTemperatureCelsius: 20 }]],
    [[4, { ...eventLike('circuit.reported.v1', { subject: 'gw-a' }), data: nameless }]],
  );
  const { stdout } = await operate(command, optionsWith(log));
  expect(stdout).toContain('all parts of all messages could be used');
});

test('includes an event without effect because of an unknown part', async () => {
  const blocked = eventLike('function.blocked.v1', { subject: 'gw-a', data: { function: 'of-later' } });
  const { output } = await operateForJson(command, optionsWith(await logOf([], [[1, blocked]])));
  expect(output.parts).toMatchObject([{ type: 'function.blocked.v1', pointer: '/data/function', messages: 1 }]);
});

const row = (expected: string, others: object = {}) => ({
  type: 'energy.reported.v1',
  subject: 'gw-a',
  expected,
  messages: '1',
  lastEventId: 'e',
  first: '2036-03-10 12:00:00.000',
  last: '2036-03-10 12:00:00.000',
  ...others,
});

test('treats positions in lists as one part, and counts it once per message', async () => {
  const rows = [row('/data/hours/3/kWh: A number. /data/hours/14/kWh: A number. /data/day: A day. Of 2036.')];
  const { output } = await operateForJson(
    command,
    optionsWith(async () => rows),
  );
  expect(output.parts.map(({ pointer, expected, messages }: never) => [pointer, expected, messages])).toEqual([
    ['/data/hours/*/kWh', 'A number.', 1],
    ['/data/day', 'A day. Of 2036.', 1],
  ]);
});

test('covers the requested period, shows the requested number of parts, and says if there are more', async () => {
  const asked: number[] = [];
  const log: QueryLog = async (_, { fromMs }) => {
    asked.push(fromMs);
    return [row('/data/a: A.'), row('/data/b: B.', { messages: '2' })];
  };
  const { output, stderr } = await operateForJson([...command, '--since', '3h', '--limit', '1'], optionsWith(log));
  expect(asked).toEqual([minutesAgo(180)]);
  expect(output).toMatchObject({ parts: [{ pointer: '/data/b' }], hasMore: true });
  expect(stderr).toContain('raise --limit (1)');
});

test('warns if the log had more rows than one query returns', async () => {
  const rows = Array.from({ length: maxLogRows }, (_, index) => row('/data/a: A.', { subject: `gw-${index}` }));
  const { output, stderr } = await operateForJson(
    command,
    optionsWith(async () => rows),
  );
  expect(output).toMatchObject({ isIncomplete: true, parts: [{ subjects: maxLogRows }] });
  expect(stderr).toContain('Shorten --since');
});
