import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserFacingError } from '../errors.ts';
import { withNestedStacks } from './nested-stacks.ts';

/** A resource of the template, with intrinsic functions unresolved. */
export type Resource = {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, unknown>>;
};

export type Template = {
  readonly Resources: Readonly<Record<string, Resource>>;
  readonly Parameters?: Readonly<Record<string, { readonly Type?: string; readonly Default?: unknown }>>;
};

export type Stack = {
  readonly name: string;
  readonly environment: Environment;
  readonly template: Template;
  /** The folder or file of an asset, by its object key in the template. */
  readonly assetPaths: ReadonlyMap<string, string>;
};

type Artifact = {
  readonly type: string;
  readonly environment?: string;
  readonly properties?: { readonly templateFile?: string; readonly file?: string; readonly stackName?: string };
};

type AssetManifest = {
  readonly files?: Readonly<
    Record<
      string,
      {
        readonly source: { readonly path: string };
        readonly destinations: Readonly<Record<string, { readonly objectKey: string }>>;
      }
    >
  >;
};

/**
 * Reads the only stack of a cloud assembly, with its assets. Its template includes the resources of nested stacks. Throws if
 * there is not exactly one stack.
 */
export const loadStack = (assemblyDirectory: string): Stack => {
  const read = (file: string) => JSON.parse(readFileSync(join(assemblyDirectory, file), 'utf8'));
  const artifacts: Record<string, Artifact> = read('manifest.json').artifacts;
  const stacks = Object.entries(artifacts).filter(([, { type }]) => type === 'aws:cloudformation:stack');
  const [entry] = stacks;
  if (!entry || stacks.length > 1)
    throw new UserFacingError(`${assemblyDirectory} holds ${stacks.length} stacks; a local run serves exactly one.`);
  const [artifactName, { environment, properties = {} }] = entry;
  const manifests = Object.values(artifacts).filter(({ type }) => type === 'cdk:asset-manifest');
  const assetPaths = new Map(
    manifests.flatMap(({ properties: { file = '' } = {} }) => assetPathsOf(read(file), assemblyDirectory)),
  );
  const readTemplate = (path: string): Template =>
    withNestedStacks<Template>(JSON.parse(readFileSync(path, 'utf8')), ({ logicalId, Properties }) => {
      const url = JSON.stringify(Properties?.TemplateURL);
      const [, file] = [...assetPaths].find(([objectKey]) => url.includes(`/${objectKey}`)) ?? [];
      if (file === undefined)
        throw new UserFacingError(`The template of ${logicalId} (${url}) is not in the assembly.`);
      return readTemplate(file);
    });
  return {
    name: properties.stackName ?? artifactName,
    environment: parseEnvironment(environment),
    template: readTemplate(join(assemblyDirectory, properties.templateFile ?? `${artifactName}.template.json`)),
    assetPaths,
  };
};

const assetPathsOf = ({ files = {} }: AssetManifest, assemblyDirectory: string) =>
  Object.values(files).flatMap(({ source, destinations }) =>
    Object.values(destinations).map(({ objectKey }) => [objectKey, join(assemblyDirectory, source.path)] as const),
  );

export type NamedResource = Resource & { readonly logicalId: string };

/** Returns the template's resources of a type, or of several equivalent types. */
export const resourcesOf = (template: Template, ...types: readonly string[]): NamedResource[] =>
  Object.entries(template.Resources)
    .filter(([, { Type }]) => types.includes(Type))
    .map(([logicalId, resource]) => ({ logicalId, ...resource }));

/** The AWS account and region of a stack. */
export type Environment = { readonly partition: string; readonly region: string; readonly accountId: string };

/** The environment of a stack that sets none. */
export const defaultEnvironment: Environment = {
  partition: 'aws',
  region: 'eu-central-1',
  accountId: '000000000000',
};

/** Parses `aws://123456789012/eu-west-1`, the form of an environment in a cloud assembly; either part may be `unknown-…`. */
const parseEnvironment = (name = ''): Environment => {
  const [, accountId, region] = /^aws:\/\/(\d{12}|unknown-account)\/([\w-]+)$/.exec(name) ?? [];
  return {
    ...defaultEnvironment,
    ...(accountId && accountId !== 'unknown-account' && { accountId }),
    ...(region && region !== 'unknown-region' && { region }),
  };
};

/**
 * Returns the ARN of a resource: `arnOf(environment, 'lambda', 'function:x')` → `arn:aws:lambda:eu-central-1:0…0:function:x`.
 */
export const arnOf = ({ partition, region, accountId }: Environment, service: string, resource: string): string =>
  `arn:${partition}:${service}:${region}:${accountId}:${resource}`;

/** Returns the ARN of a role. IAM has no regions, so the ARN has none. */
export const roleArn = ({ partition, accountId }: Environment, name: string): string =>
  `arn:${partition}:iam::${accountId}:role/${name}`;

/** Returns the ARN of a managed policy of the account, by path and name: `/` and `x` → `arn:aws:iam::0…0:policy/x`. */
export const policyArn = ({ partition, accountId }: Environment, path: string, name: string): string =>
  `arn:${partition}:iam::${accountId}:policy${path}${name}`;

/** Returns the ARN of an account as a principal. */
export const rootArn = ({ partition, accountId }: Environment): string => `arn:${partition}:iam::${accountId}:root`;

const tableTypes = ['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'] as const;

/** Returns the template's tables, of either type. */
export const tablesIn = (template: Template): NamedResource[] => resourcesOf(template, ...tableTypes);

/** Returns the ARN of a table. */
export const tableArn = (environment: Environment, table: string): string =>
  arnOf(environment, 'dynamodb', `table/${table}`);

/** Returns the name of a table from its ARN or the ARN of one of its indexes. */
export const tableIn = (arn: string): string | undefined => arn.match(/:table\/([^/]+)/)?.[1];

/**
 * Returns the name of each resource in the source code of the stack, by logical id: `…/Tables/ApiKeys/Resource` → `ApiKeys`. A
 * resource whose name is unknown or not unique has its logical id as name.
 */
export const constructNamesOf = (resources: readonly NamedResource[]): ReadonlyMap<string, string> => {
  const names = new Map(resources.map((resource) => [resource.logicalId, constructNameOf(resource)]));
  const isUnique = (name: string) => [...names.values()].filter((each) => each === name).length === 1;
  return new Map([...names].map(([logicalId, name]) => [logicalId, name && isUnique(name) ? name : logicalId]));
};

const constructNameOf = ({ Metadata }: NamedResource): string | undefined => {
  const path = Metadata?.['aws:cdk:path'];
  return typeof path === 'string' ? path.replace(/\/(Resource|Default)$/, '').replace(/^.*\//, '') : undefined;
};
