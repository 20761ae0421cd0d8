type Resource = {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
};
type Template = { readonly Resources: Readonly<Record<string, Resource>> };

/** A nested stack in the outer template. */
export type NestedStack = Resource & { readonly logicalId: string };

/** Returns the nested stacks of a template. */
const nestedStacksIn = ({ Resources }: Template): NestedStack[] =>
  Object.entries(Resources)
    .filter(([, { Type }]) => Type === 'AWS::CloudFormation::Stack')
    .map(([logicalId, resource]) => ({ logicalId, ...resource }));

/**
 * Replaces nested stacks with their resources, as if all were in one template: a reference to a parameter of the nested
 * template becomes the value that the outer template passes, and a dependency on a nested stack becomes one on each of its
 * resources. `templateOf` returns the template of a nested stack, without further nested stacks. Throws if two stacks have a
 * resource with the same id.
 */
export const withNestedStacks = <T extends Template>(template: T, templateOf: (nested: NestedStack) => Template): T => {
  const nested = nestedStacksIn(template);
  if (nested.length === 0) return template;
  const contents = new Map(
    nested.map((stack) => [stack.logicalId, Object.entries(passed(templateOf(stack).Resources, parametersOf(stack)))]),
  );
  const own = Object.entries(template.Resources).filter(([id]) => !contents.has(id));
  const all = [...own, ...[...contents.values()].flat()];
  const twice = all.find(([id], index) => all.findIndex(([other]) => other === id) !== index);
  if (twice) throw new Error(`Two stacks have a resource ${twice[0]}; rename the constructs of one of them.`);
  const resourcesOf = (id: string): string[] => contents.get(id)?.map(([inner]) => inner) ?? [id];
  const resolved = all.map(([id, { DependsOn, ...resource }]) => [
    id,
    { ...resource, ...(DependsOn && { DependsOn: [DependsOn].flat().flatMap(resourcesOf) }) },
  ]);
  return { ...template, Resources: Object.fromEntries(resolved) };
};

const parametersOf = ({ Properties = {} }: NestedStack) =>
  (Properties.Parameters ?? {}) as Readonly<Record<string, unknown>>;

/** Replaces references to parameters with the passed values. */
const passed = <T>(value: T, parameters: Readonly<Record<string, unknown>>): T => {
  if (Array.isArray(value)) return value.map((each) => passed(each, parameters)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const { Ref: name } = value as { readonly Ref?: unknown };
  if (typeof name === 'string' && name in parameters) return parameters[name] as T;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, passed(each, parameters)])) as T;
};
