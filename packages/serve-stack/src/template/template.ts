import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserFacingError } from '../errors/user-facing-error.ts';
import { type Environment, parseEnvironment } from './environment.ts';

/** A resource as it stands in the template, its intrinsics unresolved. */
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
  /** The folder or file of an asset, by the object key that the template knows it by. */
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

/** Reads the one stack of a cloud assembly, with its assets. */
export const loadStack = (assemblyDirectory: string): Stack => {
  const read = (file: string) => JSON.parse(readFileSync(join(assemblyDirectory, file), 'utf8'));
  const artifacts: Record<string, Artifact> = read('manifest.json').artifacts;
  const stacks = Object.entries(artifacts).filter(([, { type }]) => type === 'aws:cloudformation:stack');
  const [entry] = stacks;
  if (!entry || stacks.length > 1)
    throw new UserFacingError(`${assemblyDirectory} holds ${stacks.length} stacks; a local run serves exactly one.`);
  const [artifactName, { environment, properties = {} }] = entry;
  const manifests = Object.values(artifacts).filter(({ type }) => type === 'cdk:asset-manifest');
  return {
    name: properties.stackName ?? artifactName,
    environment: parseEnvironment(environment),
    template: read(properties.templateFile ?? `${artifactName}.template.json`),
    assetPaths: new Map(
      manifests.flatMap(({ properties: { file = '' } = {} }) => assetPathsOf(read(file), assemblyDirectory)),
    ),
  };
};

const assetPathsOf = ({ files = {} }: AssetManifest, assemblyDirectory: string) =>
  Object.values(files).flatMap(({ source, destinations }) =>
    Object.values(destinations).map(({ objectKey }) => [objectKey, join(assemblyDirectory, source.path)] as const),
  );

export type NamedResource = Resource & { readonly logicalId: string };

/** Finds the template's resources of a type, or of several types that mean the same. */
export const resourcesOf = (template: Template, ...types: readonly string[]): NamedResource[] =>
  Object.entries(template.Resources)
    .filter(([, { Type }]) => types.includes(Type))
    .map(([logicalId, resource]) => ({ logicalId, ...resource }));
