import {
  CreateTableCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import type { Stack } from '../template/template.ts';
import { readTables, type TableDefinition } from './table-definitions.ts';

/**
 * Creates the stack's tables where they do not exist yet, and tells their physical names by construct name:
 * `createTables(client, stack, 'run7-')` → `{ ApiKeys: 'run7-ApiKeys', … }`.
 */
export const createTables = async (
  client: DynamoDBClient,
  stack: Stack,
  prefix?: string,
): Promise<Readonly<Record<string, string>>> => {
  const tables = readTables(stack, prefix);
  await Promise.all(tables.map((table) => createTable(client, table)));
  return Object.fromEntries(tables.map(({ constructName, TableName }) => [constructName, TableName]));
};

const createTable = async (client: DynamoDBClient, { TableName, schema, stream, timeToLive }: TableDefinition) => {
  const StreamSpecification = stream && { StreamEnabled: true, ...stream };
  try {
    await client.send(
      new CreateTableCommand({ TableName, BillingMode: 'PAY_PER_REQUEST', ...schema, StreamSpecification }),
    );
  } catch (error) {
    if (error instanceof ResourceInUseException) return;
    throw error;
  }
  if (timeToLive) await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: timeToLive }));
};

/** Deletes the stack's tables where they exist, with all that is in them. */
export const deleteTables = async (client: DynamoDBClient, stack: Stack, prefix?: string): Promise<void> => {
  await Promise.all(
    readTables(stack, prefix).map(({ TableName }) =>
      client.send(new DeleteTableCommand({ TableName })).catch((error) => {
        if (!(error instanceof ResourceNotFoundException)) throw error;
      }),
    ),
  );
};
