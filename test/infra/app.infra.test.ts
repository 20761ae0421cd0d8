import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { afterAll, describe, expect, inject, test, vi } from 'vitest';
import { loadStageConfig } from '../../config/load.ts';
import type { StageConfig } from '../../config/schema.ts';
import { answers } from '../../infra/checks/intended-findings.ts';
import { addStage } from '../../infra/stage.ts';
import { readStageOrTrial } from '../../infra/stage-config.ts';
import { consumerNames, jobNames } from '../../lambdas/api/background-functions.ts';
import { operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { synthesize } from '../../local/synthesis.ts';
import { proven } from '../support/campaign.ts';
import { bundlesWith, templateOf } from './synthesized.ts';

/**
 * The app as `cdk synth` starts it: real bundles, offline validation as errors, cdk-nag. It has no credentials and no way to
 * find any.
 */
const folder = mkdtempSync(join(tmpdir(), 'assemblies-'));
afterAll(() => rmSync(folder, { recursive: true }));

const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));

/**
 * Synthesizes a stage as the app does, but without its code and CloudFormation's rules; returns the folder of the assembly.
 */
const synthesizeStage = async (stage: string, more: object = {}): Promise<string> => {
  const app = new App({
    context: { ...context, script: 'test', ...more, stage },
    outdir: join(folder, stage),
    builtinCloudFormationValidation: false,
  });
  await addStage(app, async () => ({ bundles: bundlesWith() }));
  return app.synth().directory;
};

describe('the app', () => {
  const local = inject('assemblyDirectory');

  test.each(['infra/app.ts', 'infra/access/app.ts'])('%s prints only the faults of an invalid configuration', (app) => {
    const { status, stderr } = spawnSync(process.execPath, [app], {
      env: { CDK_CONTEXT_JSON: JSON.stringify({ ...context, stage: 'nowhere' }) },
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^There is no stage "nowhere"\. .*\n$/);
  });

  test('passes offline validation and cdk-nag, with every finding answered', () => {
    const { pluginReports } = JSON.parse(readFileSync(join(local, 'validation-report.json'), 'utf8'));
    expect(pluginReports).toEqual([]);
    const metadata = readFileSync(join(local, 'PartnerApi-local.metadata.json'), 'utf8');
    for (const finding of Object.keys(answers)) expect(metadata).toContain(`AwsSolutions-${finding}`);
  });

  test('uploads the source map of each bundle with a deployment, under the id in its code', () => {
    const { files } = JSON.parse(readFileSync(join(local, 'PartnerApi-local.assets.json'), 'utf8'));
    const codeFiles = filesIn(local).filter((file) => file.endsWith('/index.mjs'));
    expect(codeFiles.length).toBe(operationIds.length + jobNames.length + consumerNames.length);
    for (const file of codeFiles) {
      const [, id = ''] = readFileSync(join(local, file), 'utf8').match(/\n\/\/# sourceURL=(\w+)\.mjs\n$/) ?? [];
      const [destination] = Object.values<{ objectKey: string }>(files[id].destinations);
      expect(destination?.objectKey).toBe(`${id}.map`);
      expect(JSON.parse(readFileSync(join(local, files[id].source.path), 'utf8')).version).toBe(3);
    }
  });

  test('creates a byte-identical assembly again', proven, async () => {
    const again = join(folder, 'again');
    await synthesize(again);
    // The CDK measures itself when a synthesis is slow.
    const assemblyIn = (directory: string) =>
      filesIn(directory).filter((file) => !['inputs.sha256', 'performance-counters.json'].includes(file));
    const files = assemblyIn(local);
    expect(assemblyIn(again)).toEqual(files);
    for (const file of files)
      expect(readFileSync(join(again, file), 'utf8'), file).toBe(readFileSync(join(local, file), 'utf8'));
  });

  test('names the stack after the stage', () => {
    expect(readdirSync(local)).toContain('PartnerApi-local.template.json');
  });

  test(
    'creates a stack from the example, which moves all requests at once if the context says so',
    proven,
    async () => {
      const folder = await synthesizeStage('example', { atOnce: 'true' });
      const [usual, atOnce] = [join(local, 'PartnerApi-local'), join(folder, 'PartnerApi-example')].map((stack) =>
        readFileSync(`${stack}.template.json`, 'utf8').includes('CodeDeployLambdaAliasUpdate'),
      );
      expect([usual, atOnce]).toEqual([true, false]);
    },
  );

  test('binds a stage to its account and region, protects it from deletion, and tags its resources', () => {
    const { artifacts } = JSON.parse(readFileSync(join(local, 'manifest.json'), 'utf8'));
    const { account, region } = loadStageConfig('local');
    expect(artifacts['PartnerApi-local']).toMatchObject({
      environment: `aws://${account}/${region}`,
      properties: { terminationProtection: true, tags: { service: 'partner-api', stage: 'local' } },
    });
  });
});

describe('the app of a trial', () => {
  /** The CDK CLI itself ends a synthesis or a deployment if an assembly contains an error. */
  const ofCli = { '@aws-cdk/core:failSynthOnValidationErrors': false };

  test('without an address gives every command of the CDK CLI an assembly, and synth and deploy an error', async () => {
    const folder = await synthesizeStage('trial', ofCli);
    const metadata = readFileSync(join(folder, 'PartnerApi-trial.metadata.json'), 'utf8');
    const entries = Object.values<{ type: string; data: unknown }[]>(JSON.parse(metadata)).flat();
    expect(entries.filter(({ type }) => type === 'aws:cdk:error').map(({ data }) => data)).toEqual([
      expect.stringMatching(/^A trial admits one address, which is missing\. .*https:\/\/checkip\.amazonaws\.com/),
    ]);
    const template = JSON.parse(readFileSync(join(folder, 'PartnerApi-trial.template.json'), 'utf8'));
    expect(JSON.stringify(template)).toContain('"Condition":{"IpAddress":{"aws:SourceIp":[]}}');
  });

  test('takes account, region and address from the CDK CLI', () => {
    vi.stubEnv('CDK_DEFAULT_ACCOUNT', '210987654321');
    vi.stubEnv('CDK_DEFAULT_REGION', 'eu-west-1');
    const { stage, config, fault } = readStageOrTrial(new App({ context: { stage: 'trial', address: '2a02:2e0::5' } }));
    expect([stage, config.account, config.region, fault]).toEqual(['trial', '210987654321', 'eu-west-1', undefined]);
    expect(config.companies.map(({ allowedCidrs }) => allowedCidrs)).toEqual([['2a02:2e0::5/128']]);
    vi.unstubAllEnvs();
  });
});

test('the CDK CLI deploys a stage other than a trial only for the scripts, which refuse changes that lose data', () => {
  const faultOf = (context: object) => readStageOrTrial(new App({ context: { stage: 'example', ...context } })).fault;
  expect(faultOf({})).toBe(
    'The CDK CLI alone would also apply changes that lose data of the stage "example". To deploy it, run: npm run deploy -- --stage example. To only synthesize it, run: npm run synth -- --context stage=example',
  );
  expect(faultOf({ script: 'deploy' })).toBeUndefined();
});

const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();

test('the template of a stage does not change when its registrations move to the store', async () => {
  const listed: StageConfig = { ...loadStageConfig('example'), allowlist: 'waf' };
  const [before, after] = await Promise.all([
    templateOf(listed),
    templateOf({ ...listed, registrations: 'store', companies: [] }),
  ]);
  expect(after).toEqual(before);
});
