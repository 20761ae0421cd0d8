import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { maxInt32, type Schema } from '../../lambdas/api/schemas/common.ts';

/** JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export type JsonSchema = { [keyword: string]: unknown };

type Direction = 'sent' | 'answered';

/** A schema of the API as the document states it, without descriptions. */
export const toJsonSchema = (schema: Schema, direction: Direction): JsonSchema => {
  const made = schema();
  const { $schema: _, ...json } = z.toJSONSchema(made, {
    io: direction === 'sent' ? 'input' : 'output',
    override: ({ jsonSchema }) => simplify(jsonSchema as JsonSchema, direction),
  });
  if (isRefusedEmpty(made, json)) json.minProperties = 1;
  return json;
};

/** Whether the schema requires no property and yet refuses an empty object: no keyword says so by itself. */
const isRefusedEmpty = (schema: z.ZodMiniType, { type, required = [] }: JsonSchema & { required?: string[] }) =>
  type === 'object' && required.length === 0 && !z.safeParse(schema, {}).success;

const simplify = (json: JsonSchema, direction: Direction): void => {
  const { additionalProperties: values } = json;
  // An answer may gain properties within a major version.
  if (direction === 'answered') delete json.additionalProperties;
  // Says so in a word that each generator of clients knows: without it, some take a record for an object without properties.
  if (json.propertyNames !== undefined)
    json.additionalProperties = Object.keys(Object(values)).length > 0 ? values : true;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  if (json.type === 'integer') json.format = Number(json.maximum) <= maxInt32 ? 'int32' : 'int64';
  // The format says it. What is answered is in UTC besides.
  if (json.format === 'date-time') delete json.pattern;
  if (json.format === 'date-time' && direction === 'answered') Object.assign(json, timesInUtc);
  if (json.format === 'date') delete json.pattern;
  const [value, nothing] = (json.anyOf ?? []) as JsonSchema[];
  if (nothing?.type !== 'null' || typeof value?.type !== 'string' || value.enum) return;
  delete json.anyOf;
  Object.assign(json, value, { type: [value.type, 'null'] });
};

const timesInUtc = { pattern: 'Z$', maxLength: '2026-03-31T23:59:59.999Z'.length };

/** Descriptions by property. That of an object, or of a list of objects, includes those of its properties. */
export type PropertyDescriptions = {
  readonly [name: string]: string | { readonly description: string; readonly properties: PropertyDescriptions };
};

/** The schema with a description of every property. */
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

/** A schema in which every part that equals a named one refers to it. */
export const withReferences = (json: unknown, named: Readonly<Record<string, JsonSchema>>): unknown => {
  if (typeof json !== 'object' || json === null) return json;
  const name = Object.keys(named).find((each) => isDeepStrictEqual(named[each], json));
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  return Array.isArray(json)
    ? json.map((each) => withReferences(each, named))
    : Object.fromEntries(Object.entries(json).map(([key, value]) => [key, withReferences(value, named)]));
};

/** The name of a type of generated code: `circuit.changed` → `CircuitChanged`. */
export const typeNameOf = (text: string): string =>
  text.replace(/(?:^|[._-])(\w)/g, (_, letter) => letter.toUpperCase());
