import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { TableName } from '../../lambdas/api/tables.ts';
import { createStore, type Store } from '../../lambdas/data/store/store.ts';
import { clientConfigOf } from '../aws/dynamodb/dynamodb-local.ts';
import { createTables, deleteTables } from '../aws/dynamodb/tables.ts';
import type { Template } from '../aws/template/template.ts';
import { UserFacingError } from '../aws/user-facing-error.ts';

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

/** Creates the template's tables. */
export const openDemoStore = async ({ endpoint, template, tablePrefix, keepData }: Options): Promise<DemoStore> => {
  const client = new DynamoDBClient(clientConfigOf(endpoint));
  if (!keepData) await deleteTables(client, template, tablePrefix);
  const tables = await createTables(client, template, tablePrefix);
  return { store: createStore(client, tableNameIn(tables)), tables, close: () => client.destroy() };
};

const tableNameIn = (tables: DemoStore['tables']) => (table: TableName) => {
  const name = tables[table];
  if (name !== undefined) return name;
  throw new UserFacingError(`The template has no table ${table}, which lambdas/api/tables.ts declares.`);
};
