import { type TableName, tables } from '../../lambdas/api/tables.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Exchange } from './fault-proxy.ts';

/** What the exchanges with the store needed of IAM, in order: `Query on ApiKeys`. */
export const usedActions = (store: Store, exchanges: readonly Exchange[]): string[] =>
  [
    ...new Set(exchanges.flatMap(accessesOf).map(([action, table]) => `${action} on ${logicalName(store, table)}`)),
  ].toSorted();

/** What IAM would ask for: the parts of a transaction are actions of their own. */
const accessesOf = ({ action, input }: Exchange): [action: string, table: string][] => {
  if (action === 'BatchGetItem') return Object.keys(input.RequestItems).map((table) => [action, table]);
  if (action !== 'TransactWriteItems') return [[action, input.TableName]];
  return input.TransactItems.flatMap((item: Record<string, { TableName: string }>) =>
    Object.entries(item).map(([part, { TableName }]) => [
      part === 'ConditionCheck' ? 'ConditionCheckItem' : `${part}Item`,
      TableName,
    ]),
  );
};

const logicalName = (store: Store, physicalName: string) =>
  (Object.keys(tables) as TableName[]).find((name) => store.tableName(name) === physicalName);
