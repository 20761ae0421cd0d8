import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Resource = {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly DependsOn?: string | readonly string[];
  readonly Properties?: Readonly<Record<string, unknown>>;
};

/** The part of a template that checks and deployments read. */
export type Template = { readonly Resources: Readonly<Record<string, Resource>> };

/** The stack of a cloud assembly. Its template contains the resources of nested stacks. */
type SynthesizedStack = {
  readonly stackName: string;
  readonly account: string;
  readonly region: string;
  readonly template: Template;
};

/** Reads the stack of a cloud assembly. Throws if the assembly has several stacks, or lacks a nested template. */
export const loadStack = (assembly: string): SynthesizedStack => {
  const read = (file: string) => JSON.parse(readFileSync(join(assembly, file), 'utf8'));
  const artifacts: Artifact[] = Object.values(read('manifest.json').artifacts);
  const [stack, ...others] = artifacts.filter(({ type }) => type === 'aws:cloudformation:stack');
  if (!stack || others.length > 0) throw new Error(`${assembly} must contain exactly one stack.`);
  const { stackName = '', templateFile = '' } = stack.properties;
  const [, account = '', region = ''] = /^aws:\/\/([^/]+)\/(.+)$/.exec(stack.environment ?? '') ?? [];
  const files = artifacts
    .filter(({ type }) => type === 'cdk:asset-manifest')
    .flatMap(({ properties: { file = '' } }) => Object.entries<Asset>(read(file).files ?? {}));
  const templateOf = ({ logicalId, Properties }: NestedStack): Template => {
    const url = JSON.stringify(Properties?.TemplateURL);
    const [, asset] = files.find(([hash]) => url.includes(hash)) ?? [];
    if (!asset) throw new Error(`${assembly} does not contain the template of ${logicalId}.`);
    return read(asset.source.path);
  };
  return { stackName, account, region, template: mergeNestedStacks(read(templateFile), templateOf) };
};

type Artifact = {
  readonly type: string;
  readonly environment?: string;
  readonly properties: { readonly stackName?: string; readonly templateFile?: string; readonly file?: string };
};

type Asset = { readonly source: { readonly path: string } };

/** A nested stack in the outer template. */
export type NestedStack = Resource & { readonly logicalId: string };

/** Lists the nested stacks of a template. */
export const nestedStacksIn = ({ Resources }: Template): NestedStack[] =>
  Object.entries(Resources)
    .filter(([, { Type }]) => Type === 'AWS::CloudFormation::Stack')
    .map(([logicalId, resource]) => ({ logicalId, ...resource }));

/**
 * Replaces each nested stack by its resources. References to parameters become the values that the outer template passes, and
 * dependencies on the nested stack become dependencies on its resources. Throws if two stacks have a resource with the same id.
 */
export const mergeNestedStacks = (
  { Resources, ...rest }: Template,
  templateOf: (nested: NestedStack) => Template,
): Template => {
  const contents = new Map(
    nestedStacksIn({ Resources }).map((nested) => {
      const parameters = (nested.Properties?.Parameters ?? {}) as Readonly<Record<string, unknown>>;
      return [nested.logicalId, Object.entries(withParameters(templateOf(nested).Resources, parameters))] as const;
    }),
  );
  const merged: Record<string, Resource> = {};
  for (const [id, resource] of Object.entries(Resources).flatMap((own) => contents.get(own[0]) ?? [own])) {
    if (id in merged) throw new Error(`Two stacks have a resource ${id}; rename the constructs of one of them.`);
    merged[id] = resource;
  }
  const idsOf = (id: string) => contents.get(id)?.map(([inner]) => inner) ?? [id];
  for (const [id, { DependsOn, ...resource }] of Object.entries(merged))
    if (DependsOn) merged[id] = { ...resource, DependsOn: [DependsOn].flat().flatMap(idsOf) };
  return { ...rest, Resources: merged };
};

/** Replaces references to parameters by their values. */
const withParameters = <Value>(value: Value, parameters: Readonly<Record<string, unknown>>): Value =>
  JSON.parse(JSON.stringify(value), (_, part) =>
    typeof part?.Ref === 'string' && Object.hasOwn(parameters, part.Ref) ? parameters[part.Ref] : part,
  );
