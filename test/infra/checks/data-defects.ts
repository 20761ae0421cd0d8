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
};
