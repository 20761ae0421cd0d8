import { readdirSync } from 'node:fs';
import type { Documentation } from '../../lambdas/api/documentation.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import { pageDescriptions, type Schema } from '../../lambdas/api/schemas/common.ts';

/** A body of the API: its schema, and what partners read about it. */
export type DocumentedSchema = { readonly schema: Schema; readonly isSent: boolean } & Documentation<Schema>;

const folder = new URL('../../lambdas/api/schemas/', import.meta.url);

/** All exports of the schema files. A schema `thing` has its documentation beside it, as `thingDocs`. */
const exported: Readonly<Record<string, unknown>> = Object.assign(
  {},
  ...(await Promise.all(readdirSync(folder).map((file) => import(new URL(file, folder).href)))),
);

const rows: readonly Endpoint[] = Object.values(endpoints);
const sent = new Set(rows.flatMap(({ body }) => body ?? []));

/** The name of a schema in the document: that of its export, and for a page that of its item. */
const nameOf = (schema: Schema): string => {
  const item = itemOf(schema);
  if (item) return `${nameOf(item)}Page`;
  return schema.name.charAt(0).toUpperCase() + schema.name.slice(1);
};

/** The schema of the items, if the schema is that of a page. */
export const itemOf = (schema: Schema): Schema | undefined => ('item' in schema ? (schema.item as Schema) : undefined);

/** What partners read about a schema; a page is described by what it lists. */
export const documentationOf = (schema: Schema): Documentation<Schema> => {
  const item = itemOf(schema);
  if (item)
    return {
      example: { items: [documentationOf(item).example], nextCursor: null },
      properties: pageDescriptions(),
    };
  const docs = exported[`${schema.name}Docs`];
  if (typeof docs === 'function') return docs();
  throw new Error(
    `The body "${schema.name}" has no documentation. Export ${schema.name}Docs beside ${schema.name} in lambdas/api/schemas/.`,
  );
};

const isDocumented = (name: string) => `${name}Docs` in exported;

/** All schemas that have a name in the document: those with documentation, and those of the rows. */
export const documentedSchemas: ReadonlyMap<string, DocumentedSchema> = new Map(
  [
    ...Object.entries(exported).flatMap(([name, schema]) => (isDocumented(name) ? [schema as Schema] : [])),
    ...rows.flatMap(({ success, body }) => [success.body, body].filter((schema) => schema !== undefined)),
  ]
    .map((schema) => [nameOf(schema), { schema, isSent: sent.has(schema), ...documentationOf(schema) }] as const)
    // The order of a module's exports is not that of its file everywhere.
    .toSorted(([one], [other]) => (one < other ? -1 : 1)),
);

/** A reference to the schema of a row. */
export const referenceTo = (schema: Schema): { $ref: string } => ({ $ref: `#/components/schemas/${nameOf(schema)}` });
