import type { ResourceChange } from '@aws-sdk/client-cloudformation';
import { describe, expect, test } from 'vitest';
import {
  changesSettingsAlone,
  changeTable,
  type Plan,
  type Resource,
  refusedChanges,
  stackPolicyOf,
} from '../../../infra/deploy/changes.ts';
import { stateRefusal } from '../../../infra/deploy/stack.ts';

describe('a change of settings alone', () => {
  type Values = Readonly<Record<string, unknown>>;
  const templateOf = (code: string, environment: Values, others: Plan['next']['Resources'] = {}) => ({
    Resources: {
      Get: { Type: 'AWS::Lambda::Function', Properties: { Code: { S3Key: code }, Environment: environment } },
      Put: { Type: 'AWS::Lambda::Function', Properties: { Code: { S3Key: 'put' }, Environment: {} } },
      ...others,
    },
  });
  const deployed = templateOf('1', { CONSENT: '3' });
  const table = { Table: { Type: 'AWS::DynamoDB::GlobalTable', Properties: {} } };
  const added = { Added: { Type: 'AWS::Lambda::Function', Properties: {} } };

  test.each([
    ['a setting', templateOf('1', { CONSENT: '4' }), true],
    ['a setting, and a table that is new', templateOf('1', { CONSENT: '4' }, table), true],
    ['code', templateOf('2', { CONSENT: '3' }), false],
    ['code and a setting', templateOf('2', { CONSENT: '4' }), false],
    ['nothing', deployed, false],
    ['a function that is new', templateOf('1', { CONSENT: '3' }, added), false],
  ])('is told of %s', (_, next, expected) => {
    expect(changesSettingsAlone({ deployed, next })).toBe(expected);
  });
});

describe('change refusals', () => {
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

  describe('the allowlist of AWS WAF', () => {
    const ipSet: Resource = { Type: 'AWS::WAFv2::IPSet', Properties: { Addresses: [] } };
    const api = (Condition?: object): Resource => ({
      Type: 'AWS::ApiGateway::RestApi',
      Properties: { Policy: { Statement: [{ Effect: 'Allow', ...(Condition && { Condition }) }] } },
    });
    const closed = { Resources: { Api: api({ IpAddress: {} }) } };
    const prepared = { Resources: { ...closed.Resources, One: ipSet, Two: ipSet } };
    const open = { Resources: { Api: api(), One: ipSet, Two: ipSet } };
    const ofSet = (Action: 'Add' | 'Modify' | 'Remove') => change('One', { Action, ResourceType: ipSet.Type });

    test('is filled before the policy opens', () => {
      expect(refusals([], { deployed: closed, next: open })).toEqual([expect.stringContaining('"prepare-waf" first')]);
      expect(refusals([ofSet('Add')], { deployed: closed, next: prepared })).toEqual([]);
      expect(refusals([], { deployed: prepared, next: open })).toEqual([]);
    });

    test('begins empty where nothing is deployed, since nobody is onboarded', () => {
      expect(refusals([ofSet('Add')], { deployed: { Resources: {} }, next: open })).toEqual([]);
    });

    test('is never written by a deployment, and goes only when the policy has it again', () => {
      const refused = [expect.stringContaining('One holds addresses that operators have let in')];
      expect(refusals([ofSet('Modify')], { deployed: open, next: open })).toEqual(refused);
      const { One: _, ...others } = open.Resources;
      expect(refusals([ofSet('Remove')], { deployed: open, next: { Resources: others } })).toEqual(refused);
      expect(refusals([ofSet('Remove')], { deployed: open, next: closed })).toEqual([]);
    });
  });

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
});

describe('change table', () => {
  test('counts what is new, and names the rest: replacements and deletions last', () => {
    const changes: ResourceChange[] = [
      { Action: 'Remove', LogicalResourceId: 'Table', ResourceType: 'T' },
      { Action: 'Add', LogicalResourceId: 'One', ResourceType: 'N' },
      {
        Action: 'Modify',
        LogicalResourceId: 'Deployment',
        Replacement: 'True',
        ResourceType: 'D',
        Details: [{ Target: { Name: 'Type' } }, { Target: { Name: 'Type' } }],
      },
      { Action: 'Modify', LogicalResourceId: 'Alarm', Replacement: 'False', ResourceType: 'A' },
      { Action: 'Add', LogicalResourceId: 'Other', ResourceType: 'N' },
    ];
    expect(changeTable(changes).split('\n')).toEqual([
      'add      N  2',
      'change   A  Alarm',
      'replace  D  Deployment  Type',
      'delete   T  Table',
    ]);
  });
});

describe('stack policy', () => {
  const table = { Type: 'AWS::DynamoDB::GlobalTable', DeletionPolicy: 'Retain' };
  const named = { Type: 'AWS::Lambda::Function' };

  test('the stack policy denies replacement and deletion of what holds data, and allows all else', () => {
    const { Statement } = JSON.parse(stackPolicyOf({ Resources: { Table: table, Named: named } }));
    expect(Statement).toEqual([
      { Effect: 'Allow', Principal: '*', Action: 'Update:*', Resource: '*' },
      {
        Effect: 'Deny',
        Principal: '*',
        Action: ['Update:Replace', 'Update:Delete'],
        Resource: ['LogicalResourceId/Table'],
      },
    ]);
  });
});

describe('stack state', () => {
  test.each([
    ['ROLLBACK_COMPLETE', /first deployment of S failed.*docs\/first-deploy\.md/],
    ['UPDATE_ROLLBACK_FAILED', /continue-update-rollback --stack-name S/],
    ['DELETE_FAILED', /Somebody has deleted S/],
    ['UPDATE_IN_PROGRESS', /Wait until it has ended/],
    ['REVIEW_IN_PROGRESS', undefined],
    ['CREATE_COMPLETE', undefined],
    ['UPDATE_ROLLBACK_COMPLETE', undefined],
  ] as const)('a stack that is %s is deployed to or not: %s', (StackStatus, sentence) => {
    const refusal = stateRefusal({ StackName: 'S', CreationTime: new Date(0), StackStatus });
    if (sentence) expect(refusal).toMatch(sentence);
    else expect(refusal).toBeUndefined();
  });

  test('a stack that is not there is deployed to', () => {
    expect(stateRefusal(undefined)).toBeUndefined();
  });
});
