import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../config/load.ts';
import { type Table, tables } from '../../lambdas/api/tables.ts';
import { type Resource, resourcesOf, synthesize, type Template, templateOf, templateOfStage } from './synthesized.ts';

describe('tables', () => {
  const type = 'AWS::DynamoDB::GlobalTable';
  let template: Template;
  beforeAll(async () => {
    template = await templateOfStage('local');
  });

  describe.each(Object.entries<Table>(tables))('%s', (name, table) => {
    const resource = () => resourcesOf(template, type).find(([id]) => id.startsWith(name))?.[1] as Resource;
    const replica = () => resource().Properties.Replicas[0];

    test('is billed on demand and named by CloudFormation', () => {
      const { BillingMode, TableName } = resource().Properties;
      expect(BillingMode).toBe('PAY_PER_REQUEST');
      expect(TableName).toBeUndefined();
    });

    const { isDisposable = false, timeToLiveAttribute } = table;
    test(`${isDisposable ? 'forgets' : 'loses nothing'}: backup, deletion protection, removal and time to live`, () => {
      expect({
        pointInTimeRecovery: replica().PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled,
        deletionProtection: replica().DeletionProtectionEnabled,
        whenRemoved: [resource().DeletionPolicy, resource().UpdateReplacePolicy],
        timeToLive: resource().Properties.TimeToLiveSpecification,
      }).toEqual({
        pointInTimeRecovery: !isDisposable,
        deletionProtection: !isDisposable,
        whenRemoved: isDisposable ? ['Delete', 'Delete'] : ['Retain', 'Retain'],
        timeToLive: timeToLiveAttribute && { AttributeName: timeToLiveAttribute, Enabled: true },
      });
    });
  });

  test('a deployment that reconnects streams changes a tag of the tables with a stream, and nothing else', async () => {
    const config = loadStageConfig('local');
    const { Resources: before } = await templateOf(config);
    const again = await synthesize(config, { reconnectStreams: 'now' });
    const changed = Object.entries(again.Resources).filter(([id, each]) => !isDeepStrictEqual(each, before[id]));
    const tags = [{ Key: 'reconnect-streams', Value: 'now' }];
    expect(changed.map(([id, { Properties }]) => [id, Properties.Replicas?.[0].Tags])).toEqual(
      resourcesOf(again, type)
        .filter(([, { Properties }]) => Properties.StreamSpecification)
        .map(([id]) => [id, tags]),
    );
  });

  test('no other table exists; key rows have no time to live, and no stream contains hashes or salts', () => {
    expect(resourcesOf(template, type)).toHaveLength(Object.keys(tables).length);
    const { timeToLiveAttribute, stream }: Table = tables.ApiKeys;
    expect([timeToLiveAttribute, stream]).toEqual([undefined, undefined]);
    expect((tables.IdempotencyRecords as Table).stream).toBeUndefined();
  });

  test('data that cannot be recreated is kept: keys, companies, contracts, appliances, audit, webhooks', () => {
    const kept = Object.entries<Table>(tables).flatMap(([name, { isDisposable }]) => (isDisposable ? [] : [name]));
    const remedy =
      'Nothing can recreate the rows of these tables, so lambdas/api/tables.ts must not call them isDisposable. A new table with such rows gets its name in test/infra/stateful.infra.test.ts.';
    expect(kept, remedy).toEqual(['ApiKeys', 'Companies', 'Contracts', 'Appliances', 'AuditLog', 'Webhooks']);
  });

  /**
   * The properties that a table with data cannot change. CloudFormation replaces a table with another key by an empty one and
   * reports success; a test that derived the key from the code under test would agree. They are literals, so that they
   * are not changed by accident: to change a key, add a table and move the data.
   */
  test('logical ids, keys, indexes, projections and streams never change', () => {
    const described = resourcesOf(template, type).map(([id, { Properties }]) => {
      const { KeySchema, GlobalSecondaryIndexes = [], StreamSpecification } = Properties;
      const indexes = GlobalSecondaryIndexes.map(
        ({ IndexName, KeySchema, Projection }: Index) =>
          `${IndexName}(${keyOf(KeySchema)}) ${Projection.ProjectionType}`,
      );
      const stream = StreamSpecification ? [StreamSpecification.StreamViewType] : [];
      return [`${id}(${keyOf(KeySchema)})`, ...indexes, ...stream].join(' ');
    });
    const remedy =
      'CloudFormation would replace the table by an empty one, or refuse the update. Undo the change in lambdas/api/tables.ts or infra/stateful.ts; for another key, add a table and move the data. A new table or index gets its line in test/infra/stateful.infra.test.ts.';
    expect(described, remedy).toEqual([
      'ApiKeys3BB3983D(companyId, sk) byExpiryMonth(expiryMonth, companyId) ALL',
      'CompaniesAF68172A(companyId)',
      'Contracts0B5774C6(contractId) byCompany(listedFor, userId) KEYS_ONLY NEW_AND_OLD_IMAGES',
      'TokenBuckets3A69697A(bucketId)',
      'Appliances27309C66(gatewayId, sk) byOpenSince(openPartition, openSince) KEYS_ONLY byOpenUntil(openPartition, openUntil) KEYS_ONLY NEW_AND_OLD_IMAGES',
      'AuditLogA5B7094E(subject, sk) byUser(userId, sk) ALL byGateway(gatewayId, sk) ALL',
      'KeyNotices9D5DA5BB(companyId, sk) NEW_IMAGE',
      'IdempotencyRecords9DD67625(companyId, sk)',
      'EventsD32975C2(companyId, sk)',
      'Usage04F2BA28(companyId, sk)',
      'WebhooksA50342DA(companyId, sk) byDue(due, dueAt) KEYS_ONLY NEW_AND_OLD_IMAGES',
      'WebhookAttempts89BFA6D4(companyId, sk)',
    ]);
  });

  test('every key is text', () => {
    for (const [id, { Properties }] of resourcesOf(template, type))
      for (const { AttributeName, AttributeType } of Properties.AttributeDefinitions)
        expect(AttributeType, `${id} ${AttributeName}`).toBe('S');
  });

  type KeySchema = readonly { readonly AttributeName: string; readonly KeyType: string }[];

  type Index = {
    readonly IndexName: string;
    readonly KeySchema: KeySchema;
    readonly Projection: { readonly ProjectionType: string };
  };

  /** `companyId, sk`: the partition key, then the sort key. */
  const keyOf = (schema: KeySchema): string => {
    expect(schema.map(({ KeyType }) => KeyType)).toEqual(['HASH', 'RANGE'].slice(0, schema.length));
    return schema.map(({ AttributeName }) => AttributeName).join(', ');
  };
});

describe('log groups', () => {
  test('logs with metrics or rules have the standard class, the access log the infrequent one', async () => {
    const groups = resourcesOf(await templateOfStage('example'), 'AWS::Logs::LogGroup');
    const classes = groups.map(([id, { Properties }]) => [id.slice(0, -8), Properties.LogGroupClass ?? 'STANDARD']);
    const remedy =
      'A log group cannot change its class. Undo the change in infra/. A new log group gets its line in test/infra/stateful.infra.test.ts.';
    expect(Object.fromEntries(classes), remedy).toEqual({
      RequestLog: 'STANDARD',
      AccessLog: 'INFREQUENT_ACCESS',
      JobLog: 'STANDARD',
      ConsumerLog: 'STANDARD',
    });
  });
});

describe('what a second region needs, and no update can add', () => {
  let template: Template;
  beforeAll(async () => {
    template = await templateOfStage('example');
  });

  test('each table is a global table, with the one region of the stage', () => {
    expect(resourcesOf(template, 'AWS::DynamoDB::Table')).toEqual([]);
    for (const [id, { Properties }] of resourcesOf(template, 'AWS::DynamoDB::GlobalTable'))
      expect(Properties.Replicas, id).toEqual([expect.objectContaining({ Region: 'eu-central-1' })]);
  });

  test('each key can be replicated, so that its replica derives the same secrets', () => {
    for (const [id, { Properties }] of resourcesOf(template, 'AWS::KMS::Key'))
      expect(Properties.MultiRegion, id).toBe(true);
  });

  test('each stream of a table with history has both images', () => {
    const kept = resourcesOf(template, 'AWS::DynamoDB::GlobalTable').filter(
      ([, { DeletionPolicy, Properties }]) => DeletionPolicy === 'Retain' && Properties.StreamSpecification,
    );
    expect(kept.map(([id]) => id.slice(0, -8))).toEqual(['Contracts', 'Appliances', 'Webhooks']);
    for (const [id, { Properties }] of kept)
      expect(Properties.StreamSpecification, id).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
  });
});

describe('mac keys', () => {
  let template: Template;
  beforeAll(async () => {
    template = await templateOfStage('example');
  });

  /** Literals: another key computes other secrets, and every webhook of every partner would be refused. */
  test.each(['WebhookSecretsC35BAB69', 'OwnerPseudonymsA7766D81'])(
    'the key %s is what it has always been, and outlives its stack',
    (id) => {
      const { Properties, DeletionPolicy, UpdateReplacePolicy } = Object.fromEntries(
        resourcesOf(template, 'AWS::KMS::Key'),
      )[id] as Resource;
      expect(Properties).toMatchObject({ KeySpec: 'HMAC_256', KeyUsage: 'GENERATE_VERIFY_MAC', MultiRegion: true });
      expect([DeletionPolicy, UpdateReplacePolicy]).toEqual(['RetainExceptOnCreate', 'Retain']);
    },
  );

  test('only the account may use a key', () => {
    const keys = resourcesOf(template, 'AWS::KMS::Key');
    expect(keys).toHaveLength(2);
    for (const [, { Properties }] of keys) {
      const principals = Properties.KeyPolicy.Statement.map(({ Principal }: { Principal: object }) => Principal);
      expect(JSON.stringify(principals)).toMatch(/^\[\{"AWS":.*:root"\}\]$/);
    }
  });
});
