/**
 * Gives a text of the template as it will be, but for what only AWS knows: `{LogicalId}` or `{LogicalId.Attribute}` stands
 * for a reference, the name of a pseudo parameter for itself. What is no text is undefined.
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

/** If nothing but AWS itself can change this text: no other resource stands in it. */
export const isFixed = (text: string | undefined): boolean => text !== undefined && !text.includes('{');

/** What a text says as JSON; undefined where it says nothing. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
