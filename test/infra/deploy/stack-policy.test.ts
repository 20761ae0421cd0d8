import { expect, test } from 'vitest';
import { stackPolicyOf } from '../../../infra/deploy/stack-policy.ts';

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
