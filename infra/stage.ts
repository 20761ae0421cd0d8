import { Annotations, type App, type Stack } from 'aws-cdk-lib';
import type { Bundles } from './functions/bundle.ts';
import { readStageOrTrial } from './stage-config.ts';
import { addCheckedStack } from './validations.ts';

/** Adds the stack of the stage that the context names, as the context says, with the code that `bundle` resolves to. */
export const addStage = async (app: App, bundle: () => Promise<{ readonly bundles: Bundles }>): Promise<Stack> => {
  const { stage, config, fault } = readStageOrTrial(app);
  const { bundles } = await bundle();
  const stack = addCheckedStack(app, stage, {
    config,
    bundles,
    // The commit is only an output, so another commit with the same code changes no resource.
    commit: app.node.tryGetContext('commit'),
    isAtOnce: app.node.tryGetContext('atOnce') !== undefined,
    reconnectStreams: app.node.tryGetContext('reconnectStreams'),
  });
  // The CDK CLI neither synthesizes nor deploys a stack with an error. Its other commands go on.
  if (fault) Annotations.of(stack).addError(fault);
  return stack;
};
