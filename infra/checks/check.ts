/** Holds what the checks look at in a template as CloudFormation gets it. */
export type Template = { readonly Resources: Readonly<Record<string, Resource>> };

export type Resource = {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is JSON whose shape the checks themselves look into.
  readonly Properties?: Readonly<Record<string, any>>;
  readonly DependsOn?: string | readonly string[];
};

/** Says what is wrong and what to write, after the id of the resource if it is the fault of one. */
export type Fault = { readonly logicalId?: string; readonly sentence: string };

/** Finds the faults of one kind that the schemas of the resources do not know. */
export type Check = (template: Template) => Fault[];

type Found = {
  readonly logicalId: string;
  readonly type: string;
  readonly properties: NonNullable<Resource['Properties']>;
};

/** Lists the resources of these types, or all of them. */
export const resourcesOf = ({ Resources }: Template, ...types: readonly string[]): Found[] =>
  Object.entries(Resources)
    .filter(([, { Type }]) => types.length === 0 || types.includes(Type))
    .map(([logicalId, { Type, Properties = {} }]) => ({ logicalId, type: Type, properties: Properties }));

/** Gives a list that a template may leave out or write as its only value. */
export const listOf = <T>(value: T | readonly T[] | undefined): readonly T[] => {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value as T];
};
