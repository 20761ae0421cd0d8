import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { createCloudWatch } from '../../src/cloudwatch/cloudwatch.ts';
import { createResolver } from '../../src/template/intrinsics.ts';
import { stackOf } from '../fixture.ts';

export const minuteMs = 60_000;
/** A full hour, so that the periods of graphs start with it. */
export const startMs = Date.UTC(2026, 0, 5, 12);
export const minutes = (count: number) => startMs + count * minuteMs;
export const hour = { fromMs: startMs, toMs: minutes(60) };

/** Disables the offline validation, which takes seconds and whose findings on these stacks no test uses. */
const options = { context: { 'aws:cdk:disable-stack-trace': true }, builtinCloudFormationValidation: false };

const stackWith = (build: (stack: Stack) => void): Stack => {
  const stack = new Stack(new App(options), 'Watched');
  build(stack);
  return stack;
};

/** Returns CloudWatch over the resources that `build` adds to a stack, as CDK writes them into its template. */
export const cloudWatchOf = (build: (stack: Stack) => void) => {
  const stack = stackWith(build);
  const { Resources = {}, ...rest } = Template.fromStack(stack).toJSON();
  const watched = { ...stackOf(Resources, rest), name: stack.stackName };
  return createCloudWatch({ template: watched.template, resolve: createResolver(watched, { tablePrefix: 't-' }) });
};

/** Returns the first item of a list; throws if the list is empty. */
export const first = <T>([item]: readonly T[]): T => {
  if (item === undefined) throw new Error('The list is empty.');
  return item;
};
