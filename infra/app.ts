import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { loadStageConfig, refusePlaceholders } from '../config/load.ts';
import { buildFolder, bundleHandlers } from './functions/bundle.ts';
import { addCheckedStack } from './validations.ts';

const app = new App();
const stage: string = app.node.tryGetContext('stage') ?? 'local';
const config = loadStageConfig(stage);
refusePlaceholders(stage, config);
const { bundles } = app.node.tryGetContext('debuggable')
  ? await bundleHandlers(join(buildFolder, 'debuggable'), { isDebuggable: true })
  : await bundleHandlers();
addCheckedStack(app, stage, {
  config,
  bundles,
  // An output is no property of a resource: another commit with the same code changes nothing.
  commit: app.node.tryGetContext('commit'),
  isAtOnce: app.node.tryGetContext('atOnce') !== undefined,
});
