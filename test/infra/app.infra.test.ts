import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, test } from 'vitest';
import * as z from 'zod';
import { loadStageConfig } from '../../config/load.ts';
import { type StageConfig, stageConfig } from '../../config/schema.ts';
import { answers } from '../../infra/validations.ts';
import { consumerNames, jobNames } from '../../lambdas/api/background-functions.ts';
import { operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { campaign, provenTest } from '../support/campaign.ts';
import { replicasIn } from '../support/regions.ts';
import { synthFault, templateOf } from './synthesized.ts';

/**
 * The app as `cdk synth` starts it: real bundles, offline validation as errors, cdk-nag. It gets no credentials, and
 * nothing to find any with.
 */
const folder = mkdtempSync(join(tmpdir(), 'assemblies-'));
afterAll(() => rmSync(folder, { recursive: true }));

const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));

const synthesizeApp = (name: string, stage: string, more: object = {}): string => {
  const outdir = join(folder, name);
  execFileSync(process.execPath, ['infra/app.ts'], {
    env: { CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify({ ...context, ...more, stage }) },
    stdio: 'pipe',
  });
  return outdir;
};

describe('the app', () => {
  const local = inject('assemblyDirectory');

  test.each(['infra/app.ts', 'infra/access/app.ts'])(
    '%s says what is wrong with a configuration, and nothing else',
    (app) => {
      const { status, stderr } = spawnSync(process.execPath, [app], {
        env: { CDK_CONTEXT_JSON: JSON.stringify({ ...context, stage: 'nowhere' }) },
        encoding: 'utf8',
      });
      expect(status).toBe(1);
      expect(stderr).toMatch(/^There is no stage "nowhere"\. .*\n$/);
    },
  );

  test('passes offline validation and cdk-nag, without a finding left unanswered', () => {
    const { pluginReports } = JSON.parse(readFileSync(join(local, 'validation-report.json'), 'utf8'));
    expect(pluginReports).toEqual([]);
    const metadata = readFileSync(join(local, 'PartnerApi-local.metadata.json'), 'utf8');
    for (const finding of Object.keys(answers)) expect(metadata).toContain(`AwsSolutions-${finding}`);
  });

  test('leaves with a deployment the source map of each bundle, under the id that its code goes by', () => {
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

  provenTest('makes the same assembly again to the byte', campaign, () => {
    const [once, again] = ['first', 'second'].map((name) => synthesizeApp(name, 'local')) as [string, string];
    const files = filesIn(once);
    expect(filesIn(again)).toEqual(files);
    for (const file of files)
      expect(readFileSync(join(again, file), 'utf8'), file).toBe(readFileSync(join(once, file), 'utf8'));
  });

  test('names the stack after the stage', () => {
    expect(readdirSync(local)).toContain('PartnerApi-local.template.json');
  });

  provenTest('makes a stack of the example that operators copy', campaign, () => {
    expect(readdirSync(synthesizeApp('example', 'example'))).toContain('PartnerApi-example.template.json');
  });

  provenTest('moves all requests to new versions at once where the context says so', campaign, () => {
    const usual = readFileSync(join(local, 'PartnerApi-local.template.json'), 'utf8');
    const folder = synthesizeApp('at-once', 'local', { atOnce: 'true' });
    const atOnce = readFileSync(join(folder, 'PartnerApi-local.template.json'), 'utf8');
    expect([usual, atOnce].map((template) => template.includes('CodeDeployLambdaAliasUpdate'))).toEqual([true, false]);
  });

  test('binds a stage to its account and region, protects it from being deleted, and tags what is its own', () => {
    const { artifacts } = JSON.parse(readFileSync(join(local, 'manifest.json'), 'utf8'));
    const { account, region } = loadStageConfig('local');
    expect(artifacts['PartnerApi-local']).toMatchObject({
      environment: `aws://${account}/${region}`,
      properties: { terminationProtection: true, tags: { service: 'partner-api', stage: 'local' } },
    });
  });
});

const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();

describe('options', () => {
  const example = loadStageConfig('example');

  /** A value of each option of a stage; a boolean has both. */
  const samples: Readonly<Record<string, readonly unknown[]>> = {
    'consent.newestVersion': [4],
    resourcePolicyQuota: [16_384],
    replicaRegion: ['eu-west-1'],
    replicas: [replicasIn(example.region, example.account, (table) => `PartnerApi-other-${table}`)],
    isStandby: [false, true],
    takeovers: [1],
    allowlist: ['policy', 'prepare-waf', 'waf'],
    addressLimit: [{ requestsPerMinute: 600 }],
    'monitoring.fewestRequestsPer15Minutes': [20],
    'monitoring.canaryCompanyId': ['acme'],
    domain: [example.domain],
    'domain.disableDefaultEndpoint': [false, true],
    neighbours: [example.neighbours],
    operators: [example.operators],
    'operators.privacyPrincipals': [example.operators?.privacyPrincipals],
    workflow: [example.workflow],
    'workflow.reuseIdentityProvider': [false, true],
    registrations: ['store'],
    usageEveryMinutes: [1, 60],
    'companies.0.userId': ['owner-4711'],
    'companies.0.webhookHosts': [['hooks.acme.example.com']],
    'companies.0.gatewayIds': [['gw-1001']],
  };

  /** What an option is not taken without. */
  const needed: Readonly<Record<string, string>> = {
    'companies.0.gatewayIds': 'companies.0.userId',
    registrations: 'allowlist',
  };

  /** What stands in the place of an entry that is no option. */
  const replaced: Readonly<Record<string, string>> = { registrations: 'companies' };

  /** The paths of what a stage may leave out, and of what is true or false. */
  const optionsIn = (schema: z.core.$ZodType, path: readonly string[] = []): string[] => {
    if (schema instanceof z.ZodOptional) return [path.join('.'), ...optionsIn(schema.unwrap(), path)];
    if (schema instanceof z.ZodDefault) return optionsIn(schema.unwrap(), path);
    if (schema instanceof z.ZodBoolean) return [path.join('.')];
    if (schema instanceof z.ZodArray) return optionsIn(schema.element, [...path, '0']);
    if (!(schema instanceof z.ZodObject)) return [];
    return Object.entries(schema.shape).flatMap(([name, inner]) => optionsIn(inner, [...path, name]));
  };

  const options = [...new Set(optionsIn(stageConfig))];

  type Entries = Record<string, unknown>;

  /** A copy with the option, and with those that it is a part of if they are missing. */
  const withOption = (config: StageConfig, path: string, value: unknown): StageConfig => {
    const copy: Entries = structuredClone(config);
    const names = path.split('.');
    const last = names.pop() as string;
    let place = copy;
    for (const [index, name] of names.entries()) {
      const whole = names.slice(0, index + 1).join('.');
      place[name] ??= structuredClone(samples[whole]?.[0]);
      place = place[name] as Entries;
    }
    if (value === undefined) delete place[last];
    else {
      place[last] = value;
      delete copy[replaced[path] ?? ''];
    }
    return copy as StageConfig;
  };

  const valuesOf = (path: string) => samples[path] ?? [];
  const isPartOf = (whole: string) => (path: string) => path.startsWith(`${whole}.`);

  /** A stage with one company and no option. */
  const bare = options
    .filter((path) => !options.some((whole) => isPartOf(whole)(path)))
    .reduce((config, path) => withOption(config, path, undefined), {
      ...example,
      companies: example.companies.slice(0, 1),
    });

  /** Options last that are parts of others. */
  const full = options
    .filter((path) => !(path in replaced))
    .reduce((config, path) => withOption(config, path, valuesOf(path).at(-1)), bare);

  const bareFor = (path: string) => {
    const other = needed[path];
    return other === undefined ? bare : withOption(bare, other, valuesOf(other).at(-1));
  };

  const cases = [
    { name: 'all options together', config: full },
    { name: 'no option', config: bare },
    ...options.flatMap((path) =>
      valuesOf(path).map((value) => ({
        name: `${path} alone: ${JSON.stringify(value)}`,
        config: withOption(bareFor(path), path, value),
      })),
    ),
  ];

  test('every option of a stage has a value here', () => {
    expect(options.filter((path) => valuesOf(path).length === 0)).toEqual([]);
    expect(Object.keys(samples).filter((path) => !options.includes(path))).toEqual([]);
  });

  provenTest.each(cases)('a stage passes every check of a synth with $name', campaign, async ({ config }) => {
    expect(await synthFault(stageConfig.parse(config))).toBeUndefined();
  });
});

test('of a stage whose registrations move to the store, the template does not change', async () => {
  const listed: StageConfig = { ...loadStageConfig('example'), allowlist: 'waf' };
  const [before, after] = await Promise.all([
    templateOf(listed),
    templateOf({ ...listed, registrations: 'store', companies: [] }),
  ]);
  expect(after).toEqual(before);
});
