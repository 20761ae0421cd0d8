import { describe, expect, test } from 'vitest';
import { type Consumer, consumers } from '../../../lambdas/api/background-functions.ts';
import { functionProblemsOf, requirementsOf } from '../../../lambdas/api/chain.ts';
import { type Endpoint, pathParametersOf } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../../lambdas/api/endpoints/endpoints.ts';
import { ratePolicies } from '../../../lambdas/api/limits.ts';
import {
  type Dimension,
  decisionOf,
  type Metric,
  maxMetricSeries,
  metrics,
  unservedDecisions,
} from '../../../lambdas/api/metrics.ts';
import type { ProblemDefinition } from '../../../lambdas/api/problems/definition.ts';
import { type ProblemCode, problems } from '../../../lambdas/api/problems.ts';
import { queues } from '../../../lambdas/api/queues.ts';
import { consumerEnvironment } from '../../../lambdas/runtime/function-environment.ts';

describe('endpoints', () => {
  const rows = Object.entries<Endpoint>(endpoints);

  test('no two rows have the same method and path, even if their ids have different names', () => {
    const routes = rows.map(([, { method, path }]) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
    expect(routes).toEqual([...new Set(routes)]);
  });

  const policiesOf = (selects: (endpoint: Endpoint) => boolean) =>
    rows.filter(([, endpoint]) => selects(endpoint)).map(([, { ratePolicy }]) => ratePolicies[ratePolicy]);
  const hasGateway = ({ path }: Endpoint) => path.includes('{gatewayId}');
  const isProgramUpdate = ({ method, path }: Endpoint) =>
    method !== 'GET' && path.endsWith('/timePrograms/{timeProgramId}');

  test('rule 17: each path with a gateway id has one request every two seconds, and three at once', () => {
    const policies = policiesOf((endpoint) => hasGateway(endpoint) && !isProgramUpdate(endpoint));
    expect(policies).toEqual(policies.map(() => ({ refillIntervalMs: 2000, burst: 3 })));
  });

  test('rule 18: each path without a gateway id has two requests every second, and five at once', () => {
    const policies = policiesOf((endpoint) => !hasGateway(endpoint));
    expect(policies).toEqual(policies.map(() => ({ refillIntervalMs: 500, burst: 5 })));
  });

  test('rule 21: each update of a time program has one request every ten seconds', () => {
    expect(policiesOf(isProgramUpdate)).toEqual(Array(2).fill({ refillIntervalMs: 10_000, burst: 1 }));
  });

  describe.each(rows)('%s', (_, endpoint) => {
    const requirements = requirementsOf(endpoint);

    test('lists each problem once, and no own problem that its chain already has', () => {
      expect(requirements.problems).toEqual([...new Set(requirements.problems)]);
      const chainOnly = requirementsOf({ ...endpoint, problems: [] }).problems;
      expect(endpoint.problems?.filter((code) => chainOnly.includes(code)) ?? []).toEqual([]);
    });

    test('acts for the owner, with contract and consent, if its path names a gateway', () => {
      const remedy = 'Add onBehalfOfUser: true to the row in lambdas/api/endpoints/endpoints.ts.';
      if (pathParametersOf(endpoint.path).includes('gatewayId')) expect(endpoint.onBehalfOfUser, remedy).toBe(true);
    });

    test('checks ids, user and query only where it has them', () => {
      const { idempotencyKey, query, body, path } = endpoint;
      const { problems: codes } = requirementsOf({ ...endpoint, problems: [] });
      const isRead =
        pathParametersOf(path).length > 0 || [query, idempotencyKey, body].some((each) => each !== undefined);
      expect(codes.includes('invalid-request')).toBe(isRead);
      expect(codes.includes('unsupported-media-type')).toBe(body !== undefined);
      expect(codes.includes('user-id-missing')).toBe(endpoint.onBehalfOfUser === true);
      expect(codes.includes('user-id-mismatch')).toBe(
        endpoint.onBehalfOfUser === true || endpoint.userId !== undefined,
      );
    });
  });

  describe.each(Object.entries<ProblemDefinition>(problems))(
    'problem %s',
    (code, { status, title, detail, headers }) => {
      test('says in sentences what happened and what to do', () => {
        expect(title).toMatch(/^[A-Z].*[^.]$/);
        expect(detail).toMatch(/^[A-Z].*\.$/);
        expect(code as ProblemCode).toMatch(/^[a-z]+(-[a-z]+)*$/);
      });

      test('has the headers that its status requires', () => {
        expect(headers?.['WWW-Authenticate'] !== undefined).toBe(status === 401);
        if (status === 503) expect(headers?.['Retry-After']).toBeDefined();
      });
    },
  );
});

describe('consumers', () => {
  const rows = Object.entries<Consumer>(consumers).map(([name, row]) => ({ ...row, name }));

  test.each(rows)('$name completes a batch before the queue delivers it again', ({ timeoutSeconds, source }) => {
    expect(consumerEnvironment({ timeoutSeconds }, {}).storeDeadlineMs).toBeLessThan(timeoutSeconds * 1000);
    // AWS recommends six times the function timeout, because a batch may be retried while the function is throttled.
    if ('queue' in source)
      expect(queues[source.queue].visibilityTimeoutSeconds).toBeGreaterThanOrEqual(6 * timeoutSeconds);
  });

  test('leave half of the 1,000 executions of an account to the endpoints', () => {
    const remedy = 'Lower maxConcurrency of a row in lambdas/api/background-functions.ts.';
    const executions = rows.reduce((sum, { maxConcurrency = 0 }) => sum + maxConcurrency, 0);
    expect(executions, remedy).toBeLessThan(500);
  });

  test('of one stream are at most two, because DynamoDB throttles more', () => {
    const streams = rows.flatMap(({ source }) => ('stream' in source ? [source.stream] : []));
    const readers = Map.groupBy(streams, (stream) => stream).values();
    const remedy = 'Let a consumer of lambdas/api/background-functions.ts do the work of both.';
    expect(Math.max(...[...readers].map(({ length }) => length)), remedy).toBe(2);
  });

  test.each(rows)(
    '$name needs no batching window, which Lambda requires for more than ten messages of a queue',
    (row) => {
      if ('queue' in row.source) expect(row.batchSize).toBeLessThanOrEqual(10);
    },
  );
});

describe('metrics', () => {
  test('the number of metric series equals maxMetricSeries', () => {
    const valuesOf: Record<Dimension, number> = {
      decision: unservedDecisions.length,
      reason: new Set(Object.values<Endpoint>(endpoints).flatMap(functionProblemsOf)).size,
      ratePolicy: Object.keys(ratePolicies).length,
    };
    const series = Object.values<Metric>(metrics)
      .map(({ dimensions }) => dimensions.reduce((sum, dimension) => sum + valuesOf[dimension], 0) || 1)
      .reduce((sum, each) => sum + each, 0);
    const remedy = `Metrics, problems and rate policies make ${series} series, and CloudWatch bills $0.30 a month for each. If they are worth it, write this number as maxMetricSeries into lambdas/api/metrics.ts.`;
    expect(series, remedy).toBe(maxMetricSeries);
  });

  test.each([
    [undefined, 'allowed'],
    ['user-id-missing', 'refused'],
    ['api-key-invalid', 'refused'],
    ['contract-not-active', 'refused'],
    ['consent-outdated', 'refused'],
    ['appliance-function-blocked', 'refused'],
    ['rate-limit-exceeded', 'limited'],
    ['internal-error', 'failed'],
    ['service-unavailable', 'failed'],
  ] as const)('%s counts as %s', (problem, decision) => {
    expect(decisionOf(problem)).toBe(decision);
  });
});
