import { join } from 'node:path';
import { Annotations, App } from 'aws-cdk-lib';
import { buildFolder, bundleHandlers } from './functions/bundle.ts';
import { readStageOrTrial } from './stage-config.ts';
import { addCheckedStack } from './validations.ts';

const app = new App();
const { stage, config, fault } = readStageOrTrial(app);
const { bundles } = app.node.tryGetContext('debuggable')
  ? await bundleHandlers(join(buildFolder, 'debuggable'), { isDebuggable: true })
  : await bundleHandlers();
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
