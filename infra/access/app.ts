import { App } from 'aws-cdk-lib';
import { loadStageConfig } from '../../config/load.ts';
import { refusePlaceholders } from '../../config/placeholders.ts';
import { AccessStack } from './stack.ts';

const app = new App();
const stage: string = app.node.tryGetContext('stage') ?? 'local';
const config = loadStageConfig(stage);
refusePlaceholders(stage, config);
new AccessStack(app, stage, config);
