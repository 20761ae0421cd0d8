import { createCloudWatch } from 'serve-stack/cloudwatch';
import { createResolver, loadStack } from 'serve-stack/template';
import { expect, inject, test } from 'vitest';
import { campaign, size } from '../../support/campaign.ts';

const minuteMs = 60_000;
const fromMs = Date.parse('2036-03-10T09:00:00Z');
const range = { fromMs, toMs: fromMs + 120 * minuteMs };

/** The number of requests of strangers per minute. */
const strangers = size({ test: 500, prove: 10_000 });

/** API Gateway's metrics of the requests of a minute. Requests that it refuses itself reach no function. */
type Minute = {
  readonly refusedAtTheEdge: number;
  readonly forwarded: number;
  readonly failures: number;
  /** The duration of each forwarded request. */
  readonly latencyMs?: number;
  /** The duration of one forwarded request in five minutes, if it is a cold start. */
  readonly coldStartMs?: number;
};

/**
 * Returns the short names of the alarms in ALARM after two hours of such minutes, without those of the canary and of the
 * jobs, which do not run here.
 */
const ringingAfter = ({
  refusedAtTheEdge,
  forwarded,
  failures,
  latencyMs = 30,
  coldStartMs = latencyMs,
}: Minute): string[] => {
  const stack = loadStack(inject('assemblyDirectory'));
  const resolve = createResolver(stack, { tablePrefix: '' });
  const cloudWatch = createCloudWatch({ template: stack.template, resolve });
  const dimensions = { ApiName: stack.name, Stage: 'v1' };
  const put = (name: string, value: number, atMs: number) =>
    cloudWatch.putMetric({ namespace: 'AWS/ApiGateway', name, dimensions, value, atMs });
  for (let atMs = fromMs; atMs < range.toMs; atMs += minuteMs) {
    // The sweeper runs, and finds nothing due.
    cloudWatch.putMetric({ namespace: stack.name, name: 'OldestWebhookMessageMs', dimensions: {}, value: 0, atMs });
    put('Count', refusedAtTheEdge + forwarded, atMs);
    put('5XXError', failures, atMs);
    for (let request = 0; request < forwarded; request++) {
      const isColdStart = request === 0 && (atMs - fromMs) % (5 * minuteMs) === 0;
      const durationMs = isColdStart ? coldStartMs : latencyMs;
      put('IntegrationLatency', durationMs, atMs);
      put('Latency', durationMs + 5, atMs);
    }
    for (let request = 0; request < refusedAtTheEdge; request++) put('Latency', 1, atMs);
  }
  return cloudWatch
    .alarms(range)
    .filter(({ state }) => state === 'ALARM')
    .map(({ name }) => name.replace(`${stack.name}-`, ''))
    .filter((name) => !['canary', 'mac-keys', 'usage'].includes(name));
};

test('strangers who are refused at the edge do not hide that every request of a partner fails', campaign, () => {
  const ringing = ringingAfter({ refusedAtTheEdge: strangers, forwarded: 5, failures: 5 });
  expect(ringing).toEqual(expect.arrayContaining(['availability-fast-1h', 'availability-fast-5m', 'page']));
});

test('strangers who are refused at the edge do not count as partners that get through', campaign, () => {
  expect(ringingAfter({ refusedAtTheEdge: strangers, forwarded: 0, failures: 0 })).toContain('few-requests');
});

test('strangers who are refused at the edge do not hide that partners wait', campaign, () => {
  const slow = { refusedAtTheEdge: strangers, forwarded: 20, failures: 0, latencyMs: 3000 };
  expect(ringingAfter(slow)).toContain('latency');
});

test.each([
  ['slow requests, 15 in five minutes', { forwarded: 3, latencyMs: 3000 }, []],
  ['slow requests, 20 in five minutes', { forwarded: 4, latencyMs: 3000 }, ['slow-requests', 'ticket']],
  ['slow requests, 95 in five minutes', { forwarded: 19, latencyMs: 3000 }, ['slow-requests', 'ticket']],
  [
    'slow requests, 100 in five minutes',
    { forwarded: 20, latencyMs: 3000 },
    ['latency', 'page', 'slow-requests', 'ticket'],
  ],
  ['one cold start among 20 requests', { forwarded: 4, coldStartMs: 3000 }, ['slow-requests', 'ticket']],
  ['one cold start among 95 requests', { forwarded: 19, coldStartMs: 3000 }, ['slow-requests', 'ticket']],
  ['one cold start among 100 requests', { forwarded: 20, coldStartMs: 3000 }, []],
])('nobody is called at night for a single slow request: %s', (_, minute, ringing) => {
  expect(ringingAfter({ refusedAtTheEdge: 0, failures: 0, ...minute }).toSorted()).toEqual(ringing);
});

test('failures of API Gateway itself, which reach no function, count', () => {
  expect(ringingAfter({ refusedAtTheEdge: 0, forwarded: 0, failures: 5 })).toContain('availability-fast-1h');
});

test('refusals alone raise no alarm', campaign, () => {
  expect(ringingAfter({ refusedAtTheEdge: strangers, forwarded: 50, failures: 0 })).toEqual([]);
});
