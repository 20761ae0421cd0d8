import { App } from 'aws-cdk-lib';
import { readStage } from '../stage-config.ts';
import { AccessStack } from './stack.ts';

const app = new App();
const { stage, config } = readStage(app);
new AccessStack(app, stage, config);
