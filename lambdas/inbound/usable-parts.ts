import * as z from 'zod/mini';
import type { WithoutNulls } from '../api/inbound-events/inbound-event.ts';

/** A part that cannot be used, and the schema that it does not match. */
export type Fault = { readonly pointer: string; readonly schema: z.core.$ZodType; readonly value: unknown };

/** Returns what was expected of a part. */
export const expectationOf = ({ schema, value }: Fault): string =>
  String(z.safeParse(schema, value).error?.issues[0]?.message);

/** The usable parts of a value, and the faults of the others; without a value if a required part cannot be used. */
export type Usable<Value> =
  | { readonly value: WithoutNulls<Value>; readonly unusable: readonly Fault[] }
  | { readonly value?: undefined; readonly unusable: readonly Fault[] };

/** Parts that are used as a whole or not at all: a schedule without one of its switch points is a different schedule. */
const indivisible: readonly string[] = ['switchPoints'];

/** Lists of such parts: a measurement without its value would be one of a sensor that cannot be read. */
const listsOfIndivisible: readonly string[] = ['measurements'];

/**
 * Returns a reader of values as far as they match a schema. An optional property or a list element that does not match is left
 * out and listed in `unusable`, at its place in the value. If the schema requires the part, the part that contains it is left
 * out instead. A null property is left out, too: null means absent in everything that the portal and the backend send.
 *
 * A reader reads no part twice, so its time is proportional to the length of the value, however many parts cannot be used.
 */
export const usableReader = <Schema extends z.ZodMiniType>(schema: Schema) => {
  const read = readerOf(schema, {});
  return (json: unknown): Usable<z.output<Schema>> => {
    const unusable: Fault[] = [];
    const value = read({ value: json, pointer: '', unusable });
    return value === undefined ? { unusable } : { value: value as WithoutNulls<z.output<Schema>>, unusable };
  };
};

/** A part of a value, at its place in it, and the list to which its faults are added. */
type Part = { readonly value: unknown; readonly pointer: string; readonly unusable: Fault[] };

/** Returns what can be used of a part; undefined if that is nothing. */
type Reader = (part: Part) => unknown;

/** The name of a part, unless it is an element, and whether it is used as a whole or not at all. */
type Role = { readonly name?: string; readonly isWhole?: boolean };

const readerOf = (schema: z.core.$ZodType, role: Role): Reader => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
      return readerUnless(undefined, readerOf(def.innerType, role));
    case 'nullable':
      return readerUnless(null, readerOf(def.innerType, role));
    case 'pipe':
      return 'transform' in def.in._zod.def ? transformedReader(def, role) : leafReader(schema);
    case 'object':
      return objectReader(schema, def, role);
    case 'array':
      return listReader(def, role);
    case 'union':
      return 'discriminator' in def ? choiceReader(schema, def, String(def.discriminator), role) : leafReader(schema);
    default:
      return leafReader(schema);
  }
};

const readerUnless =
  (absent: null | undefined, read: Reader): Reader =>
  (part) =>
    part.value === absent ? undefined : read(part);

/** Returns the reader of a part whose spelling is corrected first. */
const transformedReader = ({ in: transform, out }: z.core.$ZodPipeDef, role: Role): Reader => {
  const read = readerOf(out, role);
  return (part) => read({ ...part, value: z.safeParse(transform, part.value).data });
};

/** Returns the reader of a part without parts. A fault is at that place in it. */
const leafReader =
  (schema: z.core.$ZodType, place = ''): Reader =>
  ({ value, pointer, unusable }) => {
    const { success, data } = z.safeParse(schema, value);
    if (success) return data ?? undefined;
    unusable.push({ pointer: pointer + place, schema, value });
    return undefined;
  };

type Values = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objectReader = (schema: z.core.$ZodType, { shape, checks }: z.core.$ZodObjectDef, { isWhole }: Role): Reader => {
  const properties = Object.entries(shape).map(([name, property]) => ({
    name,
    isRequired: property._zod.optout !== 'optional',
    read: readerOf(property, { name, isWhole: isWhole || indivisible.includes(name) }),
  }));
  const refuse = leafReader(schema);
  const check = checkOf(z.looseObject({}), checks);
  return (part) => {
    const { value: sent, pointer, unusable } = part;
    if (!isObject(sent)) return refuse(part);
    const { length } = unusable;
    const used: Record<string, unknown> = {};
    let isLacking = false;
    for (const { name, isRequired, read } of properties) {
      const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
      const own = read({ value, pointer: `${pointer}/${name}`, unusable });
      if (isWhole && unusable.length > length) return undefined;
      if (own !== undefined) used[name] = own;
      else if (isRequired) isLacking = true;
    }
    return isLacking ? undefined : check({ ...part, value: used });
  };
};

/** A list that is too long is left out as it is: none of its elements is read. */
const listReader = ({ element, checks }: z.core.$ZodArrayDef, { name = '', isWhole }: Role): Reader => {
  const read = readerOf(element, { isWhole: isWhole || listsOfIndivisible.includes(name) });
  const check = checkOf(z.array(z.unknown()), checks);
  return (part) => {
    const sent = check(part) as readonly unknown[] | undefined;
    if (!sent) return undefined;
    const used: unknown[] = [];
    for (const [index, value] of sent.entries()) {
      const own = read({ ...part, value, pointer: `${part.pointer}/${index}` });
      if (own !== undefined) used.push(own);
      else if (isWhole) return undefined;
    }
    return used;
  };
};

/** Returns the reader of a part whose property of that name, such as its family, says which of the options it is. */
const choiceReader = (schema: z.core.$ZodType, { options }: z.core.$ZodUnionDef, name: string, role: Role): Reader => {
  const readers = options.map((option) => ({ words: option._zod.propValues?.[name], read: readerOf(option, role) }));
  const refuse = leafReader(schema);
  const refuseWord = leafReader(schema, `/${name}`);
  return (part) => {
    if (!isObject(part.value)) return refuse(part);
    const word = part.value[name] as z.core.util.Primitive;
    const { read = refuseWord } = readers.find(({ words }) => words?.has(word)) ?? {};
    return read(part);
  };
};

/** Returns the reader of what a schema says of a whole beside its parts, such as the maximum length of a list. */
const checkOf = (whole: z.ZodMiniType, checks: z.core.$ZodCheck<never>[] = []): Reader =>
  leafReader(whole.check(...(checks as z.core.$ZodCheck<unknown>[])));

/** Returns whether the first pointer is the place itself or inside it. */
export const isWithin = (pointer: string, place: string): boolean =>
  pointer === place || pointer.startsWith(`${place}/`);
