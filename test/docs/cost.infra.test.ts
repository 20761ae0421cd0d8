import { describe, expect, test } from 'vitest';
import { exampleTemplate, type Resource, type Template } from '../../docs/generate/cost/example-template.ts';
import { costIn, fixedCosts, totalIn } from '../../docs/generate/cost/fixed-cost.ts';
import { measuredOperations } from '../../docs/generate/cost/measurements.ts';
import { functionMegabytes, requestCosts } from '../../docs/generate/cost/request-cost.ts';
import { priceDecisions } from '../../docs/generate/cost/resource-prices.ts';
import { costFacts } from '../../docs/generate/facts/cost.ts';
import { goals } from '../../docs/generate/facts/cost-goals.ts';

const template = exampleTemplate();

const withResource = (resource: Resource): Template => ({ Resources: { ...template.Resources, Added: resource } });

const month = (of: Template) => totalIn('eu-central-1', fixedCosts(of));

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
    ['a composite alarm', { Type: 'AWS::CloudWatch::CompositeAlarm' }, 0.5],
    ['a dashboard', { Type: 'AWS::CloudWatch::Dashboard' }, 3],
    ['a rule of Contributor Insights', { Type: 'AWS::CloudWatch::InsightRule' }, 0.5],
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

  test('is not reckoned with a resource that nobody has priced: the sentence says where to', () => {
    expect(() => month(withResource({ Type: 'AWS::EC2::NatGateway' }))).toThrow(
      'Nobody has decided what a resource of the type AWS::EC2::NatGateway costs. Add it to docs/generate/cost/resource-prices.ts',
    );
  });

  test.each([
    ['a period below a minute', { Period: 10 }],
    ['a query that selects its metrics', { Metrics: [{ Expression: 'SELECT AVG(Errors) FROM "AWS/Lambda"' }] }],
  ])('is not reckoned with an alarm of %s, which costs more', (_, Properties) => {
    expect(() => month(withResource({ Type: 'AWS::CloudWatch::Alarm', Properties }))).toThrow('a price of its own');
  });

  test('has no decision about a type that the template does not have', () => {
    const types = new Set(Object.values(template.Resources).map(({ Type }) => Type));
    expect(Object.keys(priceDecisions).filter((type) => !types.has(type))).toEqual([]);
  });

  test('stays below its goal', () => {
    const remedy = 'Leave out metric series or alarms, or decide on another goal in docs/cost.md.';
    expect(month(template), remedy).toBeLessThanOrEqual(goals.month);
  });
});

describe('the price of a million requests', () => {
  test('is reckoned with the memory that the functions have', () => {
    expect(functionMegabytes(template)).toBe(512);
    const larger = { Type: 'AWS::Lambda::Function', Properties: { MemorySize: 1024, Architectures: ['arm64'] } };
    expect(() => functionMegabytes(withResource(larger))).toThrow('all functions to be arm64 and of one size');
  });

  test.each(measuredOperations)('has every item that %s is billed for', (operationId) => {
    const items = requestCosts(operationId, template);
    for (const item of items) expect(costIn('eu-central-1', item), item.price).toBeGreaterThan(0);
    expect(new Set(items.map(({ price }) => price)).size).toBe(items.length);
  });

  test('meets its goal on the items and in the region for which it was set', () => {
    expect(costFacts(template)['chain-cost-verdict']?.()).toMatch(/^\$5\.\d\d, met$/);
  });
});

test.each(['fixed-cost', 'request-cost'])('the sum below the table %s is that of its lines', (fact) => {
  const rows = costFacts(template)
    [fact]?.()
    .split('\n')
    .map((row) => row.match(/\$(\d+\.\d\d)(?:\*\*)? \| (?:\*\*)?\$\d+\.\d\d/)?.[1])
    .filter((amount) => amount !== undefined)
    .map(Number) as number[];
  const lines = rows.slice(0, -1);
  expect(lines.length).toBeGreaterThan(4);
  expect(rows.at(-1)).toBeCloseTo(
    lines.reduce((sum, line) => sum + line),
    1,
  );
});
