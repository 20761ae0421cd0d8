import type { App } from 'aws-cdk-lib';
import { loadStageConfig, refusePlaceholders } from '../config/load.ts';
import type { StageConfig } from '../config/schema.ts';

/**
 * The stage that `--context stage=<name>` names, and its configuration. If something is wrong with that, its sentences are all
 * that is printed, and the synthesis ends: the stack of this program says nothing of a configuration.
 */
export const readStage = (app: App): { readonly stage: string; readonly config: StageConfig } => {
  const stage: string = app.node.tryGetContext('stage') ?? 'local';
  try {
    const config = loadStageConfig(stage);
    refusePlaceholders(stage, config);
    return { stage, config };
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
};
