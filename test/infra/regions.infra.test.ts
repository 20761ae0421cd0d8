import { compilePolicies } from 'serve-stack/services';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../config/load.ts';
import { tableArnOf } from '../../config/regions.ts';
import type { StageConfig } from '../../config/schema.ts';
import { boundaryStatements, policyDocumentOf, type Scope } from '../../infra/access/boundary.ts';
import { executionPolicies } from '../../infra/access/rights.ts';
import { retainedTables, type Table, tables } from '../../lambdas/api/tables.ts';
import { replicasIn } from '../support/regions.ts';
import { functionNamed, resourcesOf, type Template, templateOf } from './synthesized.ts';

const example = loadStageConfig('example');
const { account, region } = example;
const otherRegion = 'eu-west-1';

/** The stage whose stack created the replicas, and the stage in the other region that uses them. */
const first: StageConfig = { ...example, replicaRegion: otherRegion };
const { domain: _, ...withoutDomain } = example;
const second: StageConfig = {
  ...withoutDomain,
  region: otherRegion,
  replicas: replicasIn(otherRegion, account, (table) => `PartnerApi-first-${table}`),
};

const propertiesOf = (template: Template, type: string) =>
  resourcesOf(template, type).map(([, { Properties }]) => Properties);

describe('a stage with a second region', () => {
  test('has a replica there of each table with history, with the same protection, and of no other', async () => {
    const template = await templateOf(first);
    for (const [name, { isDisposable = false }] of Object.entries<Table>(tables)) {
      const [[, table] = []] = resourcesOf(template, 'AWS::DynamoDB::GlobalTable').filter(([id]) =>
        id.startsWith(name),
      );
      const replicas: { Region: string; DeletionProtectionEnabled: boolean }[] = table?.Properties.Replicas ?? [];
      expect(replicas.map(({ Region }) => Region).toSorted(), name).toEqual(
        isDisposable ? [region] : [region, otherRegion],
      );
      for (const replica of isDisposable ? [] : replicas)
        expect(replica).toMatchObject({
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        });
      // Replication requires images of both kinds.
      if (!isDisposable)
        expect(table?.Properties.StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
    }
  });

  test('may create and change only its replicas there', () => {
    const scope: Scope = { partition: 'aws', account, region, stage: 'first', replicaRegion: otherRegion };
    const decide = compilePolicies(Object.values(executionPolicies(scope)).map(policyDocumentOf));
    const on = (action: string, resource: string) => decide({ action, resource, secureTransport: true });
    const table = (stage: string) => `arn:aws:dynamodb:${otherRegion}:${account}:table/PartnerApi-${stage}-ApiKeys`;
    expect(on('dynamodb:CreateTable', table('first'))).toBe('allow');
    expect(on('dynamodb:CreateTable', table('second'))).toBe('implicit deny');
    expect(on('dynamodb:GetItem', table('first'))).toBe('explicit deny');
  });
});

describe('the stage in the other region', () => {
  let standby: Template;
  let serving: Template;
  beforeAll(async () => {
    [standby, serving] = await Promise.all([templateOf({ ...second, isStandby: true }), templateOf(second)]);
  });

  test('uses the replicas and creates no table with history', () => {
    const made = resourcesOf(serving, 'AWS::DynamoDB::GlobalTable').map(([id]) => id.slice(0, -8));
    expect(made.filter((name) => retainedTables.some((table) => table === name))).toEqual([]);
    const [, { Properties }] = functionNamed(serving, 'PartnerApi-test-createApiKey');
    expect(Properties.Environment.Variables.API_KEYS_TABLE).toBe('PartnerApi-first-ApiKeys');
    expect(propertiesOf(serving, 'AWS::KMS::Key')).toEqual([]);
    const streams = propertiesOf(serving, 'AWS::Lambda::EventSourceMapping').map(
      ({ EventSourceArn }) => EventSourceArn,
    );
    expect(streams).toContain(second.replicas?.streams.Appliances);
  });

  test('runs no jobs, serves no requests and sends no alarms as a standby; otherwise it does all three', () => {
    const switches = (template: Template) => ({
      mappings: new Set(propertiesOf(template, 'AWS::Lambda::EventSourceMapping').map(({ Enabled = true }) => Enabled)),
      schedules: new Set(
        propertiesOf(template, 'AWS::Events::Rule').flatMap(({ ScheduleExpression, State }) =>
          ScheduleExpression ? [State] : [],
        ),
      ),
      throttle: propertiesOf(template, 'AWS::ApiGateway::Stage').map(({ MethodSettings: [all] }) => [
        all.ThrottlingRateLimit,
        all.ThrottlingBurstLimit,
      ]),
      calls: new Set(
        ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'].flatMap((type) =>
          propertiesOf(template, type).map(({ ActionsEnabled = true }) => ActionsEnabled),
        ),
      ),
    });
    const { requestsPerSecond, burst } = example.throttle;
    expect(switches(standby)).toEqual({
      mappings: new Set([false]),
      schedules: new Set(['DISABLED']),
      throttle: [[0, 0]],
      calls: new Set([false]),
    });
    expect(switches(serving)).toEqual({
      mappings: new Set([true]),
      schedules: new Set(['ENABLED']),
      throttle: [[requestsPerSecond, burst]],
      calls: new Set([true]),
    });
  });

  test('may use only the replicas of that stage’s tables, within its boundary', () => {
    const replicaTables = retainedTables.map((table) =>
      tableArnOf(second.replicas as NonNullable<typeof second.replicas>, table),
    );
    const scope: Scope = { partition: 'aws', account, region: otherRegion, stage: 'second', replicaTables };
    const decide = compilePolicies([policyDocumentOf(boundaryStatements(scope))]);
    const get = (resource: string) => decide({ action: 'dynamodb:GetItem', resource, secureTransport: true });
    const table = (name: string) => `arn:aws:dynamodb:${otherRegion}:${account}:table/${name}`;
    expect([table('PartnerApi-first-ApiKeys'), table('PartnerApi-first-AuditLog/index/byUser')].map(get)).toEqual([
      'allow',
      'allow',
    ]);
    expect([table('PartnerApi-first-TokenBuckets'), table('PartnerApi-first-ApiKeys2')].map(get)).toEqual([
      'implicit deny',
      'implicit deny',
    ]);
  });
});
