import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { proven } from '../../support/campaign.ts';
import {
  functionNamed,
  grantsOf,
  type Resource,
  resourcesOf,
  stackName,
  synthesize,
  type Template,
  templateOf,
  templateOfStage,
  theResource,
} from '../synthesized.ts';

const config = loadStageConfig('example');
let template: Template;
beforeAll(async () => {
  template = await templateOfStage('example');
});

const ofFunction = (type: string, operationId: string, from = template) => {
  const [functionId] = functionNamed(from, `${stackName}-${operationId}`);
  const found = resourcesOf(from, type).filter(([, { Properties }]) => Properties.FunctionName.Ref === functionId);
  expect(found).toHaveLength(1);
  return found[0] as [logicalId: string, Resource];
};
const groupOf = ({ UpdatePolicy }: Resource): Resource => {
  const name = UpdatePolicy?.CodeDeployLambdaAliasUpdate?.DeploymentGroupName;
  const groups = resourcesOf(template, 'AWS::CodeDeploy::DeploymentGroup').map(([, group]) => group);
  return groups.find(({ Properties }) => Properties.DeploymentGroupName === name) as Resource;
};
const fastBurn = () =>
  resourcesOf(template, 'AWS::CloudWatch::Alarm').find(
    ([, { Properties }]) => Properties.AlarmName === `${stackName}-availability-fast-5m`,
  ) as [logicalId: string, Resource];

describe.each(operationIds)('%s', (operationId) => {
  test('answers with its alias’s version, which is that of its code', () => {
    const [versionId] = ofFunction('AWS::Lambda::Version', operationId);
    const [, { Properties }] = ofFunction('AWS::Lambda::Alias', operationId);
    expect([Properties.Name, Properties.FunctionVersion]).toEqual(['live', { 'Fn::GetAtt': [versionId, 'Version'] }]);
    expect(Properties.RoutingConfig).toBeUndefined();
  });

  test('gets a tenth of requests for ten minutes, and is rolled back on a fast burn of the error budget', () => {
    const [, alias] = ofFunction('AWS::Lambda::Alias', operationId);
    expect(groupOf(alias).Properties).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent10Minutes',
      AlarmConfiguration: { Enabled: true, Alarms: [{ Name: { Ref: fastBurn()[0] } }] },
      AutoRollbackConfiguration: {
        Enabled: true,
        Events: expect.arrayContaining(['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM']),
      },
    });
    expect(groupOf(alias).Properties.AlarmConfiguration.IgnorePollAlarmFailure ?? false).toBe(false);
  });

  test('has a version that CloudFormation deletes when it is replaced, which is not counted as a loss', () => {
    const [, version] = ofFunction('AWS::Lambda::Version', operationId);
    expect([version.DeletionPolicy ?? 'Delete', version.UpdateReplacePolicy ?? 'Delete']).toEqual(['Delete', 'Delete']);
  });
});

test('each function has its own group, which runs one deployment at a time; all share an application', () => {
  const names = resourcesOf(template, 'AWS::Lambda::Alias').map(
    ([, { UpdatePolicy }]) => UpdatePolicy?.CodeDeployLambdaAliasUpdate,
  );
  expect(new Set(names.map((each) => each?.DeploymentGroupName)).size).toBe(operationIds.length);
  const [applicationId] = theResource(template, 'AWS::CodeDeploy::Application');
  expect(new Set(names.map((each) => each?.ApplicationName.Ref))).toEqual(new Set([applicationId]));
  expect(resourcesOf(template, 'AWS::CodeDeploy::DeploymentGroup')).toHaveLength(operationIds.length);
});

test('the alarm depends on nothing that depends on an alias', () => {
  const [, alarm] = fastBurn();
  expect([JSON.stringify(alarm.Properties).match(/"Ref"|"Fn::GetAtt"/), alarm.DependsOn]).toEqual([null, undefined]);
  const [, stage] = theResource(template, 'AWS::ApiGateway::Stage');
  const [, api] = theResource(template, 'AWS::ApiGateway::RestApi');
  for (const { MetricStat } of alarm.Properties.Metrics.filter((each: { MetricStat?: object }) => each.MetricStat))
    expect(MetricStat.Metric.Dimensions).toEqual([
      { Name: 'ApiName', Value: api.Properties.Name },
      { Name: 'Stage', Value: stage.Properties.StageName },
    ]);
});

test('CodeDeploy may only move the aliases of endpoints', () => {
  const [, group] = resourcesOf(template, 'AWS::CodeDeploy::DeploymentGroup')[0] as [string, Resource];
  const role = template.Resources[group.Properties.ServiceRoleArn['Fn::GetAtt'][0]] as Resource;
  expect(role.Properties.ManagedPolicyArns).toBeUndefined();
  const [own, reads] = role.Properties.Policies[0].PolicyDocument.Statement;
  expect([...grantsOf(template, { Policies: [{ PolicyDocument: { Statement: [own] } }] })].toSorted()).toEqual(
    operationIds.map((id) => `lambda:UpdateAlias on ${functionNamed(template, `${stackName}-${id}`)[0]}`).toSorted(),
  );
  expect(role.Properties.Policies[0].PolicyDocument.Statement).toHaveLength(2);
  expect(reads.Action).toSatisfy((actions: string[]) => actions.every((each) => /:(Get|Describe)/.test(each)));
});

test('at once, versions change without CodeDeploy, which waits and does not start in ALARM', async () => {
  const atOnce = await synthesize(config, { isAtOnce: true });
  for (const [id, alias] of resourcesOf(template, 'AWS::Lambda::Alias')) {
    const { UpdatePolicy, ...rest } = alias;
    expect(UpdatePolicy).toBeDefined();
    expect(atOnce.Resources[id]).toEqual(rest);
  }
  expect(Object.keys(atOnce.Resources)).toEqual(Object.keys(template.Resources));
});

describe('a version is one state of a function', () => {
  const versionsOf = (from: Template) => resourcesOf(from, 'AWS::Lambda::Version').map(([id]) => id);

  test('an unchanged configuration keeps its version, whatever else changes', async () => {
    expect(versionsOf(await templateOf({ ...config, logRetentionDays: 90 }))).toEqual(versionsOf(template));
  });

  test('another setting publishes a new version of exactly the functions that have it', proven, async () => {
    const consent = { ...config.consent, requiredVersion: config.consent.requiredVersion + 1 };
    const changed = await synthesize({ ...config, consent });
    const hasSetting = (operationId: string) =>
      'REQUIRED_CONSENT_VERSION' in
      functionNamed(template, `${stackName}-${operationId}`)[1].Properties.Environment.Variables;
    for (const operationId of operationIds) {
      const [before, after] = [template, changed].map(
        (from) => ofFunction('AWS::Lambda::Version', operationId, from)[0],
      );
      expect(before !== after, operationId).toBe(hasSetting(operationId));
    }
    expect(operationIds.filter(hasSetting).length).toBeGreaterThan(0);
    expect(operationIds.every(hasSetting)).toBe(false);
  });
});
