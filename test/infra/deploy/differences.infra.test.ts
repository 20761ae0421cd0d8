import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import type { StageConfig } from '../../../config/schema.ts';
import { accessCommands } from '../../../infra/access/cdk-commands.ts';
import { changesSettingsAlone } from '../../../infra/deploy/plan.ts';
import { synthesize, type Template, templateOf } from '../synthesized.ts';

/** The differences in the template of a stage after a small change, and the options of the CDK CLI that deployments use. */
const config = loadStageConfig('local');
let deployed: Template;
/** The template after a change of the code of one function. */
let withNewCode: Template;
beforeAll(async () => {
  deployed = await templateOf(config);
  withNewCode = await synthesize(config, { changed: 'getContract' });
});

/** Returns the differences between the deployed template and another one, as `add AWS::Lambda::Version`. */
const differencesOf = ({ Resources: after }: Template): string[] => {
  const { Resources: before } = deployed;
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((id) => !isDeepStrictEqual(before[id], after[id]))
    .map((id) => {
      if (!after[id]) return `remove ${before[id]?.Type}`;
      return `${before[id] ? 'change' : 'add'} ${after[id].Type}`;
    })
    .toSorted();
};

const [company, ...others] = config.companies;
const moved = { ...company, allowedCidrs: [...(company?.allowedCidrs ?? []), '127.0.0.77/32'] };

test.each<[string, Partial<StageConfig>, readonly string[]]>([
  [
    'another allowlist: only the API, its deployment and its stage',
    { companies: [moved as StageConfig['companies'][number], ...others] },
    [
      'add AWS::ApiGateway::Deployment',
      'change AWS::ApiGateway::RestApi',
      'change AWS::ApiGateway::Stage',
      'remove AWS::ApiGateway::Deployment',
    ],
  ],
  [
    'a recipient of alarms: only the subscription',
    { monitoring: { ...config.monitoring, ticket: ['ops@example.com'] } },
    ['add AWS::SNS::Subscription'],
  ],
])('%s', async (_, change, expected) => {
  expect(differencesOf(await templateOf({ ...config, ...change }))).toEqual(expected);
});

test('code of one function: only the function, its version and its alias', () => {
  expect(differencesOf(withNewCode)).toEqual([
    'add AWS::Lambda::Version',
    'change AWS::Lambda::Alias',
    'change AWS::Lambda::Function',
    'remove AWS::Lambda::Version',
  ]);
});

test('a new version of the terms changes settings alone, new code does not', async () => {
  const consent = { ...config.consent, requiredVersion: config.consent.requiredVersion + 1 };
  const settings = await templateOf({ ...config, consent });
  const areSettingsAlone = [settings, withNewCode, deployed].map((next) => changesSettingsAlone({ deployed, next }));
  expect(areSettingsAlone).toEqual([true, false, false]);
});

describe('the CDK CLI, which ignores unknown options, knows the options of', () => {
  type Options = Readonly<Record<string, { readonly choices?: readonly string[] }>>;
  type Registry = { readonly globalOptions: Options; readonly commands: Record<string, { readonly options: Options }> };
  const cdk = dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json'));
  const registry: Registry = JSON.parse(readFileSync(join(cdk, 'lib/cli/cli-type-registry.json'), 'utf8'));
  const optionsIn = (line: readonly string[] = []) => line.filter((word) => word.startsWith('--'));
  const [access, bootstrap] = accessCommands('local', config, { yes: true });

  test.each([
    ['npm run deploy', 'deploy', ['--app', '--require-approval', '--method', '--change-set-name', '--no-notices']],
    ['npm run deploy -- --plan', 'diff', ['--app', '--template', '--no-notices']],
    ['npm run access, for the rights', 'deploy', optionsIn(access)],
    ['npm run access, for the bootstrap', 'bootstrap', optionsIn(bootstrap)],
  ])('%s', (_, command, options) => {
    expect(options.length).toBeGreaterThan(2);
    const known = { ...registry.globalOptions, ...registry.commands[command]?.options };
    expect(options.map((option) => option.replace(/^--(no-)?/, '')).filter((name) => !(name in known))).toEqual([]);
  });

  test('a deployment in two steps', () => {
    const { choices } = registry.commands.deploy?.options.method ?? {};
    expect(choices).toEqual(expect.arrayContaining(['prepare-change-set', 'execute-change-set']));
  });
});
