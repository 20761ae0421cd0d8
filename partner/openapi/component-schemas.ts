import type { Schema } from '../../lambdas/api/schemas/common.ts';
import { examples } from './examples.ts';
import { describe, type JsonSchema, toJsonSchema, withReferences } from './json-schema.ts';
import { problemSchemas } from './problem-responses.ts';
import { answerSchemas, bodySchemas, type SchemaName } from './schemas.ts';

/** All schemas of the document by name; one that another holds is referred to. */
export const componentSchemas = (): Record<string, JsonSchema> => {
  const named = {
    ...mapValues<Schema, JsonSchema>(answerSchemas, (schema) => toJsonSchema(schema, 'answered')),
    ...mapValues<Schema, JsonSchema>(bodySchemas, (schema) => toJsonSchema(schema, 'sent')),
  };
  const finished = (owner: string, schema: JsonSchema) =>
    describe(
      owner,
      mapValues(schema, (part) => withReferences(part, named)),
    );
  return {
    ...mapValues(named, (schema, name) => ({
      ...finished(name, schema),
      examples: [examples[name as SchemaName]],
    })),
    ...mapValues(problemSchemas(), ({ code, schema }) => finished(code, schema)),
  };
};

const mapValues = <Value, Mapped>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Mapped,
): Record<string, Mapped> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
