import { type App, type Stack, Validations } from 'aws-cdk-lib';
import { stackNameOf } from '../config/stack-name.ts';
import { TemplateChecks } from './checks/template-checks.ts';
import { addNagChecks } from './nag.ts';
import { PartnerApiStack, type PartnerApiStackProps } from './stack.ts';

/** Adds the stack of a stage, whose synth fails on whatever a check finds. */
export const addCheckedStack = (app: App, stage: string, props: Omit<PartnerApiStackProps, 'tags'>): void =>
  addValidations(new PartnerApiStack(app, stackNameOf(stage), { ...props, tags: { service: 'partner-api', stage } }));

/** Lets a synth fail on what cdk-nag finds, and on what neither it nor the schemas of CloudFormation know. */
export const addValidations = (stack: Stack): void => {
  addNagChecks(stack);
  Validations.of(stack.node.root).addPlugins(new TemplateChecks());
};
