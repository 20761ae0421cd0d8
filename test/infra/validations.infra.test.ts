import { App, CfnResource, Stack } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { AccountPrincipal, AccountRootPrincipal, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { AwsSolutionsChecks } from 'cdk-nag';
import { Construct } from 'constructs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadStageConfig } from '../../config/load.ts';
import { answers, answersOfParts } from '../../infra/checks/intended-findings.ts';
import { addValidations } from '../../infra/validations.ts';
import { appWith } from './synthesized.ts';

const config = loadStageConfig('example');

test('every answer matches a finding of cdk-nag, and every finding has an answer', async () => {
  const { violations } = new AwsSolutionsChecks().validateScope(await appWith(config));
  const findings = new Set(violations.map(({ ruleName }) => ruleName));
  const answered = [answers, ...Object.values(answersOfParts)].flatMap((each) => Object.keys(each));
  expect(findings).toEqual(new Set(answered.map((finding) => `AwsSolutions-${finding}`)));
});

/** Returns a stack with the parts for which some findings are answered, but without resources. */
const smallStack = () => {
  const app = new App({ treeMetadata: false });
  const stack = new Stack(app, 'Small');
  for (const part of Object.keys(answersOfParts)) new Construct(stack, part);
  return { app, stack };
};

test('a synth prints no warning about properties that only cdk-nag reads', () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  onTestFinished(() => warn.mockRestore());
  const { app, stack } = smallStack();
  addValidations(stack);
  new EventBus(stack, 'Bus', { eventBusName: 'bus' }).addToResourcePolicy(
    new PolicyStatement({
      sid: 'Portal',
      actions: ['events:PutEvents'],
      resources: ['*'],
      principals: [new AccountPrincipal('111122223333')],
    }),
  );
  app.synth();
  expect(warn.mock.calls).toEqual([]);
  expect(process.env.JSII_DEPRECATED).toBeUndefined();
});

test('a finding without an answer fails the synth', () => {
  const { app, stack } = smallStack();
  addValidations(stack);
  new Bucket(stack, 'Careless');
  expect(() => app.synth()).toThrow('AwsSolutions-S10');
});

test('answers for the roles of operators and CodeDeploy apply only to them', () => {
  const { app, stack } = smallStack();
  addValidations(stack);
  new Role(stack, 'Careless', { assumedBy: new AccountRootPrincipal() }).addToPolicy(
    new PolicyStatement({ actions: ['lambda:GetAccountSettings'], resources: ['*'] }),
  );
  expect(() => app.synth()).toThrow('AwsSolutions-IAM5');
});

test('a fault fails the synth with its message', () => {
  const { app, stack } = smallStack();
  addValidations(stack);
  new CfnResource(stack, 'Careless', {
    type: 'AWS::CloudWatch::Alarm',
    properties: { ComparisonOperator: 'GreaterThanThreshold', Period: 300, EvaluationPeriods: 289 },
  });
  expect(() => app.synth()).toThrow('Careless looks back 86700 s, and CloudWatch allows 86400 s; lower');
});
