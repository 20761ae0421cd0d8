import { readdirSync } from 'node:fs';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import { type Documentation, pageDescriptions, type Schema } from '../../lambdas/api/schemas/common.ts';

/** A body of the API: its schema and its documentation for partners. */
export type DocumentedSchema = { readonly schema: Schema; readonly isSent: boolean } & Documentation<Schema>;

const folder = new URL('../../lambdas/api/schemas/', import.meta.url);

type Exported = { readonly file: string; readonly value: unknown };

/**
 * All exports of the schema files by name. The documentation of a body `thing` is exported as `thingDocs`,
 * the descriptions of a query `thingQuery` as `thingQueryDescriptions`.
 */
const exported: ReadonlyMap<string, Exported> = new Map(
  (
    await Promise.all(
      readdirSync(folder).map(async (file) =>
        Object.entries(await import(new URL(file, folder).href)).map(
          ([name, value]) => [name, { file, value }] as const,
        ),
      ),
    )
  ).flat(),
);

const rows: readonly Endpoint[] = Object.values(endpoints);
const sent = new Set(rows.flatMap(({ body }) => body ?? []));

/** Returns the name of a schema in the document: from its export, or for a page from its item. */
const nameOf = (schema: Schema): string => {
  const item = itemOf(schema);
  if (item) return `${nameOf(item)}Page`;
  return schema.name.charAt(0).toUpperCase() + schema.name.slice(1);
};

/** Returns the schema of the items of a page; undefined for any other schema. */
export const itemOf = (schema: Schema): Schema | undefined => ('item' in schema ? (schema.item as Schema) : undefined);

/** Returns the documentation of a schema; for a page, it follows from its item. Throws if the schema has none. */
export const documentationOf = (schema: Schema): Documentation<Schema> => {
  const item = itemOf(schema);
  if (item)
    return {
      example: { items: [documentationOf(item).example], nextCursor: null },
      properties: pageDescriptions(),
    };
  const { name } = schema;
  const docs = exported.get(`${name}Docs`)?.value;
  if (typeof docs === 'function') return docs();
  const file = exported.get(name)?.file ?? '';
  throw new Error(
    `The body "${name}" has no documentation. Export ${name}Docs beside ${name} in lambdas/api/schemas/${file}.`,
  );
};

/** Returns the description of each parameter of a query, by name. Throws if the query has none. */
export const queryDescriptionsOf = ({ name }: Schema): Readonly<Record<string, string>> => {
  const descriptions = exported.get(`${name}Descriptions`)?.value;
  if (typeof descriptions === 'function') return descriptions();
  const file = exported.get(name)?.file ?? '';
  throw new Error(
    `The query "${name}" has no descriptions. Export ${name}Descriptions beside ${name} in lambdas/api/schemas/${file}.`,
  );
};

const documented: readonly Schema[] = [...exported].flatMap(([name, { value }]) =>
  exported.has(`${name}Docs`) ? [value as Schema] : [],
);

const ofRows: readonly Schema[] = rows.flatMap(({ success, body }) => [success.body ?? [], body ?? []].flat());

/** All named schemas of the document, sorted by name. */
export const documentedSchemas: ReadonlyMap<string, DocumentedSchema> = new Map(
  [...documented, ...ofRows]
    .map((schema) => [nameOf(schema), { schema, isSent: sent.has(schema), ...documentationOf(schema) }] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1)),
);

/** Returns a reference to a schema of the document. */
export const referenceTo = (schema: Schema): { $ref: string } => ({ $ref: `#/components/schemas/${nameOf(schema)}` });
