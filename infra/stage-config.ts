import { type App, Aws } from 'aws-cdk-lib';
import { loadStageConfig, loadTrialConfig, refusePlaceholders } from '../config/load.ts';
import type { StageConfig } from '../config/schema.ts';
import { blocksOfTrial, isTrial } from '../config/trial.ts';

type NamedStage = { readonly stage: string; readonly config: StageConfig };

/**
 * Returns the stage that `--context stage=<name>` names, and its configuration. If the configuration is invalid, prints only
 * the sentences that say why, and ends the synthesis: a stack trace of this program says nothing about a configuration.
 */
export const readStage = (app: App): NamedStage => {
  const stage = stageIn(app);
  return orExit(() => {
    const config = loadStageConfig(stage);
    refusePlaceholders(stage, config);
    return { stage, config };
  });
};

/**
 * Does the same as `readStage`, also for a trial: the CDK CLI says in which account and region, and
 * `--context address=<address>` who may call it. `fault` says why the CDK CLI may not deploy the stage: nobody could call the
 * trial, or the stage is no trial and no script of package.json, which passes `--context script=<name>`, runs the CDK CLI.
 */
export const readStageOrTrial = (app: App): NamedStage & { readonly fault?: string | undefined } => {
  const stage = stageIn(app);
  if (!isTrial(stage)) {
    const isScript = app.node.tryGetContext('script') !== undefined;
    return { ...readStage(app), fault: isScript ? undefined : deployedByScript(stage) };
  }
  const { allowedCidrs, fault } = blocksOfTrial(app.node.tryGetContext('address'));
  // The CDK CLI sets these to the account and region of its credentials. Without credentials, the template fits any.
  const { CDK_DEFAULT_ACCOUNT: account = Aws.ACCOUNT_ID, CDK_DEFAULT_REGION: region = Aws.REGION } = process.env;
  return orExit(() => ({ stage, config: loadTrialConfig(stage, { account, region, allowedCidrs }), fault }));
};

const deployedByScript = (stage: string) =>
  `The CDK CLI alone would also apply changes that lose data of the stage "${stage}". To deploy it, run: npm run deploy -- --stage ${stage}. To only synthesize it, run: npm run synth -- --context stage=${stage}`;

const stageIn = (app: App): string => app.node.tryGetContext('stage') ?? 'local';

const orExit = <Result>(read: () => Result): Result => {
  try {
    return read();
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
};
