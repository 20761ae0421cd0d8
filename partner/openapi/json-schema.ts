import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { maxInt32, type Schema } from '../../lambdas/api/schemas/common.ts';

/** JSON Schema 2020-12, which OpenAPI 3.1 uses. */
export type JsonSchema = { [keyword: string]: unknown };

type Direction = 'sent' | 'answered';

/** Converts a schema of the API to JSON Schema, without descriptions. */
export const toJsonSchema = (schema: Schema, direction: Direction): JsonSchema => {
  const made = schema();
  const { $schema: _, ...json } = z.toJSONSchema(made, {
    io: direction === 'sent' ? 'input' : 'output',
    override: ({ jsonSchema }) => simplify(jsonSchema as JsonSchema, direction),
  });
  if (isRefusedEmpty(made, json)) json.minProperties = 1;
  return json;
};

/** Whether the schema requires no property but rejects an empty object, which the conversion does not express. */
const isRefusedEmpty = (schema: z.ZodMiniType, { type, required = [] }: JsonSchema & { required?: string[] }) =>
  type === 'object' && required.length === 0 && !z.safeParse(schema, {}).success;

const simplify = (json: JsonSchema, direction: Direction): void => {
  const { additionalProperties: values } = json;
  // An answer may gain properties within a major version.
  if (direction === 'answered') delete json.additionalProperties;
  // Every client generator knows this keyword; without it, some treat a record as an object without properties.
  if (json.propertyNames !== undefined)
    json.additionalProperties = Object.keys(Object(values)).length > 0 ? values : true;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  if (json.type === 'integer') json.format = Number(json.maximum) <= maxInt32 ? 'int32' : 'int64';
  // Generators of most languages make a date or a URL of these, to which no rule about texts applies.
  if (['date-time', 'date', 'uri'].includes(String(json.format))) {
    delete json.pattern;
    delete json.maxLength;
  }
  const [isLine, minLength] = /^\^\[\^\\p.*\]\{(\d+),\d+\}\$$/.exec(String(json.pattern)) ?? [];
  if (isLine) Object.assign(json, { minLength: Number(minLength), pattern: linePattern });
  // A partner's validator must take whatever line an appliance writes.
  if (isLine && direction === 'answered') delete json.pattern;
  if (json.pattern !== undefined) json.pattern = portablePattern(String(json.pattern));
  const [value, nothing] = (json.anyOf ?? []) as JsonSchema[];
  if (nothing?.type !== 'null' || typeof value?.type !== 'string' || value.enum) return;
  delete json.anyOf;
  Object.assign(json, value, { type: [value.type, 'null'] });
};

/** All regular expressions can name control characters, and few the other characters that lines may not have. */
const linePattern = '^[^\\x00-\\x1F\\x7F-\\x9F]*$';

/**
 * Returns a pattern of JavaScript with what the regular expressions of all languages read alike: elsewhere, `\d` and `\w` have
 * letters and digits of all scripts. A look-ahead and a long repetition, which RE2 has not, bound a length that `maxLength` states.
 */
const portablePattern = (pattern: string): string =>
  pattern
    .replace(/\(\?=.*?\)/, '')
    .replace(/\{1,\d{4,}\}/, '+')
    .replaceAll('\\/', '/')
    .replaceAll(/\[.*?\]|\\[dw]/g, (part) => {
      const plain = part.replace('\\d', '0-9').replace('\\w', 'A-Za-z0-9_');
      return part.startsWith('\\') ? `[${plain}]` : plain;
    });

/** Descriptions by property. The entry of an object, or of a list of objects, includes the descriptions of its properties. */
export type PropertyDescriptions = {
  readonly [name: string]: string | { readonly description: string; readonly properties: PropertyDescriptions };
};

/** Adds a description to every property of a schema. Throws if one is missing. */
export const describe = (json: JsonSchema, descriptions: PropertyDescriptions): JsonSchema => {
  if (json.items !== undefined) return { ...json, items: describe(json.items as JsonSchema, descriptions) };
  if (json.properties === undefined) return json;
  const properties = Object.entries(json.properties as Record<string, JsonSchema>).map(([name, property]) => [
    name,
    describeProperty(property, descriptions[name] ?? missing(name)),
  ]);
  return { ...json, properties: Object.fromEntries(properties) };
};

const describeProperty = (property: JsonSchema, words: PropertyDescriptions[string]): JsonSchema =>
  typeof words === 'string'
    ? { description: words, ...property }
    : { description: words.description, ...describe(property, words.properties) };

const missing = (name: string): never => {
  throw new Error(
    `The property "${name}" has no description. Add it beside its schema in lambdas/api/schemas/ or lambdas/api/problems/.`,
  );
};

/** Replaces every part of a schema that equals a named schema by a reference. */
export const withReferences = (json: unknown, named: Readonly<Record<string, JsonSchema>>): unknown => {
  if (typeof json !== 'object' || json === null) return json;
  const name = Object.keys(named).find((each) => isDeepStrictEqual(named[each], json));
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  return Array.isArray(json)
    ? json.map((each) => withReferences(each, named))
    : Object.fromEntries(Object.entries(json).map(([key, value]) => [key, withReferences(value, named)]));
};

/** Returns the type name for generated code: `circuit.changed` → `CircuitChanged`. */
export const typeNameOf = (text: string): string =>
  text.replace(/(?:^|[._-])(\w)/g, (_, letter) => letter.toUpperCase());
