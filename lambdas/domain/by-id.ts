declare const value: unique symbol;

/**
 * Values by the ids of owners or gateways, as an item of the store keeps them: an attribute for each. The functions below
 * are all that reads or writes one, because not every id is the name of its attribute.
 */
export type ById<Value> = { readonly [value]?: Value };

type Stored<Value> = Readonly<Record<string, Value>>;

/**
 * Ids that no object can have as a name and go through the marshaller of the AWS SDK: it takes an object with a property
 * `constructor` for the instance of a class, and assigns `__proto__`, which sets the prototype.
 */
const unfitIds: readonly string[] = ['constructor', '__proto__'];

/** No id begins with it. */
const mark = '#';

/** The name of the attribute of an id, also for a path in an expression. */
export const attributeOf = (id: string): string => (unfitIds.includes(id) ? `${mark}${id}` : id);

const idOf = (attribute: string): string => (attribute.startsWith(mark) ? attribute.slice(mark.length) : attribute);

export const byIds = <Value>(entries: Iterable<readonly [id: string, value: Value]>): ById<Value> =>
  Object.fromEntries([...entries].map(([id, each]) => [attributeOf(id), each])) as object as ById<Value>;

export const entriesOf = <Value>(map: ById<Value>): [id: string, value: Value][] =>
  Object.entries(map as object as Stored<Value>).map(([attribute, each]) => [idOf(attribute), each]);

export const idsOf = (map: ById<unknown>): string[] => Object.keys(map).map(idOf);

/** What is kept of an id. It is not looked up along the prototype, which has `toString` and others. */
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
