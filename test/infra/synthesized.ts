import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CloudFormationValidatePlugin, type IPolicyValidationPlugin, Validations } from 'aws-cdk-lib';
import { DISABLE_ASSET_STAGING_CONTEXT } from 'aws-cdk-lib/cx-api';
import { loadStack } from 'serve-stack/template';
import { expect } from 'vitest';
import { loadStageConfig, loadTrialConfig, maxStageCharacters } from '../../config/load.ts';
import { type StageConfig, stackNameOf } from '../../config/schema.ts';
import { isTrial } from '../../config/trial.ts';
import { AccessStack } from '../../infra/access/stack.ts';
import type { StackPlace } from '../../infra/checks/check.ts';
import type { Bundle, Bundles } from '../../infra/functions/bundle.ts';
import type { OperationId } from '../../lambdas/api/endpoints/endpoints.ts';
import { placeOfTrial } from '../support/trial.ts';

export type Resource = {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is JSON whose shape the assertions themselves check.
  readonly Properties: Record<string, any>;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly UpdatePolicy?: Record<string, any>;
};

export type Template = {
  readonly Description?: string;
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
};

export const stackName = stackNameOf('test');

export const longestStage = 'x'.repeat(maxStageCharacters);

/** Returns the place of a stack for the checks of its template. */
export const placeOf = ({ account, region }: StageConfig, stage = 'test'): StackPlace => ({
  stackName: stackNameOf(stage),
  account,
  region,
});

/** The context of cdk.json, with the paths of constructs, which the CDK CLI adds. */
const context = { ...JSON.parse(readFileSync('cdk.json', 'utf8')).context, 'aws:cdk:enable-path-metadata': true };

/** Returns a placeholder bundle: the template depends only on whether the code changes, not on what it does. */
const bundleAnswering = (statusCode: number): Bundle => {
  const folder = mkdtempSync(join(tmpdir(), 'handler-'));
  writeFileSync(join(folder, 'index.mjs'), `export const handler = async () => ({ statusCode: ${statusCode} });`);
  const sourceMap = join(mkdtempSync(join(tmpdir(), 'source-map-')), '0123456789ab.map');
  writeFileSync(sourceMap, '{}');
  return { id: '0123456789ab', folder, sourceMap };
};
const anyBundle = bundleAnswering(204);
const otherBundle = bundleAnswering(200);

type Options = {
  /** The name of the stage; `test` by default. */
  readonly stage?: string;
  /** Real code instead of the placeholders. */
  readonly bundles?: Bundles;
  readonly isAtOnce?: boolean;
  readonly reconnectStreams?: string;
  /** The operation whose function has different code. */
  readonly changed?: OperationId;
};

/** Returns placeholders for the code of all functions. */
export const bundlesWith = (changed?: OperationId) =>
  new Proxy({}, { get: (_, name) => (name === changed ? otherBundle : anyBundle) }) as Bundles;

/**
 * Returns the error of a synth of this configuration, including all checks of `npm run synth`; `undefined` if it succeeds.
 * CloudFormation's schemas and rules take half of the time, so they check each template only once.
 */
export const synthFault = async (config: StageConfig, stage: string): Promise<unknown> => {
  const { addCheckedStack } = await import('../../infra/validations.ts');
  // Bundles are not copied, and every synth overwrites the files of the previous one.
  const app = new App({
    context: { ...context, [DISABLE_ASSET_STAGING_CONTEXT]: true },
    outdir: faultFolder,
    builtinCloudFormationValidation: false,
    treeMetadata: false,
  });
  addCheckedStack(app, stage, { config, bundles: bundlesWith() });
  Validations.of(app).addPlugins(onceForEachTemplate);
  try {
    app.synth();
    return undefined;
  } catch (error) {
    return error;
  }
};

const faultFolder = mkdtempSync(join(tmpdir(), 'faults-'));
const cloudFormation = new CloudFormationValidatePlugin();
const faultless = new Set<string>();

/** The validation that the CDK adds to an app by default. It skips templates in which it has found no fault. */
const onceForEachTemplate: IPolicyValidationPlugin = {
  name: cloudFormation.name,
  ...(cloudFormation.ruleIds && { ruleIds: cloudFormation.ruleIds }),
  validate: (validated) => {
    const stackTemplates = validated.stackTemplates.filter(({ templatePath }) => !faultless.has(textOf(templatePath)));
    const templatePaths = stackTemplates.map(({ templatePath }) => templatePath);
    if (templatePaths.length === 0) return { success: true, violations: [] };
    const report = cloudFormation.validate({ ...validated, stackTemplates, templatePaths });
    if (report.violations.length === 0) for (const path of templatePaths) faultless.add(textOf(path));
    return report;
  },
};

const textOf = (path: string): string => readFileSync(path, 'utf8');

/** Returns an app with the stack of this configuration, without the offline validation of `synthFault`. */
export const appWith = async (
  config: StageConfig,
  { changed, stage = 'test', bundles = bundlesWith(changed), ...options }: Options = {},
): Promise<App> => {
  const { PartnerApiStack } = await import('../../infra/stack.ts');
  const app = new App({ context, builtinCloudFormationValidation: false, treeMetadata: false });
  new PartnerApiStack(app, stackNameOf(stage), { config, bundles, ...options });
  return app;
};

/** Returns the template of the deployments' permissions for a stage, without the offline validation, as `appWith`. */
export const accessTemplateOf = (config: StageConfig, stage = 'test'): Template => {
  const app = new App({ builtinCloudFormationValidation: false });
  const { stackName } = new AccessStack(app, stage, config);
  return app.synth().getStackByName(stackName).template;
};

/** Returns the template with its nested templates merged into it. */
export const synthesize = async (...parameters: Parameters<typeof appWith>): Promise<Template> =>
  loadStack((await appWith(...parameters)).synth().directory).template as Template;

const templates = new Map<string, Promise<string>>();

/** Returns a copy of the template of a configuration, which is synthesized once per process. */
export const templateOf = async (config: StageConfig): Promise<Template> => {
  const key = JSON.stringify(config);
  const template = templates.get(key) ?? synthesize(config).then((each) => JSON.stringify(each));
  templates.set(key, template);
  return JSON.parse(await template);
};

/** Returns the template of a configured stage. */
export const templateOfStage = (stage: string): Promise<Template> =>
  isTrial(stage) ? synthesize(configOfStage(stage), { stage }) : templateOf(configOfStage(stage));

/** Returns the configuration of a configured stage. That of a trial lacks account, region and addresses. */
export const configOfStage = (stage: string): StageConfig =>
  isTrial(stage) ? loadTrialConfig(stage, placeOfTrial) : loadStageConfig(stage);

/** Returns the name under which a configured stage is synthesized: only its own name makes a stage a trial. */
export const synthesizedName = (stage: string): string => (isTrial(stage) ? stage : 'test');

const example = loadStageConfig('example');

/** The example configuration with all optional entries, which several tests use. */
export const fullConfig: StageConfig = {
  ...example,
  allowlist: 'waf',
  addressLimit: { requestsPerMinute: 1200 },
  monitoring: { ...example.monitoring, fewestRequestsPer15Minutes: 20, canaryCompanyId: 'acme' },
};

const { domain: _domain, neighbours: _neighbours, operators, ...withoutOthers } = example;

/** The example configuration without a domain, neighbours and operators. */
export const bareConfig: StageConfig = withoutOthers;

/** The example configuration as a sandbox. */
export const sandboxConfig: StageConfig = { ...withoutOthers, ...(operators && { operators }), simulatedHomes: 3 };

export const resourcesOf = (template: Template, type: string): [logicalId: string, Resource][] =>
  Object.entries(template.Resources).filter(([, resource]) => resource.Type === type);

/** Returns the only resource of a type. */
export const theResource = (template: Template, type: string): [logicalId: string, Resource] =>
  resourceOf(template, type, '');

/** Returns the only resource of a type whose logical id begins with this part of the stack. */
export const resourceOf = (template: Template, type: string, part: string): [logicalId: string, Resource] => {
  const found = resourcesOf(template, type).filter(([logicalId]) => logicalId.startsWith(part));
  if (found.length !== 1) throw new Error(`expected one ${type}${part && ` in ${part}`}, found ${found.length}`);
  return found[0] as [string, Resource];
};

export const functionNamed = (template: Template, name: string): [logicalId: string, Resource] => {
  const found = resourcesOf(template, 'AWS::Lambda::Function').filter(
    ([, { Properties }]) => Properties.FunctionName === name,
  );
  expect(found).toHaveLength(1);
  return found[0] as [string, Resource];
};

/** Returns whether Lambda calls a function again, twice by default, if an asynchronous call fails. */
export const retriedByLambda = (template: Template, { Properties }: Resource): boolean =>
  !resourcesOf(template, 'AWS::Lambda::EventInvokeConfig').some(
    ([
      ,
      {
        Properties: { FunctionName, Qualifier, MaximumRetryAttempts },
      },
    ]) =>
      template.Resources[FunctionName.Ref]?.Properties.FunctionName === Properties.FunctionName &&
      Qualifier === '$LATEST' &&
      MaximumRetryAttempts === 0,
  );

export const roleOf = (template: Template, { Properties }: Resource): [logicalId: string, Resource] => {
  const [logicalId] = Properties.Role['Fn::GetAtt'];
  return [logicalId, template.Resources[logicalId] as Resource];
};

/** Returns the logical id of the resource with this name in the stack. */
export const logicalIdOf = (template: Template, name: string, type = 'AWS::DynamoDB::GlobalTable'): string => {
  const found = resourcesOf(template, type).filter(([id]) => new RegExp(`^${name}[0-9A-F]{8}$`).test(id));
  expect(found).toHaveLength(1);
  return found[0]?.[0] as string;
};

/** Returns a target of table actions as grants name it: the table by its logical id, followed by the path to an index. */
export const targetIdOf = (template: Template, target: string): string => {
  const [table = '', ...index] = target.split('/');
  return [logicalIdOf(template, table), ...index].join('/');
};

/**
 * Returns every pair of action and resource that a role allows, with its condition if it has one. Expects no separate policies.
 */
export const grantsOf = (template: Template, role: Resource['Properties']): Set<string> => {
  expect(resourcesOf(template, 'AWS::IAM::Policy')).toEqual([]);
  return new Set(
    role.Policies.flatMap(({ PolicyDocument }: { PolicyDocument: { Statement: Statement[] } }) =>
      PolicyDocument.Statement.flatMap(({ Effect, Action, Resource, Condition }) => {
        expect(Effect).toBe('Allow');
        const condition = Condition ? ` if ${JSON.stringify(Condition)}` : '';
        return [Action]
          .flat()
          .flatMap((action) =>
            ([Resource].flat() as (Arn | '*')[]).map((arn) => `${action} on ${nameOf(arn)}${condition}`),
          );
      }),
    ),
  );
};

/** `ApiKeys3BB3983D`, `ApiKeys3BB3983D/index/byExpiryMonth`, `KeyNotices9D5DA5BB stream`. */
const nameOf = (arn: Arn | '*'): string => {
  if (arn === '*') return arn;
  if ('Fn::Join' in arn) {
    const [delimiter, [table, rest]] = arn['Fn::Join'];
    return [nameOf(table), rest].join(delimiter);
  }
  const [logicalId, attribute] = arn['Fn::GetAtt'];
  expect(['Arn', 'StreamArn']).toContain(attribute);
  return attribute === 'Arn' ? logicalId : `${logicalId} stream`;
};

type GetArn = { readonly 'Fn::GetAtt': readonly [string, string] };
type Arn = GetArn | { readonly 'Fn::Join': readonly [string, readonly [GetArn, string]] };
type Statement = {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: Arn | Arn[] | '*';
  readonly Condition?: object;
};
