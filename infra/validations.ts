import { type Stack, Validations } from 'aws-cdk-lib';
import { TemplateChecks } from './checks/template-checks.ts';
import { addNagChecks } from './nag.ts';

/** Lets a synth fail on what cdk-nag finds, and on what neither it nor the schemas of CloudFormation know. */
export const addValidations = (stack: Stack): void => {
  addNagChecks(stack);
  Validations.of(stack.node.root).addPlugins(new TemplateChecks());
};
