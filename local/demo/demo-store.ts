import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { tableVariable } from '../../lambdas/api/environment-variables.ts';
import type { TableName } from '../../lambdas/api/tables.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { clientConfigOf } from '../aws/dynamodb/dynamodb-local.ts';
import { createTables, deleteTables } from '../aws/dynamodb/tables.ts';
import type { Template } from '../aws/template/template.ts';

type Options = {
  readonly endpoint: string;
  readonly template: Template;
  readonly tablePrefix: string;
  /** Leaves what an earlier run has written; otherwise the tables begin empty. */
  readonly keepData: boolean;
};

/** Where the demo world lives: the template's tables, reached past the functions' roles, as an operator would. */
export type DemoStore = {
  readonly store: Store;
  /** The tables' physical names by those in the template. */
  readonly tables: Readonly<Record<string, string>>;
  readonly close: () => void;
};

/**
 * Creates the template's tables. Until it is closed, the data modules find them through this process's environment, as
 * they do in a function; so one process serves one demo world at a time.
 */
export const openDemoStore = async ({ endpoint, template, tablePrefix, keepData }: Options): Promise<DemoStore> => {
  const client = new DynamoDBClient(clientConfigOf(endpoint));
  if (!keepData) await deleteTables(client, template, tablePrefix);
  const tables = await createTables(client, template, tablePrefix);
  const restoreEnvironment = setVariables(
    Object.entries(tables).map(([table, name]) => [tableVariable(table as TableName), name]),
  );
  return {
    store: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
    tables,
    close: () => {
      restoreEnvironment();
      client.destroy();
    },
  };
};

type Variable = readonly [name: string, value: string | undefined];

/** Returns what sets them back. */
const setVariables = (variables: readonly Variable[]): (() => void) => {
  const before = variables.map(([name]): Variable => [name, process.env[name]]);
  for (const [name, value] of variables)
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  return () => void setVariables(before);
};
