import { readdirSync } from 'node:fs';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import { type Documentation, pageDescriptions, type Schema } from '../../lambdas/api/schemas/common.ts';

/** A body of the API: its schema, and what partners read about it. */
export type DocumentedSchema = { readonly schema: Schema; readonly isSent: boolean } & Documentation<Schema>;

const folder = new URL('../../lambdas/api/schemas/', import.meta.url);

type Exported = { readonly file: string; readonly value: unknown };

/** All exports of the schema files by name. A schema `thing` has its documentation beside it, as `thingDocs`. */
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
  const { name } = schema;
  const docs = exported.get(`${name}Docs`)?.value;
  if (typeof docs === 'function') return docs();
  const file = exported.get(name)?.file ?? '';
  throw new Error(
    `The body "${name}" has no documentation. Export ${name}Docs beside ${name} in lambdas/api/schemas/${file}.`,
  );
};

const documented: readonly Schema[] = [...exported].flatMap(([name, { value }]) =>
  exported.has(`${name}Docs`) ? [value as Schema] : [],
);

const ofRows: readonly Schema[] = rows.flatMap(({ success, body }) => [success.body ?? [], body ?? []].flat());

/** All schemas that have a name in the document, in the order of their names. */
export const documentedSchemas: ReadonlyMap<string, DocumentedSchema> = new Map(
  [...documented, ...ofRows]
    .map((schema) => [nameOf(schema), { schema, isSent: sent.has(schema), ...documentationOf(schema) }] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1)),
);

/** A reference to the schema of a row. */
export const referenceTo = (schema: Schema): { $ref: string } => ({ $ref: `#/components/schemas/${nameOf(schema)}` });
