import type { ResourceChange } from '@aws-sdk/client-cloudformation';
import { describe, expect, test } from 'vitest';
import { changesSettingsAlone, changeTable, type Plan, stackPolicyOf } from '../../../infra/deploy/plan.ts';

describe('a change of settings only', () => {
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
  ])('is detected for %s', (_, next, expected) => {
    expect(changesSettingsAlone({ deployed, next })).toBe(expected);
  });
});

describe('change table', () => {
  test('counts new resources and names the others, replacements and deletions last', () => {
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

  test('the stack policy denies replacing and deleting resources with data, and allows all else', () => {
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
