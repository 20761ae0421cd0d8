import { CfnResource, type Stack } from 'aws-cdk-lib';
import { expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { addValidations } from '../../../infra/validations.ts';
import { appWith, stackName } from '../synthesized.ts';

const config = loadStageConfig('example');

test('a fault fails the synth with its sentence', async () => {
  const app = await appWith(config);
  const stack = app.node.findChild(stackName) as Stack;
  addValidations(stack);
  new CfnResource(stack, 'Careless', {
    type: 'AWS::CloudWatch::Alarm',
    properties: { ComparisonOperator: 'GreaterThanThreshold', Period: 300, EvaluationPeriods: 289 },
  });
  expect(() => app.synth()).toThrow('Careless looks back 86700 s, and CloudWatch allows 86400 s; lower');
});
