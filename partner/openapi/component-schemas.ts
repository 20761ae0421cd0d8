import { feedEventSchemas, knownEventsAreTyped } from './feed-events.ts';
import { describe, type JsonSchema, type PropertyDescriptions, toJsonSchema, withReferences } from './json-schema.ts';
import { pokeSchemas } from './pokes.ts';
import { problemSchemas } from './problem-responses.ts';
import { documentedSchemas } from './schemas.ts';

/** All schemas of the document by name. A schema that another one holds is referred to. */
export const componentSchemas = (): Record<string, JsonSchema> => {
  const named = mapValues(Object.fromEntries(documentedSchemas), ({ schema, isSent }) =>
    toJsonSchema(schema, isSent ? 'sent' : 'answered'),
  );
  const finished = (schema: JsonSchema, descriptions: PropertyDescriptions) =>
    describe(
      mapValues(schema, (part) => withReferences(part, named)),
      descriptions,
    );
  return {
    ...mapValues(Object.fromEntries(documentedSchemas), ({ properties, example }, name) => ({
      ...finished(named[name] as JsonSchema, properties as PropertyDescriptions),
      ...(name === 'FeedEvent' && knownEventsAreTyped),
      examples: [example],
    })),
    ...feedEventSchemas(),
    ...pokeSchemas(),
    ...mapValues(problemSchemas(), ({ schema, descriptions }) => finished(schema, descriptions)),
  };
};

const mapValues = <Value, Mapped>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Mapped,
): Record<string, Mapped> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
