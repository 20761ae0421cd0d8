/** What the checks read of a template as CloudFormation gets it. */
export type Template = { readonly Resources: Readonly<Record<string, Resource>> };

export type Resource = {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is JSON whose shape the checks themselves look into.
  readonly Properties?: Readonly<Record<string, any>>;
  readonly DependsOn?: string | readonly string[];
};

/** What is wrong and what to write, as a sentence that follows the id of the resource if it is the fault of one. */
export type Fault = { readonly logicalId?: string; readonly sentence: string };

/** The stack that a template is for: what the length of its references follows from. */
export type StackPlace = { readonly stackName: string; readonly account: string; readonly region: string };

/** Finds the faults of one kind that the schemas of the resources do not know. */
export type Check = (template: Template, place: StackPlace) => Fault[];

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

/** Returns a list that a template may leave out or write as its only value. */
export const listOf = <T>(value: T | readonly T[] | undefined): readonly T[] => {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value as T];
};

/**
 * Returns a text of the template with its intrinsics resolved. What only AWS knows stands as `{LogicalId}` or
 * `{LogicalId.Attribute}`, a pseudo parameter as its own name. A value that is no text is undefined.
 */
export const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const [name = '', argument] = Object.entries(value)[0] ?? [];
  return intrinsics[name]?.(argument as never);
};

const intrinsics: Readonly<Record<string, (argument: never) => string>> = {
  Ref: (name: string) => (isPseudoParameter(name) ? name : `{${name}}`),
  'Fn::GetAtt': (argument: string | string[]) => `{${[argument].flat().join('.')}}`,
  'Fn::Join': ([delimiter, parts]: [string, unknown[]]) => parts.map((part) => textOf(part) ?? '{}').join(delimiter),
  'Fn::Sub': (argument: string | [string, Readonly<Record<string, unknown>>]) => {
    const [text, variables = {}] = [argument].flat() as [string, Readonly<Record<string, unknown>>?];
    return text.replace(/\$\{([^!}]+)\}/g, (_, name: string) =>
      name in variables ? (textOf(variables[name]) ?? '{}') : (textOf({ Ref: name }) as string),
    );
  },
};

const isPseudoParameter = (name: string) => name.startsWith('AWS::');

/** Whether a text refers to no other resource, and so stays the same when others are replaced. */
export const isFixed = (text: string | undefined): boolean => text !== undefined && !text.includes('{');
