import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { compilePolicies } from 'serve-stack/services';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadStageConfig } from '../../../config/load.ts';
import {
  bootstrapBoundaryOf,
  bootstrapOptions,
  bootstrapRolesOf,
  qualifierOf,
} from '../../../infra/access/bootstrap.ts';
import { policyDocumentOf, type Scope } from '../../../infra/access/boundary.ts';
import { accessCommands } from '../../../infra/access/cdk-commands.ts';
import { createAccessProgram } from '../../../infra/access/program.ts';
import { executionPolicies } from '../../../infra/access/rights.ts';
import { AccessStack } from '../../../infra/access/stack.ts';
import { accessTemplateOf, appWith, resourcesOf } from '../synthesized.ts';

/** The default qualifier of CDK bootstraps. */
const common = ['hnb', '659fds'].join('');

const config = loadStageConfig('example');
const { account, region } = config;
const scopeOf = (stage: string): Scope => ({ partition: 'aws', account, region, stage });

type Statement = { readonly Action?: string | readonly string[]; readonly Resource?: unknown };
type BootstrapTemplate = {
  readonly Parameters: Readonly<Record<string, { readonly AllowedPattern?: string }>>;
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties: { RoleName?: unknown } }>>;
};
const cdkFolder = dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json'));
/** The template with which the CDK CLI bootstraps. */
const bootstrap: BootstrapTemplate = parse(
  readFileSync(join(cdkFolder, 'lib/api/bootstrap/bootstrap-template.yaml'), 'utf8'),
);

describe('the bootstrap of a stage', () => {
  const stages = ['prod', 'prod-2', 'test', 'prodwest', 'a-stage-with-a-name-of-28-cha'];

  test('has its own qualifier, which is valid for the CDK and in the name of a bucket', () => {
    const qualifiers = stages.map((stage) => qualifierOf({ stage }));
    expect(new Set(qualifiers).size).toBe(stages.length);
    const pattern = new RegExp(`^${bootstrap.Parameters.Qualifier?.AllowedPattern}$`);
    for (const qualifier of qualifiers) {
      expect(qualifier).toMatch(pattern);
      expect(qualifier).toMatch(/^[a-z0-9]+$/);
    }
  });

  test('has role names within IAM’s length limit', () => {
    const names = bootstrapRolesOf({ ...scopeOf('prod'), region: 'ap-southeast-1' }).map((arn) =>
      arn.split('/').at(-1),
    );
    for (const name of names) expect(`${name}`.length).toBeLessThanOrEqual(64);
  });

  test('has no name that the rights of the stage match', () => {
    for (const stage of stages)
      expect(optionOf(bootstrapOptions(scopeOf(stage), []), '--toolkit-stack-name')).toBe(
        `PartnerApiBootstrap-${stage}`,
      );
  });

  test('has the roles and files that the stage’s template names', async () => {
    const folder = (await appWith(config)).synth().directory;
    const texts = globSync('*.json', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'));
    const qualifiers = new Set(
      texts.flatMap((text) => [...text.matchAll(/cdk-(\w+)-(?:[a-z-]+-role|assets)-/g)].map(([, found]) => found)),
    );
    const parameters = texts.flatMap((text) =>
      [...text.matchAll(/\/cdk-bootstrap\/(\w+)\/version/g)].map(([, found]) => found),
    );
    expect([...qualifiers]).toEqual([qualifierOf({ stage: 'test' })]);
    expect([...new Set(parameters)]).toEqual([qualifierOf({ stage: 'test' })]);
    expect(texts.join()).not.toContain(common);
  });
});

describe('two stages of one account', () => {
  const rightsOf = (stage: string) =>
    compilePolicies(Object.values(executionPolicies(scopeOf(stage))).map(policyDocumentOf));

  test.each(['s3:GetObject', 's3:GetObjectVersion'])('%s: each reads only the files of its own bootstrap', (action) => {
    const file = (stage: string) => `arn:aws:s3:::cdk-${qualifierOf({ stage })}-assets-${account}-${region}/a.zip`;
    expect(['prod', 'test'].map((stage) => rightsOf('prod')({ action, resource: file(stage) }))).toEqual([
      'allow',
      'implicit deny',
    ]);
  });

  test('share no part of a bootstrap: no stack, role or policy', () => {
    const words = (stage: string) => bootstrapOptions(scopeOf(stage), [`arn:aws:iam::${account}:policy/of-${stage}`]);
    const same = words('prod').filter((word) => words('test').includes(word));
    expect(same).toEqual([
      'bootstrap',
      `aws://${account}/${region}`,
      '--qualifier',
      '--toolkit-stack-name',
      '--cloudformation-execution-policies',
      '--custom-permissions-boundary',
      '--apply-permissions-boundary-to-all-roles',
      '--termination-protection',
    ]);
    expect(
      bootstrapRolesOf(scopeOf('prod')).filter((role) => bootstrapRolesOf(scopeOf('test')).includes(role)),
    ).toEqual([]);
  });
});

describe('the boundary of the bootstrap', () => {
  const [allowed, denied] = bootstrapBoundaryOf(scopeOf('prod')).Statement;

  test('denies the roles every change of another stack that the bootstrap template grants', () => {
    expect(allowed).toEqual({ Effect: 'Allow', Action: ['*'], Resource: ['*'] });
    const given = statementsIn(bootstrap.Resources)
      .filter(({ Resource }) => Resource === '*')
      .flatMap(({ Action = [] }) => [Action].flat())
      .filter((action) => action.startsWith('cloudformation:'));
    expect(given).toContain('cloudformation:UpdateStack');
    expect(given.filter((action) => !denied?.Action.includes(action))).toEqual([]);
  });

  test('allows changes of the stage’s stacks', () => {
    expect(denied).toMatchObject({
      Effect: 'Deny',
      NotResource: ['/*', '-*'].map(
        (rest) => `arn:aws:cloudformation:${region}:${account}:stack/PartnerApi-prod${rest}`,
      ),
    });
  });

  test('is a policy of the access stack, with the name that is passed to the bootstrap', () => {
    const access = accessTemplateOf(config, 'prod');
    const names = resourcesOf(access, 'AWS::IAM::ManagedPolicy').map(
      ([, { Properties }]) => Properties.ManagedPolicyName,
    );
    const [deploy, toBootstrap] = accessCommands('prod', config, {});
    expect(deploy?.slice(0, 1)).toEqual(['deploy']);
    expect(names).toContain(optionOf(toBootstrap, '--custom-permissions-boundary'));
    expect(optionOf(toBootstrap, '--cloudformation-execution-policies').split(',')).toEqual(
      names.filter((name) => name.includes('-execution-')).map((name) => `arn:aws:iam::${account}:policy/${name}`),
    );
    expect(JSON.stringify(access)).not.toContain(common);
  });
});

const optionOf = (options: readonly string[] = [], name: string): string => options[options.indexOf(name) + 1] ?? '';

/** Returns every statement anywhere in a value. */
const statementsIn = (value: unknown): Statement[] => {
  if (typeof value !== 'object' || value === null) return [];
  if ('Action' in value && 'Effect' in value) return [value as Statement];
  return Object.values(value).flatMap(statementsIn);
};

describe('npm run access', () => {
  test('creates the access stack, then the bootstrap of the stage, and protects both', () => {
    const app = new App({ builtinCloudFormationValidation: false });
    new AccessStack(app, 'prod', config);
    const { stacks } = app.synth();
    expect(stacks.map((stack) => [stack.stackName, stack.terminationProtection])).toEqual([
      ['PartnerApiAccess-prod', true],
    ]);
    const [access, bootstrapping, ...others] = accessCommands('prod', config, {});
    expect(access?.slice(0, 3)).toEqual(['deploy', '--app', 'node infra/access/app.ts']);
    expect(access).toContain('stage=prod');
    expect(bootstrapping?.[0]).toBe('bootstrap');
    expect(optionOf(bootstrapping, '--toolkit-stack-name')).toBe('PartnerApiBootstrap-prod');
    expect(optionOf(bootstrapping, '--qualifier')).toBe(qualifierOf({ stage: 'prod' }));
    expect(bootstrapping).toContain('--termination-protection');
    expect(others).toEqual([]);
  });

  test('asks before it grants rights, unless --yes is given', () => {
    const [usual] = accessCommands('prod', config, {});
    const [withYes] = accessCommands('prod', config, { yes: true });
    expect(usual).not.toContain('--require-approval');
    expect(withYes).toEqual([...(usual ?? []), '--require-approval', 'never']);
  });

  test.each([
    ['--stage prod', { stage: 'prod' }],
    ['--stage prod --yes', { stage: 'prod', yes: true }],
  ])('accepts %s', async (commandLine, expected) => {
    let given: object = {};
    const program = createAccessProgram(async (options) => {
      given = options;
    });
    await program.parseAsync(commandLine.split(' '), { from: 'user' });
    expect(given).toEqual(expected);
  });
});

describe('the bootstrap of other apps', () => {
  let files: string[];
  beforeAll(() => {
    files = globSync(
      '{*,.github/**/*,config/**/*,docs/**/*,infra/**/*,lambdas/**/*,local/**/*,simulator/**/*,operator/**/*,partner/**/*,packages/**/*,test/**/*}',
      {
        exclude: (path) => /node_modules|^\.git$|test\/golden|\.(png|tgz|gz)$/.test(path),
      },
    ).filter((file) => /\.(ts|mjs|json|md|yml|yaml|txt)$/.test(file));
  });

  test('is not named in any document, command or source', () => {
    expect(files.length).toBeGreaterThan(500);
    expect(files.filter((file) => readFileSync(file, 'utf8').includes(common))).toEqual([]);
  });

  test('is neither replaced nor used by a documented command, except for a trial', () => {
    // One line of it shows that another app's bootstrap is unchanged.
    const others = ['docs/first-deploy.md'];
    const documents = files.filter((file) => file.endsWith('.md') && !file.startsWith('docs/decisions/'));
    const naming = (pattern: RegExp) => documents.filter((file) => pattern.test(readFileSync(file, 'utf8')));
    // A trial is deployed with the bootstrap of other apps, and changes nothing in it.
    expect(naming(/npx cdk bootstrap(?! --context stage=trial\s)/)).toEqual([]);
    expect(naming(/npx cdk bootstrap/)).toEqual(['README.md', 'docs/deploy.md']);
    expect(naming(/CDKToolkit/)).toEqual(others);
  });
});
