import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { DefaultStackSynthesizer } from 'aws-cdk-lib';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadTrialConfig, maxStageCharacters } from '../../config/load.ts';
import { stackNameOf } from '../../config/schema.ts';
import { identities } from '../../infra/deploy/refusals.ts';
import { maxMetricSeries } from '../../lambdas/api/metrics.ts';
import { operatorFault } from '../support/operator.ts';
import { placeOfTrial } from '../support/trial.ts';
import { appWith, bareConfig, type Resource, synthesize, synthFault, type Template } from './synthesized.ts';

/** Trials are the only stages that `cdk deploy` creates and `cdk destroy` deletes, with everything in them. */
const config = loadTrialConfig('trial', placeOfTrial);

let trial: Template;
/** A second trial in the same account and region. */
let second: Template;
/** A stage with the same configuration that is no trial. */
let lasting: Template;
beforeAll(async () => {
  trial = await synthesize(config, { stage: 'trial' });
  second = await synthesize(config, { stage: 'trial-b' });
  lasting = await synthesize(config, { stage: 'prod' });
});

const count = ({ Resources }: Template) => Object.keys(Resources).length;

describe('cdk destroy deletes all of a trial', () => {
  test('no resource is retained, except for the role of API Gateway that other APIs of the account write their logs with', () => {
    const retained = Object.entries(trial.Resources).flatMap(([logicalId, each]) =>
      [each.DeletionPolicy ?? 'Delete', each.UpdateReplacePolicy ?? 'Delete'].every((policy) => policy === 'Delete')
        ? []
        : [logicalId.slice(0, -8)],
    );
    expect(retained).toEqual(['ApiCloudWatchRole', 'ApiAccount']);
  });

  test('nothing is protected from deletion, and nothing leaves a copy', async () => {
    const { terminationProtection } = (await appWith(config, { stage: 'trial' }))
      .synth()
      .getStackByName('PartnerApi-trial');
    expect(terminationProtection).toBe(false);
    for (const setting of ['DeletionProtectionEnabled', 'PointInTimeRecoveryEnabled', 'MultiRegion'])
      expect(valuesOf(trial, setting), setting).toEqual([false]);
  });
});

/** Returns the distinct values of a property anywhere in a template. */
const valuesOf = ({ Resources }: Template, name: string): unknown[] => {
  const values = new Set<unknown>();
  JSON.stringify(Resources, (key, value) => {
    if (key === name) values.add(value);
    return value;
  });
  return [...values];
};

describe('cdk deploy creates a trial in a new account', () => {
  test('that was bootstrapped as for any app, without a permissions boundary of somebody else', async () => {
    const assembly = (await appWith(config, { stage: 'trial' })).synth();
    const { assumeRoleArn, bootstrapStackVersionSsmParameter } = assembly.getStackByName(
      'PartnerApi-trial',
    ) as Deployed;
    expect(assumeRoleArn).toContain(`:role/cdk-${ordinary}-deploy-role-210987654321-eu-central-1`);
    expect(bootstrapStackVersionSsmParameter).toBe(`/cdk-bootstrap/${ordinary}/version`);
    expect(valuesOf(trial, 'PermissionsBoundary')).toEqual([]);
  });

  test('whose quota is ten executions: none is reserved or provisioned', () => {
    for (const setting of [
      'ReservedConcurrentExecutions',
      'ProvisionedConcurrencyConfig',
      'ProvisionedConcurrentExecutions',
    ])
      expect(valuesOf(trial, setting), setting).toEqual([]);
  });

  test('and of these ten, no queue takes more than two at once', () => {
    const ofQueues = Object.values(trial.Resources).filter(
      ({ Type, Properties }) => Type === 'AWS::Lambda::EventSourceMapping' && !Properties.StartingPosition,
    );
    expect(ofQueues.map(({ Properties }) => Properties.ScalingConfig?.MaximumConcurrency)).toEqual([2, 2, 2, 2, 2]);
  });

  test('and needs no domain, no roles of operators and no recipients of alarms', () => {
    const types = new Set(Object.values(trial.Resources).map(({ Type }) => Type));
    for (const type of ['AWS::ApiGateway::DomainName', 'AWS::SNS::Subscription', 'AWS::IAM::ManagedPolicy'])
      expect(types, type).not.toContain(type);
  });

  test('with fewer resources than production has without simulated homes', async () => {
    expect(count(trial)).toBeLessThan(count(await synthesize(bareConfig, { stage: 'prod' })));
  });

  test.each(['trial', `trial-${'b'.repeat(maxStageCharacters - 'trial-'.length)}`])(
    'and passes every check of a synth: %s',
    async (stage) => {
      expect(await synthFault(config, stage)).toBeUndefined();
    },
  );

  test('and tells where it is and who may call it', () => {
    const { Account, Region, Address } = trial.Outputs;
    expect([Account, Region, Address].map((output) => output?.Value)).toEqual([
      '210987654321',
      'eu-central-1',
      '93.184.216.34/32',
    ]);
  });

  test('and says that it is a trial, how to call it, and how to delete it', () => {
    expect(trial.Description).toMatch(/^A trial of the partner API, /);
    expect(lasting.Description).toMatch(/^The partner API: /);
    const { NextCommand, DeleteCommand } = trial.Outputs;
    expect(operatorFault(String(NextCommand?.Value).replace('npm run operator -- ', ''))).toBeUndefined();
    expect([NextCommand?.Value, DeleteCommand?.Value]).toEqual([
      "npm run operator -- company onboard demo --stage trial --reason 'trial'",
      'npx cdk destroy --context stage=trial',
    ]);
  });

  test('and has the function that company onboard calls, so that the first home need not wait for its schedule', () => {
    const names = Object.values(trial.Resources).map(({ Properties }) => Properties?.FunctionName);
    expect(names).toContain('PartnerApi-trial-simulateHomes');
  });
});

/** The qualifier in the names of the bootstrap that `cdk bootstrap` creates by default. */
const { DEFAULT_QUALIFIER: ordinary } = DefaultStackSynthesizer;

type Deployed = { readonly assumeRoleArn?: string; readonly bootstrapStackVersionSsmParameter?: string };

test('docs/deploy.md names everything for which AWS charges while a trial is at rest', () => {
  const all = (type: string) => Object.values(trial.Resources).filter(({ Type }) => Type === type);
  const metrics = all('AWS::CloudWatch::Alarm').flatMap(
    ({ Properties }) => Properties.Metrics?.filter(({ MetricStat }: { MetricStat?: object }) => MetricStat) ?? [{}],
  );
  const page = readFileSync('docs/deploy.md', 'utf8');
  expect(page).toContain(
    `| CloudWatch: alarms over ${metrics.length} metrics, ${all('AWS::CloudWatch::CompositeAlarm').length} composite alarms, ` +
      `${all('AWS::CloudWatch::InsightRule').length} rules, a dashboard |`,
  );
  expect(page).toContain(`| CloudWatch series: 2, or ${maxMetricSeries} |`);
  expect(all('AWS::CloudWatch::Dashboard')).toHaveLength(1);
  expect(all('AWS::KMS::Key')).toHaveLength(2);
  expect(all('AWS::WAFv2::WebACL')).toEqual([]);
});

test('two trials in one account have no name in common', () => {
  const namesIn = ({ Resources }: Template) =>
    Object.values(Resources).flatMap(({ Type, Properties }) => {
      const identity = (identities[Type] ?? []).map((property) => Properties?.[property]);
      // A name with a reference is one within a resource of the same stack, such as a path within its API.
      return identity.length > 0 && identity.every((value) => typeof value === 'string')
        ? [`${Type} ${identity.join(' ')}`]
        : [];
    });
  const names = namesIn(trial);
  expect(names.length).toBeGreaterThan(100);
  expect(namesIn(second).filter((name) => names.includes(name))).toEqual([]);
});

test('a trial differs from a lasting stage of the same configuration only in these properties', () => {
  const [before, after] = [resourcesOf(lasting, 'prod'), resourcesOf(trial, 'trial')];
  const differences = [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((logicalId) => {
    const { Type } = (before[logicalId] ?? after[logicalId]) as Resource;
    return differencesOf(before[logicalId], after[logicalId], Type);
  });
  expect([...new Set(differences)].sort()).toEqual([
    'AWS::CodeDeploy::Application: some → none',
    'AWS::CodeDeploy::DeploymentGroup: some → none',
    'AWS::DynamoDB::GlobalTable DeletionPolicy: Retain → Delete',
    'AWS::DynamoDB::GlobalTable Replicas 0 DeletionProtectionEnabled: true → false',
    'AWS::DynamoDB::GlobalTable Replicas 0 PointInTimeRecoverySpecification PointInTimeRecoveryEnabled: true → false',
    'AWS::DynamoDB::GlobalTable UpdateReplacePolicy: Retain → Delete',
    'AWS::IAM::Role PermissionsBoundary: arn:aws:iam::210987654321:policy/PartnerApiAccess-prod-boundary → none',
    'AWS::IAM::Role: some → none',
    'AWS::KMS::Key DeletionPolicy: RetainExceptOnCreate → Delete',
    'AWS::KMS::Key MultiRegion: true → false',
    'AWS::KMS::Key PendingWindowInDays: none → 7',
    'AWS::KMS::Key UpdateReplacePolicy: Retain → Delete',
    'AWS::Lambda::Alias DependsOn: some → none',
    'AWS::Lambda::Alias UpdatePolicy: some → none',
    'AWS::Lambda::EventSourceMapping ScalingConfig MaximumConcurrency: 10 → 2',
    'AWS::Lambda::EventSourceMapping ScalingConfig MaximumConcurrency: 5 → 2',
    'AWS::Lambda::EventSourceMapping ScalingConfig MaximumConcurrency: 50 → 2',
    `AWS::Lambda::Function Code S3Bucket: cdk-pa6754af96-assets-210987654321-eu-central-1 → cdk-${ordinary}-assets-210987654321-eu-central-1`,
    'AWS::Logs::LogGroup DeletionPolicy: RetainExceptOnCreate → Delete',
    'AWS::Logs::LogGroup UpdateReplacePolicy: Retain → Delete',
  ]);
});

/** Returns the resources without the name of the stage, and without the hashes that depend on it. */
const resourcesOf = ({ Resources }: Template, stage: string): Readonly<Record<string, Resource>> =>
  JSON.parse(
    JSON.stringify(Resources)
      .replaceAll(stackNameOf(stage), 'Stack')
      .replaceAll(stackNameOf(stage).replaceAll('-', ''), 'Stack')
      .replaceAll(/(CurrentVersion|ApiDeployment)[0-9A-F]{8}[0-9a-f]{32}/g, '$1')
      .replaceAll(/(AllowEventRuleStack[A-Za-z]+?)([0-9A-F]{8})+"/g, '$1"'),
  );

/** Returns a line for each place in which two values differ: what it is in a lasting stage, and in a trial. */
const differencesOf = (before: unknown, after: unknown, place: string): string[] => {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isRecord(before) || !isRecord(after)) return [`${place}: ${shown(before)} → ${shown(after)}`];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
    differencesOf(before[name], after[name], name === 'Properties' ? place : `${place} ${name}`),
  );
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !(Array.isArray(value) && value.length > 1);

const shown = (value: unknown): string => {
  if (value === undefined) return 'none';
  return typeof value === 'object' ? 'some' : String(value);
};
