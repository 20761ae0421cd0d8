type Resource = {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
};
type Template = { readonly Resources: Readonly<Record<string, Resource>> };

/** A stack within a stack, as the outer template has it. */
export type NestedStack = Resource & { readonly logicalId: string };

/** Finds the stacks that a template nests. */
export const nestedStacksIn = ({ Resources }: Template): NestedStack[] =>
  Object.entries(Resources)
    .filter(([, { Type }]) => Type === 'AWS::CloudFormation::Stack')
    .map(([logicalId, resource]) => ({ logicalId, ...resource }));

/**
 * Puts the resources of nested stacks in the place of these, as if all stood in one template: where a nested template refers
 * to a parameter, the result has what the outer template passes, and what depends on a nested stack depends on each of its
 * resources. `templateOf` gives the template of a nested stack, in which none is nested any more.
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
  if (twice) throw new Error(`Two stacks have a resource ${twice[0]}; name the constructs of one of them otherwise.`);
  const resourcesOf = (id: string): string[] => contents.get(id)?.map(([inner]) => inner) ?? [id];
  const resolved = all.map(([id, { DependsOn, ...resource }]) => [
    id,
    { ...resource, ...(DependsOn && { DependsOn: [DependsOn].flat().flatMap(resourcesOf) }) },
  ]);
  return { ...template, Resources: Object.fromEntries(resolved) };
};

const parametersOf = ({ Properties = {} }: NestedStack) =>
  (Properties.Parameters ?? {}) as Readonly<Record<string, unknown>>;

/** Puts what is passed in the place of references to parameters. */
const passed = <T>(value: T, parameters: Readonly<Record<string, unknown>>): T => {
  if (Array.isArray(value)) return value.map((each) => passed(each, parameters)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const { Ref: name } = value as { readonly Ref?: unknown };
  if (typeof name === 'string' && name in parameters) return parameters[name] as T;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, passed(each, parameters)])) as T;
};
