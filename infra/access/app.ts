import { App } from 'aws-cdk-lib';
import { loadStageConfig, refusePlaceholders } from '../../config/load.ts';
import { AccessStack } from './stack.ts';

const app = new App();
const stage: string = app.node.tryGetContext('stage') ?? 'local';
const config = loadStageConfig(stage);
refusePlaceholders(stage, config);
new AccessStack(app, stage, config);
