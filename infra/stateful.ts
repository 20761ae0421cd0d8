import type { Stack } from 'aws-cdk-lib';
import {
  type Attribute,
  AttributeType,
  Billing,
  type ITableV2,
  ProjectionType,
  StreamViewType,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { type IKey, Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { type ILogGroup, LogGroup, LogGroupClass } from 'aws-cdk-lib/aws-logs';
import type { StageConfig } from '../config/schema.ts';
import { type MacKey, type MacKeyName, macKeys } from '../lambdas/api/environment.ts';
import { type Table, type TableName, tables } from '../lambdas/api/tables.ts';
import { disposable, lifetimeIn } from './lifetime.ts';

export type Tables = Readonly<Record<TableName, ITableV2>>;

/**
 * Creates the tables, each directly in the stack and under its own name: their logical ids follow from that, so moving or
 * renaming one would replace it and lose its data. They are global tables with one region: an `AWS::DynamoDB::Table` could get
 * a replica only by leaving its stack.
 */
export const createTables = (stack: Stack, reconnectStreams?: string): Tables =>
  Object.fromEntries(
    Object.entries<Table>(tables).map(([name, table]) => [name, createTable(stack, name, table, reconnectStreams)]),
  ) as object as Tables;

/**
 * Creates a table directly in the stack. A new value of `reconnectStreams` changes a tag of the tables with a stream: only when a
 * table changes does CloudFormation read the ARN of its stream again, and replace the mappings and policies that have it.
 */
export const createTable = (stack: Stack, name: string, table: Table, reconnectStreams?: string) => {
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
    ...(table.stream && reconnectStreams && { tags: [{ key: 'reconnect-streams', value: reconnectStreams }] }),
    billing: Billing.onDemand(),
    ...(table.isDisposable ? disposable : lifetimeIn(stack).tables),
  });
};

const text = (name: string): Attribute => ({ name, type: AttributeType.STRING });

/**
 * The log groups by what writes to them: the functions of endpoints, API Gateway's access log, the scheduled jobs, the
 * consumers of queues and streams.
 */
export type LogGroups = Readonly<Record<'requests' | 'access' | 'jobs' | 'consumers', ILogGroup>>;

/**
 * Creates the log groups, each directly in the stack and under its own name, like the tables: their logical ids follow from
 * that, so moving or renaming one would start an empty log.
 */
export const createLogGroups = (stack: Stack, { logRetentionDays }: StageConfig): LogGroups => {
  const kept = { retention: logRetentionDays, ...lifetimeIn(stack).logs };
  return {
    requests: new LogGroup(stack, 'RequestLog', kept),
    // Only queries read this log, so it has the class that supports nothing else and costs half. A group cannot change its
    // class.
    access: new LogGroup(stack, 'AccessLog', { ...kept, logGroupClass: LogGroupClass.INFREQUENT_ACCESS }),
    jobs: new LogGroup(stack, 'JobLog', kept),
    consumers: new LogGroup(stack, 'ConsumerLog', kept),
  };
};

export type MacKeys = Readonly<Record<MacKeyName, IKey>>;

/**
 * Creates the keys, each directly in the stack: a new key computes other codes, so no key may be moved or renamed. Values that
 * were derived with a lost key cannot be derived again. So the key of a stage other than a trial is kept when its stack is
 * deleted, and it can be replicated to another Region, where the replica derives the same values. KMS never changes whether a
 * key can be replicated.
 */
export const createMacKeys = (stack: Stack): MacKeys =>
  Object.fromEntries<IKey>(
    (Object.entries(macKeys) as [MacKeyName, MacKey][]).map(([name, { summary }]) => [
      name,
      new Key(stack, logicalName(name), {
        description: summary,
        keySpec: KeySpec.HMAC_256,
        keyUsage: KeyUsage.GENERATE_VERIFY_MAC,
        ...lifetimeIn(stack).keys,
      }),
    ]),
  ) as MacKeys;

/** `webhookSecrets` → `WebhookSecrets`. */
const logicalName = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
