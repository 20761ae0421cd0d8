import { describe, expect, test } from 'vitest';
import { defaultPolicyQuota, policyLength } from '../../config/allowlist.ts';
import { loadStageConfig } from '../../config/load.ts';
import { backgroundCost, backgroundGoals } from '../../docs/generate/background-cost.ts';
import { assumptions, type BackgroundWork, measuredOperations } from '../../docs/generate/capacity.ts';
import {
  costPassages,
  fixedCosts,
  goalOfMonth,
  goalOfRequests,
  pricedTypes,
  requestCosts,
  typicalOperation,
} from '../../docs/generate/cost.ts';
import { exampleTemplates, type Resource, type Template } from '../../docs/generate/example-template.ts';
import { callMilliseconds, functionMegabytes } from '../../docs/generate/function-memory.ts';
import { totalOf } from '../../docs/generate/prices.ts';
import {
  fittingBlocks,
  longestIpv4,
  longestIpv6,
  quotas,
  roomIn,
  scalePassages,
  stacksOf,
} from '../../docs/generate/scale.ts';
import { resourcePolicy } from '../../infra/api/admission.ts';
import { type Consumer, consumers } from '../../lambdas/api/background-functions.ts';

const templates = exampleTemplates();
const { whole: template, stage } = templates;

const withResource = (resource: Resource): Template => ({ Resources: { ...template.Resources, Added: resource } });

const month = (of: Template) => totalOf(fixedCosts(of));

const reading = (metricName: string) => ({ MetricStat: { Metric: { MetricName: metricName } } });

describe('the price of a month', () => {
  test.each<[what: string, Resource, dollars: number]>([
    ['an alarm on one metric', { Type: 'AWS::CloudWatch::Alarm', Properties: { MetricName: 'Errors' } }, 0.1],
    [
      'an alarm on an expression over two metrics',
      {
        Type: 'AWS::CloudWatch::Alarm',
        Properties: { Metrics: [{ Expression: 'a + b' }, reading('A'), reading('B')] },
      },
      0.2,
    ],
    ['a dashboard', { Type: 'AWS::CloudWatch::Dashboard' }, 3],
    ['a role', { Type: 'AWS::IAM::Role' }, 0],
    ['a mapping from a queue, which Lambda polls', { Type: 'AWS::Lambda::EventSourceMapping' }, 0.2592],
    [
      'a mapping from a stream',
      { Type: 'AWS::Lambda::EventSourceMapping', Properties: { StartingPosition: 'TRIM_HORIZON' } },
      0,
    ],
  ])('grows with %s', (_, resource, dollars) => {
    expect(month(withResource(resource)) - month(template)).toBeCloseTo(dollars, 6);
  });

  test('throws for a resource without a price, and says where to add it', () => {
    expect(() => month(withResource({ Type: 'AWS::EC2::NatGateway' }))).toThrow(
      'docs/generate/cost.ts has no price for the resource type AWS::EC2::NatGateway. Add the price',
    );
  });

  test.each([
    ['a period below a minute', { Period: 10 }],
    ['a query that selects its metrics', { Metrics: [{ Expression: 'SELECT AVG(Errors) FROM "AWS/Lambda"' }] }],
  ])('throws for an alarm with %s, which costs more', (_, Properties) => {
    expect(() => month(withResource({ Type: 'AWS::CloudWatch::Alarm', Properties }))).toThrow(
      'which has a different price',
    );
  });

  test('lists no type that the template does not contain', () => {
    const types = new Set(Object.values(template.Resources).map(({ Type }) => Type));
    const remedy = 'The template has no resource of these types: remove them from docs/generate/cost.ts.';
    expect(
      pricedTypes.filter((type) => !types.has(type)),
      remedy,
    ).toEqual([]);
  });

  test('stays below its goal', () => {
    const remedy =
      'A month of a stage costs more than goalOfMonth of docs/generate/cost.ts. Leave out metric series or alarms, or raise goalOfMonth there if they are worth it, then npm run generate.';
    expect(month(template), remedy).toBeLessThanOrEqual(goalOfMonth);
  });
});

describe('the price of a million requests', () => {
  test('includes the memory of the functions', () => {
    expect(functionMegabytes(template)).toBe(384);
    const larger = { Type: 'AWS::Lambda::Function', Properties: { MemorySize: 1024, Architectures: ['arm64'] } };
    expect(() => functionMegabytes(withResource(larger))).toThrow('all functions are arm64 and have the same memory');
  });

  test('includes the duration of a call by the model of memory', () => {
    const remedy = 'Correct assumptions.functionMilliseconds in docs/generate/capacity.ts, then npm run generate.';
    const milliseconds = callMilliseconds(functionMegabytes(template));
    expect(assumptions.functionMilliseconds, remedy).toBeGreaterThan(milliseconds);
    expect(assumptions.functionMilliseconds, remedy).toBeLessThan(milliseconds + 4);
  });

  test('stays below its goal', () => {
    const remedy = `A million of ${typicalOperation} cost more than goalOfRequests of docs/generate/cost.ts. Let the request take less of what its table in docs/cost.md lists, or raise goalOfRequests there, then npm run generate.`;
    expect(totalOf(requestCosts(typicalOperation, template)), remedy).toBeLessThanOrEqual(goalOfRequests);
  });

  test.each(measuredOperations)('has every item that %s is billed for', (operationId) => {
    const items = requestCosts(operationId, template);
    for (const item of items) expect(totalOf([item]), item.price).toBeGreaterThan(0);
    expect(new Set(items.map(({ price }) => price)).size).toBe(items.length);
  });
});

test.each(Object.entries(backgroundGoals) as [BackgroundWork, number][])(
  'the price of a million of %s stays below its goal',
  (work, goal) => {
    const remedy = `A million of ${work} cost more than backgroundGoals of docs/generate/background-cost.ts allows. Let it take less of the store or the log, or raise its goal there, then npm run generate.`;
    expect(backgroundCost(work, template), remedy).toBeLessThanOrEqual(goal);
  },
);

test.each(['fixed-cost', 'request-cost'])('the sum below the table %s is that of its lines', (passage) => {
  const rows = costPassages(template)[passage]?.().split('\n').slice(2) ?? [];
  const amounts = rows.map((row) => Number(/\$(\d+\.\d\d)(?:\*\*)? \|$/.exec(row)?.[1]));
  const lines = amounts.slice(0, -1);
  expect(lines.length).toBeGreaterThan(4);
  expect(amounts.at(-1)).toBeCloseTo(
    lines.reduce((sum, line) => sum + line),
    1,
  );
});

const passages = scalePassages(exampleTemplates());

describe.each([
  ['IPv4', longestIpv4, 18],
  ['IPv6', longestIpv6, 43],
])('blocks of %s in a resource policy', (_, blockOf, characters) => {
  const blocks = (count: number) => Array.from({ length: count }, (__, index) => blockOf(index));
  const most = fittingBlocks(blockOf);

  test('as many as the page says fit, and one more does not', () => {
    expect(policyLength(resourcePolicy(blocks(most)))).toBeLessThanOrEqual(defaultPolicyQuota);
    expect(() => resourcePolicy(blocks(most + 1))).toThrow('use AWS WAF for the allowlist');
  });

  test('have the greatest length, and are distinct', () => {
    expect(new Set(blocks(most)).size).toBe(most);
    expect(new Set(blocks(most).map(({ length }) => length))).toEqual(new Set([characters]));
  });
});

test('functions at the stage’s throttle fit into the account’s quota, even if each times out', () => {
  const worst = passages.concurrency?.().split('\n').at(-1)?.split(' | ').at(-1);
  const remedy =
    'If each request that the stage admits took its whole time-out, functions would exceed the concurrency of the account. Lower throttle.requestsPerSecond in config/example.json or timeoutSeconds of a row, or raise lambdaConcurrencyQuota there.';
  expect(Number(worst?.replace(/\D/g, '')), remedy).toBeLessThanOrEqual(
    loadStageConfig('example').monitoring.lambdaConcurrencyQuota,
  );
});

test.each(stacksOf(templates))(
  'an endpoint uses the documented resources of the stack $name',
  ({ name, resources, parameters }) => {
    const isOfEndpoint = (id: string) =>
      /^(EndpointsgetContract|getContract[0-9A-F]{8}$|contract(GET|GETInvocation)?[0-9A-F]{8}$|reference.*EndpointsgetContract)/.test(
        id,
      );
    const { Resources, Parameters = {} }: { Resources: object; Parameters?: object } =
      name === 'stage' ? stage : templates.nested[name];
    const remedy = `docs/scale.md says how many resources and parameters of the stack ${name} an endpoint takes. Correct takenByEndpoint in docs/generate/scale.ts, then npm run generate.`;
    expect(Object.keys(Resources).filter(isOfEndpoint), remedy).toHaveLength(resources);
    expect(Object.keys(Parameters).filter(isOfEndpoint), remedy).toHaveLength(parameters);
  },
);

test('queue consumers leave half of the account’s quota free, and no stream has too many readers', () => {
  const atOnce = Object.values<Consumer>(consumers).reduce((sum, { maxConcurrency = 0 }) => sum + maxConcurrency, 0);
  const half =
    'Consumers may take half of the concurrency of the account. Lower maxConcurrency of a row in lambdas/api/background-functions.ts.';
  expect(atOnce, half).toBeLessThan(loadStageConfig('example').monitoring.lambdaConcurrencyQuota / 2);
  const [readers, most] = passages['stream-readers']?.().split(' of ').map(Number) ?? [];
  const tooMany =
    'DynamoDB throttles a stream that more than two functions read. Let a consumer of lambdas/api/background-functions.ts do the work of both; if streams have fewer readers now, correct this test.';
  expect([readers, most], tooMany).toEqual([2, 2]);
});

test.each(stacksOf(templates))('the stack $name has room for fifty more endpoints', (stack) => {
  const remedy = `CloudFormation allows ${quotas.resourcesOfStack} resources in a stack. Put resources that no stage has yet into a nested stack, as infra/api/methods.ts does, or accept less room in this test.`;
  expect(roomIn(stack), remedy).toBeGreaterThanOrEqual(50);
});
