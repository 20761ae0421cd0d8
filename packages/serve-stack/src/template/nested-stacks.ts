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
    nested.map((stack) => {
      const { Parameters = {} } = (stack.Properties ?? {}) as {
        readonly Parameters?: Readonly<Record<string, unknown>>;
      };
      return [stack.logicalId, passed(templateOf(stack).Resources, Parameters)] as const;
    }),
  );
  const resources = Object.entries(template.Resources).filter(([id]) => !contents.has(id));
  const all = [...resources, ...[...contents.values()].flatMap((each) => Object.entries(each))];
  const twice = all.find(([id], index) => all.findIndex(([other]) => other === id) !== index);
  if (twice) throw new Error(`Two stacks have a resource ${twice[0]}; name the constructs of one of them otherwise.`);
  const resolved = all.map(([id, resource]) => [id, { ...resource, ...dependencies(resource, contents) }]);
  return { ...template, Resources: Object.fromEntries(resolved) };
};

const dependencies = (
  { DependsOn }: Resource,
  contents: ReadonlyMap<string, Template['Resources']>,
): Pick<Resource, 'DependsOn'> => {
  if (DependsOn === undefined) return {};
  return { DependsOn: [DependsOn].flat().flatMap((id) => Object.keys(contents.get(id) ?? { [id]: id })) };
};

/** Puts what is passed in the place of references to parameters. */
const passed = <T>(value: T, parameters: Readonly<Record<string, unknown>>): T => {
  if (Array.isArray(value)) return value.map((each) => passed(each, parameters)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const { Ref: name } = value as { readonly Ref?: unknown };
  if (typeof name === 'string' && name in parameters) return parameters[name] as T;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, passed(each, parameters)])) as T;
};
