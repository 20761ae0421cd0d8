import type { Template } from '../assembly.ts';

/** A fault and its remedy, as a sentence. If the fault belongs to one resource, the sentence follows the resource's id. */
export type Fault = { readonly logicalId?: string; readonly sentence: string };

/** The stack of a template, which determines the length of the template's references. */
export type StackPlace = { readonly stackName: string; readonly account: string; readonly region: string };

/** Finds faults of one kind that the resources' schemas do not cover. */
export type Check = (template: Template, place: StackPlace) => Fault[];

type Found = {
  readonly logicalId: string;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is JSON whose shape the checks themselves look into.
  readonly properties: Readonly<Record<string, any>>;
};

/** Returns the resources of these types, or all resources if there are no types. */
export const resourcesOf = ({ Resources }: Template, ...types: readonly string[]): Found[] =>
  Object.entries(Resources)
    .filter(([, { Type }]) => types.length === 0 || types.includes(Type))
    .map(([logicalId, { Type, Properties = {} }]) => ({ logicalId, type: Type, properties: Properties }));

/** Returns a list. A template may leave the list out or write its only value instead. */
export const listOf = <T>(value: T | readonly T[] | undefined): readonly T[] => {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value as T];
};

/**
 * Returns a text of the template with its intrinsic functions resolved. A value that only AWS knows becomes `{LogicalId}` or
 * `{LogicalId.Attribute}`, and a pseudo parameter becomes its own name. Returns `undefined` if the value is not a text.
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

/** Returns whether a text refers to no other resource, so that it stays the same when others are replaced. */
export const isFixed = (text: string | undefined): boolean => text !== undefined && !text.includes('{');
