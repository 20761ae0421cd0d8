import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import type { Schema } from '../../lambdas/api/schemas/common.ts';
import { descriptionOf } from './property-descriptions.ts';

/** JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export type JsonSchema = { [keyword: string]: unknown };

type Direction = 'sent' | 'answered';

/** What a schema of the API is in the document, but for its words. */
export const toJsonSchema = (schema: Schema, direction: Direction): JsonSchema => {
  const made = schema();
  const { $schema: _, ...json } = z.toJSONSchema(made, {
    io: direction === 'sent' ? 'input' : 'output',
    override: ({ jsonSchema }) => simplify(jsonSchema as JsonSchema, direction),
  });
  if (isRefusedEmpty(made, json)) json.minProperties = 1;
  return json;
};

/** A check that no keyword of its own tells: nothing has to be there, and yet there has to be something. */
const isRefusedEmpty = (schema: z.ZodMiniType, { type, required = [] }: JsonSchema & { required?: string[] }) =>
  type === 'object' && required.length === 0 && !z.safeParse(schema, {}).success;

const simplify = (json: JsonSchema, direction: Direction): void => {
  // An answer may gain properties within a major version.
  if (direction === 'answered') delete json.additionalProperties;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  // The format says it, but for the time zone.
  if (json.format === 'date-time') json.pattern = 'Z$';
  if (json.format === 'date') delete json.pattern;
  const [value, nothing] = (json.anyOf ?? []) as JsonSchema[];
  if (nothing?.type !== 'null' || typeof value?.type !== 'string' || value.enum) return;
  delete json.anyOf;
  Object.assign(json, value, { type: [value.type, 'null'] });
};

/** With a description of every property; `owner` is whose properties they are. */
export const describe = (owner: string, json: JsonSchema): JsonSchema => {
  const properties = Object.entries((json.properties ?? {}) as Record<string, JsonSchema>).map(([name, property]) => [
    name,
    { description: descriptionOf(owner, name), ...describe(name, property) },
  ]);
  return {
    ...json,
    ...(json.properties !== undefined && { properties: Object.fromEntries(properties) }),
    ...(json.items !== undefined && { items: describe(owner, json.items as JsonSchema) }),
  };
};

/** A schema in which every part that is alike to a named one refers to it. */
export const withReferences = (json: unknown, named: Readonly<Record<string, JsonSchema>>): unknown => {
  if (typeof json !== 'object' || json === null) return json;
  const name = Object.keys(named).find((each) => isDeepStrictEqual(named[each], json));
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  return Array.isArray(json)
    ? json.map((each) => withReferences(each, named))
    : Object.fromEntries(Object.entries(json).map(([key, value]) => [key, withReferences(value, named)]));
};
