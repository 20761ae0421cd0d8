import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type Table, type TableName, tables } from '../../lambdas/api/tables.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { OperatorContext } from '../cli/context.ts';
import { type Finding, fault, ok } from './finding.ts';

export const checkTables = async ({ connect }: OperatorContext): Promise<Finding[]> => {
  const { store } = await connect();
  const names = Object.keys(tables) as TableName[];
  const findings = await Promise.all(names.map((name) => checkTable(store, name)));
  const faults = findings.filter((each) => each !== undefined);
  return faults.length > 0 ? faults : [ok(`all ${names.length} are there and answer`)];
};

/** Undefined if nothing is wrong. */
const checkTable = async (store: Store, name: TableName): Promise<Finding | undefined> => {
  try {
    const { Table: described } = await store.send(new DescribeTableCommand({ TableName: store.tableName(name) }));
    const status = described?.TableStatus;
    if (status !== 'ACTIVE' && status !== 'UPDATING')
      return fault(`${name} is ${status}`, 'wait, and run again; then look at the stack in CloudFormation');
    await store.send(new GetCommand({ TableName: store.tableName(name), Key: keyOfNothing(tables[name]) }));
    return undefined;
  } catch (error) {
    const { name: cause, message } = error as Error;
    return fault(`${name} does not answer (${cause}: ${message})`, 'mend what it says, and run again');
  }
};

/** The key of an item that no table has: an answer to it shows that the table can be read. */
const keyOfNothing = ({ partitionKey, sortKey }: Table) => ({
  [partitionKey]: 'nothing',
  ...(sortKey && { [sortKey]: 'nothing' }),
});
