import { App } from 'aws-cdk-lib';
import { loadStageConfig } from '../config/load.ts';
import { bundleHandlers } from './functions/bundle.ts';
import { addNagChecks } from './nag.ts';
import { PartnerApiStack } from './stack.ts';

const app = new App();
const stage: string = app.node.tryGetContext('stage') ?? 'local';
const stack = new PartnerApiStack(app, `PartnerApi-${stage}`, {
  config: loadStageConfig(stage),
  bundles: bundleHandlers().bundles,
});
addNagChecks(stack);
