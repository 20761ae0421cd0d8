import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maxEventBytes, writeEvent } from '../../../lambdas/data/event-log.ts';
import { startMs } from '../../support/world.ts';

const lineOf = (event: Parameters<typeof writeEvent>[2]): string => {
  const lines: string[] = [];
  writeEvent({ setting: () => 'PartnerApi-test' as never, log: (line) => void lines.push(line) }, startMs, event);
  return lines.join('');
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
