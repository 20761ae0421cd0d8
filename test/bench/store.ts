import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { settingVariable, tableVariable } from '../../lambdas/api/environment-variables.ts';
import type { TableName } from '../../lambdas/api/tables.ts';
import { startDynamoDbLocal } from '../../local/aws/dynamodb/dynamodb-local.ts';
import { createTables } from '../../local/aws/dynamodb/tables.ts';
import { loadStack } from '../../local/aws/template/template.ts';
import { synthesizeIfStale } from '../../local/synthesis.ts';

/** A DynamoDB Local with the stack's tables, and the environment that finds it, for this process and its children. */
export const openStore = async () => {
  const dynamoDb = await startDynamoDbLocal();
  Object.assign(process.env, {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint,
    [settingVariable('metricNamespace')]: 'bench',
  });
  const { template } = loadStack(await synthesizeIfStale());
  const tables = await createTables(new DynamoDBClient(), template);
  for (const [name, physicalName] of Object.entries(tables))
    process.env[tableVariable(name as TableName)] = physicalName;
  return { close: dynamoDb.stop };
};
