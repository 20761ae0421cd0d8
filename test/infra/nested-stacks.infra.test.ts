import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { appWith, fullConfig, type Resource, resourcesOf, stackName, type Template } from './synthesized.ts';

const nestedNames = ['Groups', 'Methods', 'Monitoring'] as const;
type NestedName = (typeof nestedNames)[number];

/** The stacks as CloudFormation receives them. */
let stage: Template;
const nested = {} as Record<NestedName, Template>;
beforeAll(async () => {
  const { directory } = (await appWith(fullConfig)).synth();
  const read = (pattern: string) => JSON.parse(readFileSync(globSync(join(directory, pattern))[0] ?? '', 'utf8'));
  stage = read(`${stackName}.template.json`);
  for (const name of nestedNames) nested[name] = read(`*${name}????????.nested.template.json`);
});

const stackOf = (name: NestedName): [logicalId: string, Resource] => {
  const found = resourcesOf(stage, 'AWS::CloudFormation::Stack').filter(([id]) => id.includes(`${name}NestedStack`));
  expect(found).toHaveLength(1);
  return found[0] as [string, Resource];
};

/** Returns the dependencies of a resource of the stage: by reference in a property or policy, or by name. */
const awaitedBy = (id: string): string[] => {
  const text = JSON.stringify(stage.Resources[id]);
  return Object.keys(stage.Resources).filter(
    (other) => other !== id && (text.includes(`"${other}"`) || text.includes(`\${${other}`)),
  );
};

test('the stage’s stack nests exactly these stacks', () => {
  expect(resourcesOf(stage, 'AWS::CloudFormation::Stack')).toHaveLength(nestedNames.length);
});

test('each stack has room for fifty more endpoints within the quotas of CloudFormation', () => {
  const remedy =
    'CloudFormation allows 500 resources, 200 parameters and 1 MB for a stack. Put resources that no stage has yet into a nested stack, as infra/api/methods.ts does.';
  // An endpoint takes four resources of the stage, and in nested stacks three and a parameter at most.
  expect(Object.keys(stage.Resources).length, remedy).toBeLessThanOrEqual(300);
  expect(JSON.stringify(stage, undefined, 1).length, remedy).toBeLessThan(500_000);
  for (const { Resources, Parameters = {} } of Object.values<Template & { Parameters?: object }>(nested)) {
    expect(Object.keys(Resources).length, remedy).toBeLessThanOrEqual(350);
    expect(Object.keys(Parameters).length, remedy).toBeLessThanOrEqual(150);
  }
});

test.each(nestedNames)('%s contains nothing that would be lost with it', (name) => {
  const kept = Object.entries(nested[name].Resources).filter(
    ([, { DeletionPolicy = 'Delete', UpdateReplacePolicy = 'Delete' }]) =>
      DeletionPolicy !== 'Delete' || UpdateReplacePolicy !== 'Delete',
  );
  expect(kept).toEqual([]);
});

test.each(nestedNames)(
  '%s has no role or policy, whose length a check measures with the outer stack’s name',
  (name) => {
    expect(Object.values(nested[name].Resources).filter(({ Type }) => Type.startsWith('AWS::IAM::'))).toEqual([]);
  },
);

test('no resource of the stage has a circular dependency', () => {
  const ended = new Set<string>();
  const follow = (id: string, path: readonly string[]): void => {
    if (path.includes(id)) throw new Error(`These wait for each other: ${[...path, id].join(' > ')}`);
    if (ended.has(id)) return;
    for (const other of awaitedBy(id)) follow(other, [...path, id]);
    ended.add(id);
  };
  for (const id of Object.keys(stage.Resources)) follow(id, []);
  expect(ended.size).toBe(Object.keys(stage.Resources).length);
});

describe('the methods', () => {
  test('are all in a nested stack, with paths, gateway responses and permissions to invoke functions', () => {
    const types = ['Method', 'Resource', 'GatewayResponse'].map((kind) => `AWS::ApiGateway::${kind}`);
    expect(types.flatMap((type) => resourcesOf(stage, type))).toEqual([]);
    expect([...new Set(Object.values(nested.Methods.Resources).map(({ Type }) => Type))].toSorted()).toEqual(
      [...types, 'AWS::Lambda::Permission'].toSorted(),
    );
  });

  test('are complete before the API’s deployment is created, and the stage uses it after that', () => {
    const [methods] = stackOf('Methods');
    const [[deployment = ''] = []] = resourcesOf(stage, 'AWS::ApiGateway::Deployment');
    const [[ofStage = ''] = []] = resourcesOf(stage, 'AWS::ApiGateway::Stage');
    expect(stage.Resources[deployment]?.DependsOn).toContain(methods);
    expect(awaitedBy(ofStage)).toContain(deployment);
  });

  test('depend on the aliases that they invoke', () => {
    const aliases = resourcesOf(stage, 'AWS::Lambda::Alias').map(([id]) => id);
    expect(aliases.length).toBeGreaterThan(30);
    expect(awaitedBy(stackOf('Methods')[0])).toEqual(expect.arrayContaining(aliases));
  });

  test('permit invocations only by the methods of this stage', () => {
    for (const [, { Properties }] of resourcesOf(nested.Methods, 'AWS::Lambda::Permission'))
      expect(JSON.stringify(Properties.SourceArn)).toMatch(/"\/v1\/(DELETE|GET|HEAD|PATCH|POST|PUT)\/[^"]+"\]\]\}$/);
  });
});

describe('the groups of deployments', () => {
  test('exist before an alias is changed by one', () => {
    const [groups] = stackOf('Groups');
    const names = resourcesOf(nested.Groups, 'AWS::CodeDeploy::DeploymentGroup').map(
      ([, { Properties }]) => Properties.DeploymentGroupName,
    );
    const aliases = resourcesOf(stage, 'AWS::Lambda::Alias').map(([, alias]) => alias);
    expect(aliases.filter(({ DependsOn = [] }) => !DependsOn.includes(groups))).toEqual([]);
    expect(
      aliases.map(({ UpdatePolicy }) => UpdatePolicy?.CodeDeployLambdaAliasUpdate.DeploymentGroupName).toSorted(),
    ).toEqual(names.toSorted());
  });

  test('belong to an application and a role whose names begin with the stage’s', () => {
    const found = ['AWS::CodeDeploy::Application', 'AWS::IAM::Role'].map((type) => resourcesOf(nested.Groups, type));
    expect(found).toEqual([[], []]);
  });
});

describe('the monitoring', () => {
  test('has no dependents, so that its failure does not prevent the roll-back of a version', () => {
    const [monitoring] = stackOf('Monitoring');
    const { [monitoring]: _, ...rest } = stage.Resources;
    expect(JSON.stringify([rest, stage.Outputs])).not.toContain(monitoring);
  });

  test('has all alarms except the alarm of gradual deployments', () => {
    expect(resourcesOf(stage, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties.AlarmName)).toEqual([
      `${stackName}-availability-fast-5m`,
    ]);
  });

  test('has names that begin with the stage’s name, not with the generated name of its stack', () => {
    const named = Object.values(nested.Monitoring.Resources).flatMap(
      ({ Properties: { AlarmName, DashboardName, RuleName, Name } }) =>
        AlarmName ?? DashboardName ?? RuleName ?? Name ?? [],
    );
    expect(named.length).toBeGreaterThan(60);
    expect(named.filter((name) => !name.startsWith(stackName))).toEqual([]);
  });
});
