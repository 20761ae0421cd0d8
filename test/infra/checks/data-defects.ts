import { first } from './broken-template.ts';
import type { Defect } from './schema-defects.ts';

const table = 'AWS::DynamoDB::GlobalTable';

/** Lists defects in the keys of tables and in policies, by the check that finds them. */
export const dataDefects: Readonly<Record<string, readonly Defect[]>> = {
  'table-keys': [
    {
      name: 'a table without a key',
      break: (template) => {
        const { logicalId, properties } = first(template, table);
        delete properties.KeySchema;
        return logicalId;
      },
      said: 'The table has no KeySchema of one HASH attribute and at most one RANGE attribute after it; write one.',
    },
    {
      name: 'a table whose key begins with the sort key',
      break: (template) => {
        const { logicalId, properties } = first(template, table, ({ KeySchema }) => KeySchema.length === 2);
        properties.KeySchema.reverse();
        return logicalId;
      },
      said: 'The table has no KeySchema of one HASH attribute',
    },
    {
      name: 'a key that names no attribute',
      break: (template) => {
        const { logicalId, properties } = first(template, table);
        properties.KeySchema[0].AttributeName = 'company';
        return logicalId;
      },
      said: 'The key attribute company is not in AttributeDefinitions; correct the name or define it.',
    },
    {
      name: 'an index key that names no attribute',
      break: (template) => {
        const { logicalId, properties } = first(template, table, (each) => each.GlobalSecondaryIndexes);
        properties.GlobalSecondaryIndexes[0].KeySchema[1].AttributeName = 'company';
        return logicalId;
      },
      said: 'The key attribute company is not in AttributeDefinitions',
    },
    {
      name: 'an attribute that is in no key',
      break: (template) => {
        const { logicalId, properties } = first(template, table);
        properties.AttributeDefinitions.push({ AttributeName: 'name', AttributeType: 'S' });
        return logicalId;
      },
      said: 'The attribute name is defined but stands in no key, which DynamoDB refuses; remove it from AttributeDefinitions.',
    },
    {
      name: 'a replica with an index that the table does not have',
      break: (template) => {
        const { logicalId, properties } = first(template, table, (each) => each.GlobalSecondaryIndexes);
        properties.Replicas[0].GlobalSecondaryIndexes[0].IndexName = 'byMonth';
        return logicalId;
      },
      said: 'A replica names the index byMonth, which the table does not have; correct the name.',
    },
  ],
  'policy-resources': [
    {
      name: 'an action that names no resource, for one',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::IAM::Role', ({ Policies }) => Policies);
        const [statement] = properties.Policies[0].PolicyDocument.Statement;
        statement.Action = ['dynamodb:ListStreams'];
        statement.Resource = 'arn:aws:dynamodb:eu-central-1:111122223333:table/x/stream/*';
        return logicalId;
      },
      said: 'allows dynamodb:ListStreams for arn:aws:dynamodb:eu-central-1:111122223333:table/x/stream/*, and the action names no resource, so that this allows nothing; allow it for *.',
    },
  ],
  'policy-actions': [
    {
      name: 'a mistyped action of a function',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::IAM::Role', ({ Policies }) => Policies);
        properties.Policies[0].PolicyDocument.Statement[0].Action = ['dynamodb:GetItme', 'dynamodb:Query'];
        return logicalId;
      },
      said: 'allows or denies the action dynamodb:GetItme, which no service has; write one of',
    },
    {
      name: 'an action of a mistyped service',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::ApiGateway::RestApi');
        properties.Policy.Statement[0].Action = 'execute_api:Invoke';
        return logicalId;
      },
      said: 'allows or denies the action execute_api:Invoke, which no service has',
    },
    {
      name: 'a mistyped action of a permission',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::Lambda::Permission');
        properties.Action = 'lambda:InvokeFunctoin';
        return logicalId;
      },
      said: 'allows or denies the action lambda:InvokeFunctoin, which no service has',
    },
    {
      name: 'a wildcard that matches no action',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::SNS::TopicPolicy');
        properties.PolicyDocument.Statement[0].Action = 'sns:Publsh*';
        return logicalId;
      },
      said: 'allows or denies the action sns:Publsh*, which no service has',
    },
  ],
  'policy-sizes': [
    {
      name: 'a role with more than its inline policies may say',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::IAM::Role', ({ Policies }) => Policies);
        const { PolicyDocument } = properties.Policies[0];
        PolicyDocument.Statement = Array(50).fill(PolicyDocument.Statement[0]);
        return logicalId;
      },
      said: 'characters, and IAM takes 10240; gather resources that have the same actions in one statement',
    },
  ],
  'policy-conditions': [
    {
      name: 'a mistyped condition operator in the allowlist',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::ApiGateway::RestApi');
        const [allow] = properties.Policy.Statement;
        allow.Condition = { IpAdress: allow.Condition.IpAddress };
        return logicalId;
      },
      said: 'has a policy with the condition operator IpAdress, which IAM does not know; write one such as',
    },
    {
      name: 'a mistyped condition key in the allowlist',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::ApiGateway::RestApi');
        properties.Policy.Statement[0].Condition = { IpAddress: { 'aws:SourceIpAddress': ['192.0.2.1/32'] } };
        return logicalId;
      },
      said: 'has a policy with a condition on aws:SourceIpAddress, which is no condition key; correct the name.',
    },
    {
      name: 'addresses that are compared as text',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::ApiGateway::RestApi');
        properties.Policy.Statement[0].Condition = { StringLike: { 'aws:SourceIp': ['192.0.2.0/28'] } };
        return logicalId;
      },
      said: 'the condition operator StringLike on aws:SourceIp, whose values are of the type IPAddress; use the operators',
    },
  ],
  'policy-statements': [
    {
      name: 'a mistyped effect in a trust policy',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::IAM::Role');
        properties.AssumeRolePolicyDocument.Statement[0].Effect = 'Alow';
        return logicalId;
      },
      said: 'has a policy with the Effect "Alow"; write Allow or Deny.',
    },
    {
      name: 'a mistyped element in the policy of a topic',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::SNS::TopicPolicy');
        properties.PolicyDocument.Statement[0].Conditions = {};
        return logicalId;
      },
      said: 'has a policy with the unknown element Conditions; write one of Action, Condition, ',
    },
    {
      name: 'a statement without an action',
      break: (template) => {
        const { logicalId, properties } = first(template, 'AWS::SNS::TopicPolicy');
        delete properties.PolicyDocument.Statement[0].Action;
        return logicalId;
      },
      said: 'has a policy with no Action; add one.',
    },
  ],
};
