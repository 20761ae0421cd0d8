import type { ResourceChange } from '@aws-sdk/client-cloudformation';
import { describe, expect, test } from 'vitest';
import { type Plan, refusedChanges } from '../../../infra/deploy/change-refusals.ts';
import type { Resource } from '../../../infra/deploy/template.ts';

const table: Resource = { Type: 'AWS::DynamoDB::GlobalTable', DeletionPolicy: 'Retain', Properties: {} };
const named: Resource = { Type: 'AWS::Lambda::Function', Properties: { FunctionName: 'get' } };
const unnamed: Resource = { Type: 'AWS::ApiGateway::Deployment', Properties: {} };
const template = { Resources: { Table: table, Named: named, Unnamed: unnamed } };

const change = (LogicalResourceId: string, rest: Partial<ResourceChange>): ResourceChange => ({
  Action: 'Modify',
  LogicalResourceId,
  PhysicalResourceId: LogicalResourceId === 'Named' ? 'get' : `x-${LogicalResourceId}`,
  Details: [{ Target: { Name: 'KeySchema', RequiresRecreation: 'Always' } }],
  ...rest,
});
const refusals = (changes: ResourceChange[], plan: Partial<Plan> = {}) =>
  refusedChanges({ changes, deployed: template, next: template, ...plan });

describe('refused is a change', () => {
  test.each(['True', 'Conditional'] as const)(
    'that replaces what holds data, also if it only may (%s)',
    (Replacement) => {
      expect(refusals([change('Table', { Replacement })])).toEqual([
        expect.stringMatching(/^Table \(x-Table\) would be replaced by an empty one, because of KeySchema\./),
      ]);
    },
  );

  test('that removes what holds data, also if the new template does not know it any more', () => {
    const next = { Resources: {} };
    expect(refusals([change('Table', { Action: 'Remove' })], { next })).toEqual([
      expect.stringMatching(/^Table \(x-Table\) would leave the stack\./),
    ]);
  });

  test('that takes the protection away and replaces in one', () => {
    const next = { Resources: { Table: { ...table, DeletionPolicy: 'Delete' } } };
    expect(refusals([change('Table', { Replacement: 'True' })], { next })).toHaveLength(1);
  });

  test('that replaces what has a fixed name', () => {
    expect(refusals([change('Named', { Replacement: 'True' })])).toEqual([
      expect.stringMatching(/^Named has the fixed name get and would have to be replaced/),
    ]);
  });

  test('of two indexes of one table, and not of one', () => {
    const withIndexes = (...names: string[]) => ({
      Resources: {
        Table: { ...table, Properties: { GlobalSecondaryIndexes: names.map((IndexName) => ({ IndexName })) } },
      },
    });
    const changes = [change('Table', { Replacement: 'False' })];
    expect(refusals(changes, { deployed: withIndexes('a'), next: withIndexes('b', 'c') })).toEqual([
      expect.stringContaining('several indexes (a, b, c)'),
    ]);
    expect(refusals(changes, { deployed: withIndexes('a'), next: withIndexes('a', 'b') })).toEqual([]);
  });
});

test('every other change is made', () => {
  const changes = [
    change('Table', { Replacement: 'False' }),
    change('Unnamed', { Replacement: 'True' }),
    change('Named', { Action: 'Remove' }),
    change('New', { Action: 'Add' }),
  ];
  expect(refusals(changes)).toEqual([]);
});
