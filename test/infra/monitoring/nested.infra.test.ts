import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { appWith, fullConfig, resourcesOf, stackName, type Template } from '../synthesized.ts';

/** The two stacks as CloudFormation takes them. */
let stage: Template;
let monitoring: Template;
beforeAll(async () => {
  const { directory } = (await appWith(fullConfig)).synth();
  const read = (pattern: string) => JSON.parse(readFileSync(globSync(join(directory, pattern))[0] ?? '', 'utf8'));
  stage = read(`${stackName}.template.json`);
  monitoring = read('*.nested.template.json');
});

test('the monitoring holds nothing that would be lost with it', () => {
  const kept = Object.entries(monitoring.Resources).filter(
    ([, { DeletionPolicy = 'Delete', UpdateReplacePolicy = 'Delete' }]) =>
      DeletionPolicy !== 'Delete' || UpdateReplacePolicy !== 'Delete',
  );
  expect(kept).toEqual([]);
});

test('nothing waits for the monitoring, so that a version that fails is put back whatever becomes of it', () => {
  const [[nested] = ['none'], ...others] = resourcesOf(stage, 'AWS::CloudFormation::Stack');
  expect(others).toEqual([]);
  const { [nested]: _, ...rest } = stage.Resources;
  expect(JSON.stringify([rest, stage.Outputs])).not.toContain(nested);
});

test('the stack of the stage has one alarm, which its gradual deployments wait for', () => {
  expect(resourcesOf(stage, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties.AlarmName)).toEqual([
    `${stackName}-availability-fast-5m`,
  ]);
});

test('what people call the monitoring by begins with the name of the stage, and not with what CloudFormation calls its stack', () => {
  const named = Object.values(monitoring.Resources).flatMap(
    ({ Properties: { AlarmName, DashboardName, RuleName, Name } }) =>
      AlarmName ?? DashboardName ?? RuleName ?? Name ?? [],
  );
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((name) => !name.startsWith(stackName))).toEqual([]);
});
