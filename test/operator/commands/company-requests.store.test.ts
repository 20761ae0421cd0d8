import { beforeAll, expect, test } from 'vitest';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import { createRequestLog, type RequestLine } from '../../support/usage.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let companyId: string;
beforeAll(async () => {
  world = await openWorld();
  ({ companyId } = await onboard(world.store));
});

const minutesAgo = (minutes: number) => startMs - minutes * 60_000;

const line = (minutes: number, changes: Partial<RequestLine> = {}): RequestLine => ({
  timestamp: toTimestamp(minutesAgo(minutes)),
  companyId,
  operation: 'getHeatingCircuit',
  decision: 'allowed',
  path: '/hvacs/gw-1/heatingCircuits/hc1',
  ...changes,
});
const limited = { decision: 'limited', reason: 'rate-limit-exceeded', ratePolicy: 'gateway' } as const;

const ask = (lines: readonly RequestLine[], ...options: string[]) => {
  const log = createRequestLog(lines);
  log.showUntil(startMs);
  return operateForJson(['company', 'requests', companyId, ...options], {
    ...world,
    connection: { queryLog: { requests: log.queryPage, access: async () => [], consumers: async () => [] } },
  });
};

test('for “we get 429 since ten”: shows limited operations, paths and policies, how often and since when', async () => {
  const { output } = await ask(
    [
      line(200),
      line(170),
      line(100, limited),
      ...Array.from({ length: 20 }, (_, index) => line(90 - index, limited)),
      line(60, { ...limited, path: '/hvacs/gw-2/heatingCircuits/hc1' }),
      line(50, { decision: 'refused', reason: 'consent-outdated' }),
      line(40, { companyId: 'another' }),
      line(30, { companyId: 'another', ...limited }),
    ],
    '--since',
    '3h',
  );
  const common = { operation: 'getHeatingCircuit' };
  const times = (first: number, last: number) => ({
    first: toTimestamp(minutesAgo(first) + 200),
    last: toTimestamp(minutesAgo(last) + 200),
  });
  const limits = { ...common, ratePolicy: 'gateway' };
  expect(output).toEqual({
    companyId,
    since: toTimestamp(minutesAgo(180)),
    outcomes: [
      { ...limits, decision: 'limited', reason: 'rate-limit-exceeded', requests: 22, ...times(100, 60) },
      ...[
        { ...common, decision: 'refused', reason: 'consent-outdated', ratePolicy: null, requests: 1, ...times(50, 50) },
        { ...common, decision: 'allowed', reason: null, ratePolicy: null, requests: 1, ...times(170, 170) },
      ],
    ],
    limitedPaths: [
      { ...limits, path: '/hvacs/gw-1/heatingCircuits/hc1', requests: 21, ...times(100, 71) },
      { ...limits, path: '/hvacs/gw-2/heatingCircuits/hc1', requests: 1, ...times(60, 60) },
    ],
  });
});

test('covers the last hour by default, and shows as many paths as requested', async () => {
  const paths = [1, 2, 3].map((index) => line(index, { ...limited, path: `/hvacs/gw-${index}` }));
  const { output } = await ask([...paths, line(90)], '--limit', '2');
  expect(output.outcomes).toHaveLength(1);
  expect(output.limitedPaths).toHaveLength(2);
});

test('reports a company without requests, and an unknown company', async () => {
  const { stdout } = await operate(['company', 'requests', companyId], world);
  expect(stdout).toContain('no requests');
  const unknown = await operate(['company', 'requests', 'nobody'], world);
  expect([unknown.exit, unknown.stdout]).toEqual(['not-found', '']);
});

test('refuses a time in the future, and queries no log', async () => {
  const { exit, stderr } = await operate(['company', 'requests', companyId, '--since', '9999-01-01'], world);
  expect([exit, stderr]).toEqual(['usage', expect.stringContaining('--since is 9999-01-01, which is in the future')]);
});
