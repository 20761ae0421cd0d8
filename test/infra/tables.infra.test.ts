import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../config/load.ts';
import { type Table, tables } from '../../lambdas/api/tables.ts';
import { type Resource, resourcesOf, synthesize, type Template } from './synthesized.ts';

const type = 'AWS::DynamoDB::GlobalTable';
let template: Template;
beforeAll(async () => {
  template = await synthesize(loadStageConfig('local'));
});

describe.each(Object.entries<Table>(tables))('%s', (name, table) => {
  const resource = () => resourcesOf(template, type).find(([id]) => id.startsWith(name))?.[1] as Resource;
  const replica = () => resource().Properties.Replicas[0];

  test('has its keys, indexes and stream, is paid by use and named by CloudFormation', () => {
    const { KeySchema, GlobalSecondaryIndexes, BillingMode, StreamSpecification, TableName } = resource().Properties;
    expect(KeySchema).toEqual(keySchema(table));
    expect(GlobalSecondaryIndexes).toEqual(
      table.indexes &&
        Object.entries(table.indexes).map(([IndexName, index]) => ({
          IndexName,
          KeySchema: keySchema(index),
          Projection: { ProjectionType: 'ALL' },
        })),
    );
    expect(StreamSpecification).toEqual(table.stream && { StreamViewType: 'NEW_IMAGE' });
    expect(BillingMode).toBe('PAY_PER_REQUEST');
    expect(TableName).toBeUndefined();
    expect(resource().Properties.Replicas).toHaveLength(1);
  });

  const disposable = table.timeToLiveAttribute !== undefined;
  test(`${disposable ? 'forgets' : 'loses nothing'}: backup, deletion protection, removal and time to live`, () => {
    expect({
      pointInTimeRecovery: replica().PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled,
      deletionProtection: replica().DeletionProtectionEnabled,
      whenRemoved: [resource().DeletionPolicy, resource().UpdateReplacePolicy],
      timeToLive: resource().Properties.TimeToLiveSpecification,
    }).toEqual(
      disposable
        ? {
            pointInTimeRecovery: false,
            deletionProtection: false,
            whenRemoved: ['Delete', 'Delete'],
            timeToLive: { AttributeName: table.timeToLiveAttribute, Enabled: true },
          }
        : {
            pointInTimeRecovery: true,
            deletionProtection: true,
            whenRemoved: ['Retain', 'Retain'],
            timeToLive: undefined,
          },
    );
  });
});

test('no other table exists; keys never expire by themselves, and no stream carries their hashes, nor their salts', () => {
  expect(resourcesOf(template, type)).toHaveLength(Object.keys(tables).length);
  const { timeToLiveAttribute, stream }: Table = tables.ApiKeys;
  expect([timeToLiveAttribute, stream]).toEqual([undefined, undefined]);
  expect((tables.IdempotencyRecords as Table).stream).toBeUndefined();
});

/** A table's id holds its data: another one is another, empty table. */
test('logical ids are what they have always been', () => {
  expect(resourcesOf(template, type).map(([id]) => id)).toEqual([
    'ApiKeys3BB3983D',
    'Contracts0B5774C6',
    'TokenBuckets3A69697A',
    'Appliances27309C66',
    'AuditLogA5B7094E',
    'KeyNotices9D5DA5BB',
    'IdempotencyRecords9DD67625',
  ]);
});

const keySchema = ({ partitionKey, sortKey }: { partitionKey: string; sortKey?: string }) => [
  { AttributeName: partitionKey, KeyType: 'HASH' },
  ...(sortKey ? [{ AttributeName: sortKey, KeyType: 'RANGE' }] : []),
];
