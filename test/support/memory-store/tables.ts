import type { Table } from '../../../lambdas/api/tables.ts';

/** The definition of each table, by name. */
export type Definitions = Readonly<Record<string, Table>>;

/** The items of a table by key. A write makes a new map, so that the older one stays readable. */
type Rows = ReadonlyMap<string, Item>;

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

/** Returns the names of the key attributes. */
export const keyNames = ({ partitionKey, sortKey }: Table): string[] =>
  sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];

/** Returns the key of an item as one string. */
export const keyText = (table: Table, item: Readonly<Record<string, unknown>>): string =>
  keyNames(table)
    .map((name) => {
      const value = item[name];
      if (typeof value !== 'string' || value === '') throw new Error(`${name} is no text with characters: ${value}`);
      return value;
    })
    .join('\0');

/** Returns the key text of a key as reads and updates pass it. Throws if it has other attributes. */
export const keyTextOfKey = (table: Table, key: Readonly<Record<string, unknown>> = {}): string => {
  if (Object.keys(key).length !== keyNames(table).length) throw new Error(`This is no key: ${JSON.stringify(key)}`);
  return keyText(table, key);
};

/** Returns the tables with other items under some keys; undefined removes an item. */
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

/** A value of an attribute, as the document client accepts and returns it. */
export type Value =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | ReadonlySet<string>
  | readonly Value[]
  | { readonly [name: string]: Value };

export type Item = { readonly [name: string]: Value };

export type ValueType = 'NULL' | 'BOOL' | 'N' | 'S' | 'B' | 'SS' | 'L' | 'M';

export const typeOf = (value: Value): ValueType => {
  if (value === null) return 'NULL';
  if (typeof value === 'boolean') return 'BOOL';
  if (typeof value === 'number') return 'N';
  if (typeof value === 'string') return 'S';
  if (value instanceof Uint8Array) return 'B';
  if (value instanceof Set) return 'SS';
  return Array.isArray(value) ? 'L' : 'M';
};

/** Returns an immutable copy of a value to be stored. Drops undefined members, as the store's client does. */
const toValue = (given: unknown): Value => {
  if (given === null || typeof given === 'boolean' || typeof given === 'string') return given;
  if (typeof given === 'number' && Number.isFinite(given)) return given;
  if (given instanceof Uint8Array) return Uint8Array.from(given);
  if (given instanceof Set && given.size > 0 && [...given].every((each) => typeof each === 'string'))
    return new Set(given);
  if (Array.isArray(given)) return Object.freeze(given.map(toValue));
  if (typeof given === 'object' && Object.getPrototypeOf(given) === Object.prototype) return toItem(given);
  throw new Error(
    `The store in memory does not support the value ${String(given)}. Add its type to test/support/memory-store/tables.ts.`,
  );
};

export const toItem = (given: object): Item => {
  const kept: Record<string, Value> = {};
  for (const [name, value] of Object.entries(given)) if (value !== undefined) kept[name] = toValue(value);
  return Object.freeze(kept);
};

export const isEqual = (one: Value, other: Value): boolean => {
  const type = typeOf(one);
  if (type !== typeOf(other)) return false;
  if (type === 'B') return Buffer.compare(one as Uint8Array, other as Uint8Array) === 0;
  if (one instanceof Set && other instanceof Set)
    return one.size === other.size && [...one].every((each) => other.has(each));
  if (type !== 'L' && type !== 'M') return one === other;
  const [ones, others] = [one as Item, other as Item];
  const names = Object.keys(ones);
  return (
    names.length === Object.keys(others).length &&
    names.every((name) => others[name] !== undefined && isEqual(ones[name] as Value, others[name]))
  );
};

/** The types whose values have an order. */
export const orderedTypes: readonly ValueType[] = ['N', 'S', 'B'];

/**
 * Returns a negative number, zero or a positive number; undefined for values without an order. Strings are ordered by UTF-8
 * bytes.
 */
export const compare = (one: Value, other: Value): number | undefined => {
  if (typeOf(one) !== typeOf(other) || !orderedTypes.includes(typeOf(one))) return undefined;
  if (typeof one === 'number') return one - (other as number);
  return Buffer.compare(bytesOf(one), bytesOf(other));
};

export const beginsWith = (value: Value, prefix: Value): boolean =>
  typeOf(value) === typeOf(prefix) && bytesOf(value).subarray(0, bytesOf(prefix).length).equals(bytesOf(prefix));

const bytesOf = (value: Value): Buffer => Buffer.from(value as string | Uint8Array);
