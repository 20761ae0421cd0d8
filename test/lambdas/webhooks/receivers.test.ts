import { expect, test } from 'vitest';
import { consumers } from '../../../lambdas/api/background-functions.ts';
import { postLimits } from '../../../lambdas/webhooks/post.ts';
import { type Occasion, playReceivers, type Receiver, type Sending, today } from './receivers.ts';

const { batchSize, maxConcurrency } = consumers.sendWebhookMessage;
const byTheRows: Sending = { ...today, batchSize, maxConcurrency };

/** The previous way of sending messages: one call per message, ten at once, first come, first served. */
const before: Sending = {
  batchSize: 1,
  maxConcurrency: 10,
  isFair: false,
  limits: { usual: postLimits, failing: postLimits },
};

const minuteMs = 60_000;

/**
 * Plays hanging receivers of this many companies, each with an event every second, and a healthy receiver with the same
 * load.
 */
const hanging = (count: number, sending: Sending) => {
  const receivers: Receiver[] = [
    ...Array.from({ length: count }, (_, index) => ({ companyId: `hangs${index}`, answersAfterMs: null })),
    { companyId: 'well', answersAfterMs: 300 },
  ];
  const occasions: Occasion[] = Array.from({ length: 120 }, (_, second) =>
    receivers.map((__, receiver) => ({ atMs: second * 1000 + ((receiver * 37) % 1000), receiver })),
  )
    .flat()
    .toSorted((one, other) => one.atMs - other.atMs);
  return playReceivers(receivers, occasions, 3 * minuteMs, sending).at(-1) ?? [];
};

test('with a hundred hanging receivers, a healthy one is notified within five seconds', () => {
  const delays = hanging(100, byTheRows);
  expect(delays.length).toBeGreaterThan(60);
  expect(Math.max(...delays)).toBeLessThan(5000);
});

test('with four hundred hanging receivers, within ten seconds', () => {
  const delays = hanging(400, byTheRows);
  expect(delays.length).toBeGreaterThan(60);
  expect(Math.max(...delays)).toBeLessThan(10_000);
});

test('with the previous way of sending, it would have waited for more than a minute', () => {
  expect(Math.max(...hanging(100, before))).toBeGreaterThan(minuteMs);
});

test('a company whose receivers all hang does not delay those of another', () => {
  const receivers: Receiver[] = [
    ...Array.from({ length: 100 }, () => ({ companyId: 'hangs', answersAfterMs: null })),
    { companyId: 'well', answersAfterMs: 300 },
  ];
  const occasions = receivers.map((_, receiver) => ({ atMs: receiver, receiver }));
  const [delay] = playReceivers(receivers, occasions, minuteMs, byTheRows).at(-1) ?? [];
  expect(delay).toBeLessThan(5000);
});

test('five hundred webhooks with a message each minute all get it within five seconds', () => {
  const receivers = Array.from({ length: 500 }, (_, index) => ({
    companyId: `company${index % 200}`,
    answersAfterMs: 100 + (index % 20) * 100,
  }));
  const occasions = Array.from({ length: 5 }, (_, minute) =>
    // All at the full minute, like scheduled work.
    receivers.map((__, receiver) => ({ atMs: minute * minuteMs, receiver })),
  ).flat();
  const delays = playReceivers(receivers, occasions, 6 * minuteMs, byTheRows);
  expect(delays.map(({ length }) => length)).toEqual(receivers.map(() => 5));
  expect(Math.max(...delays.flat())).toBeLessThan(5000);
});
