import { describe, expect, test } from 'vitest';
import { createCompressedClock } from '../../../../local/rehearsal/telemetry/compressed-clock.ts';
import { toShownEvent } from '../../../../local/rehearsal/telemetry/compressed-log-line.ts';

const realStartMs = Date.parse('2036-03-10T12:00:00Z');
const shownStartMs = Date.parse('2036-03-10T09:00:00Z');
const run = { lengthMs: 36_000, runMsAt: (realMs: number) => Math.max(0, realMs - realStartMs) };
const clock = createCompressedClock(run, shownStartMs, 300);

describe('the shown clock', () => {
  test.each([
    [0, '2036-03-10T09:00:00.000Z'],
    [1000, '2036-03-10T09:05:00.000Z'],
    [35_999, '2036-03-10T11:59:59.700Z'],
    [-5000, '2036-03-10T09:00:00.000Z'],
  ])('%i ms into the run are %s', (sinceStartMs, shown) => {
    expect(new Date(clock.shownMs(realStartMs + sinceStartMs)).toISOString()).toBe(shown);
  });

  test('shows at the end of the run what a slow machine has done after it', () => {
    expect(new Date(clock.shownMs(realStartMs + 50_000)).toISOString()).toBe('2036-03-10T11:59:59.999Z');
  });
});

describe('a line of a log', () => {
  test('tells its shown time wherever it tells a time, and all else as it was', () => {
    const event = {
      timestamp: '2036-03-10T12:00:02Z',
      durationMs: 12,
      Requests: 1,
      _aws: { Timestamp: realStartMs + 2000, CloudWatchMetrics: [{ Namespace: 'N', Dimensions: [[]], Metrics: [] }] },
    };
    const { atMs, message } = toShownEvent(JSON.stringify(event), clock, 0);
    expect(atMs).toBe(shownStartMs + 600_000);
    expect(JSON.parse(message)).toEqual({
      ...event,
      timestamp: '2036-03-10T09:10:00Z',
      _aws: { ...event._aws, Timestamp: atMs },
    });
  });

  test.each(['TypeError: x is not a function', '{"broken', '42', '{"level":"INFO"}', '{"timestamp":"soon"}'])(
    '%s is no event: it stays as it is, after the line before',
    (message) => {
      expect(toShownEvent(message, clock, shownStartMs + 7)).toEqual({ atMs: shownStartMs + 7, message });
    },
  );
});
