import fc from 'fast-check';
import { beforeAll, expect, test, vi } from 'vitest';
import { settingVariable } from '../../../lambdas/api/environment-variables.ts';
import { maxEventBytes, writeEvent } from '../../../lambdas/data/event-log.ts';
import { startMs } from '../../support/world.ts';

beforeAll(() => {
  process.env[settingVariable('metricNamespace')] = 'PartnerApi-test';
});

const lineOf = (event: Parameters<typeof writeEvent>[1]): string => {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    writeEvent(startMs, event);
    return String(written.mock.calls[0]?.[0]);
  } finally {
    written.mockRestore();
  }
};

test('an event is one line of at most 1 kB whatever its texts hold, and only the longest give way', () => {
  const text = fc.oneof(fc.string({ maxLength: 64 }), fc.string({ maxLength: 5000, unit: 'binary' }));
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('userId', 'path', 'error', 'requestId'), text), (texts) => {
      const line = lineOf({ ...texts, decision: 'allowed', Requests: 1 });
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(maxEventBytes);
      expect(line.indexOf('\n')).toBe(line.length - 1);
      const read = JSON.parse(line);
      expect(read).toMatchObject({ at: '2036-03-10T12:00:00Z', decision: 'allowed', Requests: 1 });
      for (const [name, whole] of Object.entries(texts))
        if (read[name] !== whole) expect(read[name].length).toBeGreaterThan(50);
    }),
  );
});

test('a metric gets one series for each of its dimensions that the event has, and none for anything else', () => {
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
