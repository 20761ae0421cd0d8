declare const value: unique symbol;

/**
 * Values by the ids of owners or gateways, as an item of the store has them: one attribute for each id. Only the functions
 * below read or write such a map, because some ids differ from the names of their attributes.
 */
export type ById<Value> = { readonly [value]?: Value };

type Stored<Value> = Readonly<Record<string, Value>>;

/**
 * Ids that cannot be property names in the marshaller of the AWS SDK: it takes an object with a property `constructor` for the
 * instance of a class, and assigns `__proto__`, which sets the prototype. These get another name.
 */
const unfitIds: readonly string[] = ['constructor', '__proto__'];

/** No id begins with this character. */
const mark = '#';

/** Returns the name of an id's attribute, which is also valid in the path of an expression. */
export const attributeOf = (id: string): string => (unfitIds.includes(id) ? `${mark}${id}` : id);

const idOf = (attribute: string): string => (attribute.startsWith(mark) ? attribute.slice(mark.length) : attribute);

export const byIds = <Value>(entries: Iterable<readonly [id: string, value: Value]>): ById<Value> =>
  Object.fromEntries([...entries].map(([id, each]) => [attributeOf(id), each])) as object as ById<Value>;

export const entriesOf = <Value>(map: ById<Value>): [id: string, value: Value][] =>
  Object.entries(map as object as Stored<Value>).map(([attribute, each]) => [idOf(attribute), each]);

export const idsOf = (map: ById<unknown>): string[] => Object.keys(map).map(idOf);

/** Returns the value of an id. Looks up own properties only: the prototype has `toString` and others. */
export const findById = <Value>(map: ById<Value>, id: string): Value | undefined => {
  const attribute = attributeOf(id);
  return Object.hasOwn(map, attribute) ? (map as object as Stored<Value>)[attribute] : undefined;
};

export const withId = <Value>(map: ById<Value>, id: string, each: Value): ById<Value> => ({
  ...map,
  [attributeOf(id)]: each,
});

export const withoutId = <Value>(map: ById<Value>, id: string): ById<Value> =>
  byIds(entriesOf(map).filter(([each]) => each !== id));
