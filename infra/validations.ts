import { type App, type Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { stackNameOf } from '../config/schema.ts';
import { answers, answersOfParts } from './checks/intended-findings.ts';
import { TemplateChecks } from './checks/template-checks.ts';
import { PartnerApiStack, type PartnerApiStackProps } from './stack.ts';

/** Adds the stack of a stage. Its synth fails on each finding of a check. */
export const addCheckedStack = (app: App, stage: string, props: Omit<PartnerApiStackProps, 'tags'>): Stack => {
  const stack = new PartnerApiStack(app, stackNameOf(stage), { ...props, tags: { service: 'partner-api', stage } });
  addValidations(stack);
  return stack;
};

/** Makes a synth fail on the findings of cdk-nag, and on faults that neither cdk-nag nor CloudFormation's schemas cover. */
export const addValidations = (stack: Stack): void => {
  addNagChecks(stack);
  Validations.of(stack.node.root).addPlugins(new TemplateChecks());
};

/**
 * Suppresses the CDK's deprecation warnings while cdk-nag runs: cdk-nag reads each property of a bus policy, including a
 * deprecated property that no stack here sets. Warnings about the stack itself are printed earlier.
 */
class QuietNagChecks extends AwsSolutionsChecks {
  override validateScope(scope: IConstruct): ReturnType<AwsSolutionsChecks['validateScope']> {
    const { JSII_DEPRECATED } = process.env;
    process.env.JSII_DEPRECATED = 'quiet';
    try {
      return super.validateScope(scope);
    } finally {
      if (JSII_DEPRECATED === undefined) delete process.env.JSII_DEPRECATED;
      else process.env.JSII_DEPRECATED = JSII_DEPRECATED;
    }
  }
}

/** Makes each finding of cdk-nag's AWS Solutions rules fail the synth, except the intended ones. */
const addNagChecks = (stack: Stack): void => {
  Validations.of(stack.node.root).addPlugins(new QuietNagChecks());
  acknowledge(stack, answers);
  for (const [part, findings] of Object.entries(answersOfParts)) {
    // Not each stage has operators, a sandbox or gradual deployments.
    const isOptional = ['Operators', 'Sandbox', 'Deployments'].includes(part);
    const construct = isOptional ? stack.node.tryFindChild(part) : stack.node.findChild(part);
    if (construct) acknowledge(construct, findings);
  }
};

const acknowledge = (construct: IConstruct, findings: Readonly<Record<string, string>>) =>
  Validations.of(construct).acknowledge(
    ...Object.entries(findings).map(([finding, reason]) => ({ id: `AwsSolutions-${finding}`, reason })),
  );
