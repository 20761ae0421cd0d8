import type { Table } from '../../../../lambdas/api/tables.ts';
import type { Item } from './values.ts';

/** What each table is made of, by its name. */
export type Definitions = Readonly<Record<string, Table>>;

/** The items of a table by their keys. A write makes a new one, so that an older one can be read still. */
export type Rows = ReadonlyMap<string, Item>;

/** All tables at one moment, by name. */
export type Tables = Readonly<Record<string, Rows>>;

export const emptyTables = (definitions: Definitions): Tables =>
  Object.fromEntries(Object.keys(definitions).map((name) => [name, new Map()]));

export const definitionOf = (definitions: Definitions, name: string): Table => {
  const definition = definitions[name];
  if (!definition) throw new Error(`The store in memory has no table ${name}.`);
  return definition;
};

export const rowsOf = (tables: Tables, name: string): Rows => tables[name] ?? new Map();

/** The attributes of an item that are its key. */
export const keyNames = ({ partitionKey, sortKey }: Table): string[] =>
  sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];

/** The key of an item as one text. */
export const keyText = (table: Table, item: Readonly<Record<string, unknown>>): string =>
  keyNames(table)
    .map((name) => {
      const value = item[name];
      if (typeof value !== 'string' || value === '') throw new Error(`${name} is no text with characters: ${value}`);
      return value;
    })
    .join('\0');

/** The key text of an item's key alone, as reads and updates name it. */
export const keyTextOfKey = (table: Table, key: Readonly<Record<string, unknown>> = {}): string => {
  if (Object.keys(key).length !== keyNames(table).length) throw new Error(`This is no key: ${JSON.stringify(key)}`);
  return keyText(table, key);
};

/** The tables with other items under some keys; undefined takes an item away. */
export const withItems = (
  tables: Tables,
  changes: readonly { readonly table: string; readonly key: string; readonly item: Item | undefined }[],
): Tables => {
  const changed: Record<string, Map<string, Item>> = {};
  for (const { table, key, item } of changes) {
    changed[table] ??= new Map(rowsOf(tables, table));
    if (item) changed[table].set(key, item);
    else changed[table].delete(key);
  }
  return { ...tables, ...changed };
};
