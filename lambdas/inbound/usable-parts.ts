import * as z from 'zod/mini';
import type { WithoutNulls } from '../api/inbound-events/inbound-event.ts';
import { faultsOf } from '../api/schemas/common.ts';

export type Fault = { readonly pointer: string; readonly detail: string };

/** The usable parts of a value, and the faults of the others; without a value if a required part cannot be used. */
export type Usable<Value> =
  | { readonly value: WithoutNulls<Value>; readonly unusable: readonly Fault[] }
  | { readonly value?: undefined; readonly unusable: readonly Fault[] };

/** Parts that are used as a whole or not at all: a schedule without one of its switch points is a different schedule. */
const indivisible = new Set<PropertyKey>(['switchPoints']);

/** Lists of such parts: a measurement without its value would be one of a sensor that cannot be read. */
const listsOfIndivisible = new Set<PropertyKey>(['measurements']);

/**
 * Reads a value as far as it matches its schema. An optional property or a list element that does not match is left out and
 * listed in `unusable`. If the schema requires the part, the part that contains it is left out instead.
 */
export const readUsable = <Schema extends z.ZodMiniType>(schema: Schema, json: unknown): Usable<z.output<Schema>> => {
  let value = json;
  let unusable: readonly Fault[] = [];
  // Each round leaves out a part, or the part that contains one left out earlier.
  for (;;) {
    const { data, error } = z.safeParse(schema, value);
    if (!error) return { value: withoutNulls(data), unusable };
    const current = value;
    const places = error.issues.map(({ path }) => placeToLeaveOut(path, current));
    const known = unusable;
    unusable = [...known, ...firstOfEach(faultsOf(error)).filter(({ pointer }) => !isConsequence(known, pointer))];
    if (places.some((place) => place.length === 0)) return { unusable };
    // Elements are removed last: until then, each position in a list is the sender's.
    const properties = places.filter((place) => typeof place.at(-1) === 'string');
    value = without(value, properties.length > 0 ? properties : places);
  }
};

/** Returns the path of the part, or of the innermost existing part around it. */
const placeToLeaveOut = (path: readonly PropertyKey[], value: unknown): readonly PropertyKey[] => {
  const [whole, list] = [indivisible, listsOfIndivisible].map((names) =>
    path.findIndex((segment) => names.has(segment)),
  ) as [number, number];
  let place = whole !== -1 ? path.slice(0, whole + 1) : list !== -1 ? path.slice(0, list + 2) : path;
  while (place.length > 0 && at(value, place) === undefined) place = place.slice(0, -1);
  return place;
};

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, segment) => (Object.hasOwn(Object(inner), segment) ? Object(inner)[segment] : undefined),
    value,
  );

/** Keeps the first fault at each place: the library may report several. */
const firstOfEach = (faults: readonly Fault[]): Fault[] =>
  [...new Map(faults.toReversed().map((fault) => [fault.pointer, fault])).values()].toReversed();

/**
 * Returns whether a fault follows from an earlier one: the next round reports the part that was left out as missing, and
 * the one after that reports the part around it.
 */
const isConsequence = (known: readonly Fault[], pointer: string): boolean =>
  known.some((fault) => isWithin(fault.pointer, pointer) || isWithin(pointer, fault.pointer));

/** Returns whether the first pointer is the place itself or inside it. */
export const isWithin = (pointer: string, place: string): boolean =>
  pointer === place || pointer.startsWith(`${place}/`);

/** Returns a copy of a JSON value without the parts at these places. */
const without = (value: unknown, places: readonly (readonly PropertyKey[])[]): unknown => {
  if (places.some((place) => place.length === 0)) return undefined;
  const inner = Map.groupBy(places, ([segment]) => String(segment));
  const rest = (name: string, part: unknown) => {
    const own = inner.get(name);
    return own
      ? without(
          part,
          own.map((place) => place.slice(1)),
        )
      : part;
  };
  if (Array.isArray(value))
    return value.map((element, index) => rest(String(index), element)).filter((element) => element !== undefined);
  return Object.fromEntries(
    Object.entries(value as object).flatMap(([name, part]) => {
      const left = rest(name, part);
      return left === undefined ? [] : [[name, left]];
    }),
  );
};

/** Removes null parts: null means absent in everything that the portal and the backend send. */
const withoutNulls = <Value>(value: Value): WithoutNulls<Value> => {
  if (Array.isArray(value)) return value.map(withoutNulls) as WithoutNulls<Value>;
  if (typeof value !== 'object' || value === null) return value as WithoutNulls<Value>;
  const parts = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(parts.map(([name, part]) => [name, withoutNulls(part)])) as WithoutNulls<Value>;
};
