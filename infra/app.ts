import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { buildFolder, bundleHandlers } from './functions/bundle.ts';
import { addStage } from './stage.ts';

const app = new App();
await addStage(app, () =>
  app.node.tryGetContext('debuggable')
    ? bundleHandlers(join(buildFolder, 'debuggable'), { isDebuggable: true })
    : bundleHandlers(),
);
