import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventContent, RequestEvent } from '../../../lambdas/api/log-events/request-event.ts';
import { framesIn } from '../../../lambdas/api/log-events/stack-frames.ts';
import { faultFields, writeEvent } from '../../../lambdas/runtime/log-lines.ts';
import { anyText, seed } from '../../support/random.ts';
import { startMs } from '../../support/world.ts';

const lineOf = (event: Parameters<typeof writeEvent>[2], throttles?: number): string => {
  const lines: string[] = [];
  const takeThrottles = throttles === undefined ? undefined : () => throttles;
  const log = { setting: () => 'PartnerApi-test' as never, log: (line: string) => void lines.push(line) };
  writeEvent({ ...log, ...(takeThrottles && { takeThrottles }) }, startMs, event);
  return lines.join('');
};

test('an event is one line of at most 1 kB, whatever its texts, and only the longest ones are cut', () => {
  const text = fc.oneof(fc.string({ maxLength: 64 }), anyText(5000));
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('userId', 'path', 'error', 'requestId'), text), (texts) => {
      const line = lineOf({ ...texts, decision: 'allowed', Requests: 1 });
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(1024);
      expect(line.indexOf('\n')).toBe(line.length - 1);
      const read = JSON.parse(line);
      expect(read).toMatchObject({ timestamp: '2036-03-10T12:00:00Z', decision: 'allowed', Requests: 1 });
      for (const [name, whole] of Object.entries(texts))
        if (read[name] !== whole) expect(read[name].length).toBeGreaterThan(50);
    }),
    { seed },
  );
});

test.each([
  [undefined, undefined],
  [0, undefined],
  [1, 1],
  [3, 3],
])('after %s throttled attempts, the line counts %s', (throttles, counted) => {
  expect(JSON.parse(lineOf({ level: 'INFO' }, throttles)).StoreThrottles).toBe(counted);
});

describe('an event may have 1024 bytes, including its end of line', () => {
  const bytesBeside = (event: object) => Buffer.byteLength(lineOf({ ...event, error: '' }));

  test.each(['', 'u', 'uu', 'uuu'])(
    'what fits stays whole, and what does not is cut to fit exactly (with "%s")',
    (userId) => {
      const room = 1024 - bytesBeside({ userId });
      expect(JSON.parse(lineOf({ userId, error: 'e'.repeat(room) })).error).toHaveLength(room);
      for (const over of [1, 2, 500])
        expect(JSON.parse(lineOf({ userId, error: 'e'.repeat(room + over) })).error).toBe(`${'e'.repeat(room - 3)}...`);
    },
  );

  test('a text as long as the longest remaining one stays whole, and so do other values', () => {
    const list = Array.from({ length: 300 }, () => 1);
    const beside = bytesBeside({ list, path: '', userId: '' });
    const userId = 'u'.repeat(beside % 2);
    const path = 'p'.repeat((1024 - beside - userId.length) / 2);
    const logged = JSON.parse(lineOf({ list, path, userId, error: 'e'.repeat(1024) }));
    expect(logged).toMatchObject({ list, path, error: `${'e'.repeat(path.length - 3)}...` });
  });
});

test('an event without a metric has no metric directive', () => {
  expect(JSON.parse(lineOf({ outcome: 'applied' }))).toEqual({ timestamp: '2036-03-10T12:00:00Z', outcome: 'applied' });
});

test('metrics with the same dimensions share a directive', () => {
  const { _aws } = JSON.parse(lineOf({ KeysExpiring: 2, DaysToLastKeyExpiry: 7 }));
  const [directive, ...others] = _aws.CloudWatchMetrics;
  expect(directive.Metrics.map(({ Name }: { Name: string }) => Name)).toEqual(['KeysExpiring', 'DaysToLastKeyExpiry']);
  expect(others).toEqual([]);
});

test('a fault that is no error is logged as it is', () => {
  expect(faultFields('gone')).toEqual({ error: 'gone', stack: undefined });
  expect(faultFields(Object.assign(new Error('gone'), { stack: undefined }))).toMatchObject({ error: 'Error: gone' });
  expect(faultFields(new Error('gone')).stack).toContain('log-lines.test.ts');
});

test('a metric gets one series for each of its dimensions in the event, and other values get none', () => {
  const { _aws } = JSON.parse(
    lineOf({ decision: 'limited', reason: 'rate-limit-exceeded', keyId: 'k', Requests: 1, InitMs: 90 }),
  );
  expect(_aws).toEqual({
    Timestamp: startMs,
    CloudWatchMetrics: [
      {
        Namespace: 'PartnerApi-test',
        Dimensions: [['decision'], ['reason']],
        Metrics: [{ Name: 'Requests', Unit: 'Count' }],
      },
      { Namespace: 'PartnerApi-test', Dimensions: [[]], Metrics: [{ Name: 'InitMs', Unit: 'Milliseconds' }] },
    ],
  });
});

describe('a fault keeps its message and its stack', () => {
  const frames = Array.from(
    { length: 10 },
    (_, index) => `    at async updateItem (3f9a2c1d4e5f.mjs:25:${39_514 + index})`,
  );
  const fault = Object.assign(new Error('m'.repeat(600)), { stack: ['Error: m', ...frames].join('\n') });
  const failedChange = {
    level: 'ERROR',
    requestId: 'd856de78-a1ef-435d-8446-489189f4d5e0',
    operation: 'updateHeatingTimeProgram',
    decision: 'failed',
    reason: 'internal-error',
    status: 500,
    companyId: 'heatpartner',
    keyId: 'aUTlA4mgQbucRaLV',
    userId: 'owner-4711',
    path: '/hvacs/gw-1001/heatingCircuits/c1/timePrograms/1',
    durationMs: 1129,
    storeMs: { BatchGetItem: [28], UpdateItem: [18, 26], TransactWriteItems: [82] },
    memoryMb: 118,
    ...faultFields(fault),
    Requests: 1,
    AuditWriteFailures: 1,
  } satisfies EventContent<RequestEvent>;
  const gatewayId = 'gw-bde522aa-b0f6-40c5-8152-5be8e839b029';

  test.each([
    ['a change that failed', {}, 10, 80],
    [
      'one with long ids and a cold start',
      { path: `/hvacs/${gatewayId}/heatingCircuits/c1/timePrograms/1`, InitMs: 430 },
      4,
      45,
    ],
  ])('%s', (_, more, fewestFrames, fewestCharacters) => {
    const { error, stack } = JSON.parse(lineOf({ ...failedChange, ...more }));
    expect(framesIn(stack).length).toBeGreaterThanOrEqual(fewestFrames);
    expect(error.length).toBeGreaterThanOrEqual(fewestCharacters);
  });
});
