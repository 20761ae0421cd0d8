import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type ServedTables, UserFacingError } from 'serve-stack';
import { clientConfigOf } from 'serve-stack/dynamodb';
import type { TableName } from '../../lambdas/api/tables.ts';
import { createStore, type Store } from '../../lambdas/data/store/store.ts';

/** Holds the demo world: the template's tables, reached past the functions' roles, as an operator would. */
export type DemoStore = { readonly store: Store; readonly close: () => void };

export const openDemoStore = ({ endpoint, names }: ServedTables): DemoStore => {
  const client = new DynamoDBClient(clientConfigOf(endpoint));
  return { store: createStore(client, tableNameIn(names)), close: () => client.destroy() };
};

const tableNameIn = (names: ServedTables['names']) => (table: TableName) => {
  const name = names[table];
  if (name !== undefined) return name;
  throw new UserFacingError(`The template has no table ${table}, which lambdas/api/tables.ts declares.`);
};
