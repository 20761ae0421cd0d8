import type { App } from 'aws-cdk-lib';
import { loadStageConfig, refusePlaceholders } from '../config/load.ts';
import type { StageConfig } from '../config/schema.ts';

/**
 * Returns the stage that `--context stage=<name>` names, and its configuration. If the configuration is invalid, prints only
 * the sentences that say why, and ends the synthesis: a stack trace of this program says nothing about a configuration.
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
