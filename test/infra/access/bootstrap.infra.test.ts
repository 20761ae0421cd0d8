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
  bootstrapStackNameOf,
  qualifierOf,
} from '../../../infra/access/bootstrap.ts';
import { policyDocumentOf, type Scope } from '../../../infra/access/boundary.ts';
import { accessCommands, createAccessProgram } from '../../../infra/access/program.ts';
import { executionPolicies } from '../../../infra/access/rights.ts';
import { AccessStack } from '../../../infra/access/stack.ts';
import { appWith, resourcesOf, type Template } from '../synthesized.ts';

/** What distinguishes the bootstrap of every CDK app that has not been given another one. */
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
/** The template with which the CDK's program bootstraps. */
const bootstrap: BootstrapTemplate = parse(
  readFileSync(join(cdkFolder, 'lib/api/bootstrap/bootstrap-template.yaml'), 'utf8'),
);

describe('the bootstrap of a stage', () => {
  const stages = ['prod', 'prod-2', 'test', 'prodwest', 'a-stage-with-a-name-of-28-cha'];

  test('has a qualifier of its own, which the CDK takes and a bucket may have in its name', () => {
    const qualifiers = stages.map((stage) => qualifierOf({ stage }));
    expect(new Set(qualifiers).size).toBe(stages.length);
    const pattern = new RegExp(`^${bootstrap.Parameters.Qualifier?.AllowedPattern}$`);
    for (const qualifier of qualifiers) {
      expect(qualifier).toMatch(pattern);
      expect(qualifier).toMatch(/^[a-z0-9]+$/);
    }
  });

  test('has role names that are no longer than IAM takes', () => {
    const names = bootstrapRolesOf({ ...scopeOf('prod'), region: 'ap-southeast-1' }).map((arn) =>
      arn.split('/').at(-1),
    );
    for (const name of names) expect(`${name}`.length).toBeLessThanOrEqual(64);
  });

  test('has no name that the rights of the stage reach', () => {
    for (const stage of stages)
      expect(bootstrapStackNameOf({ stage })).toMatch(new RegExp(`^PartnerApiBootstrap-${stage}$`));
  });

  test('is that whose roles and files the template of the stage names', async () => {
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

  test.each(['s3:GetObject', 's3:GetObjectVersion'])(
    '%s: each reads the files of its own bootstrap alone',
    (action) => {
      const file = (stage: string) => `arn:aws:s3:::cdk-${qualifierOf({ stage })}-assets-${account}-${region}/a.zip`;
      expect(['prod', 'test'].map((stage) => rightsOf('prod')({ action, resource: file(stage) }))).toEqual([
        'allow',
        'implicit deny',
      ]);
    },
  );

  test('have no bootstrap in common: neither stack nor role nor policy', () => {
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

  test('takes every change of another stack from the roles, as far as the template gives it to one', () => {
    expect(allowed).toEqual({ Effect: 'Allow', Action: ['*'], Resource: ['*'] });
    const given = statementsIn(bootstrap.Resources)
      .filter(({ Resource }) => Resource === '*')
      .flatMap(({ Action = [] }) => [Action].flat())
      .filter((action) => action.startsWith('cloudformation:'));
    expect(given).toContain('cloudformation:UpdateStack');
    expect(given.filter((action) => !denied?.Action.includes(action))).toEqual([]);
  });

  test('leaves the stacks of the stage to them', () => {
    expect(denied).toMatchObject({
      Effect: 'Deny',
      NotResource: ['/*', '-*'].map(
        (rest) => `arn:aws:cloudformation:${region}:${account}:stack/PartnerApi-prod${rest}`,
      ),
    });
  });

  test('is a policy of the stack of access, by the name that the bootstrap gets', () => {
    const app = new App();
    new AccessStack(app, 'prod', config);
    const access: Template = app.synth().getStackByName('PartnerApiAccess-prod').template;
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

/** Every statement that stands anywhere in a value. */
const statementsIn = (value: unknown): Statement[] => {
  if (typeof value !== 'object' || value === null) return [];
  if ('Action' in value && 'Effect' in value) return [value as Statement];
  return Object.values(value).flatMap(statementsIn);
};

describe('npm run access', () => {
  test('asks before it gives rights, unless a yes was given beforehand', () => {
    const [usual] = accessCommands('prod', config, {});
    const [withYes] = accessCommands('prod', config, { yes: true });
    expect(usual).not.toContain('--require-approval');
    expect(withYes).toEqual([...(usual ?? []), '--require-approval', 'never']);
  });

  test.each([
    ['--stage prod', { stage: 'prod' }],
    ['--stage prod --yes', { stage: 'prod', yes: true }],
  ])('takes %s', async (commandLine, expected) => {
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
      '{*,.github/**/*,config/**/*,docs/**/*,infra/**/*,lambdas/**/*,local/**/*,operator/**/*,partner/**/*,packages/**/*,test/**/*}',
      {
        exclude: (path) => /node_modules|^\.git$|test\/golden|\.(png|tgz|gz)$/.test(path),
      },
    ).filter((file) => /\.(ts|mjs|json|md|yml|yaml|txt)$/.test(file));
  });

  test('is named in no document, command or source', () => {
    expect(files.length).toBeGreaterThan(500);
    expect(files.filter((file) => readFileSync(file, 'utf8').includes(common))).toEqual([]);
  });

  test('is neither replaced nor used by a command of a document', () => {
    // One line of it shows that another app's bootstrap stays as it was.
    const others = ['docs/first-deploy.md'];
    const documents = files.filter((file) => file.endsWith('.md') && !file.startsWith('docs/decisions/'));
    const naming = (pattern: RegExp) => documents.filter((file) => pattern.test(readFileSync(file, 'utf8')));
    expect(naming(/npx cdk bootstrap/)).toEqual([]);
    expect(naming(/CDKToolkit/)).toEqual(others);
  });
});
