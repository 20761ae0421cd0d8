import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import {
  type Attribute,
  AttributeType,
  Billing,
  ProjectionType,
  StreamViewType,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { type Table, type TableName, tables } from '../lambdas/api/tables.ts';

export type Tables = Readonly<Record<TableName, TableV2>>;

/**
 * Creates the tables, each directly in the stack and under its own name: their logical ids follow from that, so moving
 * or renaming one would replace it and its data.
 */
export const createTables = (stack: Stack): Tables =>
  Object.fromEntries(
    Object.entries<Table>(tables).map(([name, table]) => [name, createTable(stack, name, table)]),
  ) as Tables;

const createTable = (stack: Stack, name: string, table: Table) => {
  const { isDisposable = false } = table;
  return new TableV2(stack, name, {
    partitionKey: text(table.partitionKey),
    ...(table.sortKey && { sortKey: text(table.sortKey) }),
    globalSecondaryIndexes: Object.entries(table.indexes ?? {}).map(
      ([indexName, { partitionKey, sortKey, projection }]) => ({
        indexName,
        partitionKey: text(partitionKey),
        sortKey: text(sortKey),
        projectionType: ProjectionType[projection],
      }),
    ),
    ...(table.timeToLiveAttribute && { timeToLiveAttribute: table.timeToLiveAttribute }),
    ...(table.stream && { dynamoStream: StreamViewType[table.stream] }),
    billing: Billing.onDemand(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: !isDisposable },
    deletionProtection: !isDisposable,
    removalPolicy: isDisposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
  });
};

const text = (name: string): Attribute => ({ name, type: AttributeType.STRING });
