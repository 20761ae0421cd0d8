import * as z from 'zod/mini';
import { hostNamePattern, maxHostNameCharacters } from '../host-name.ts';
import { cutText, maxPageBytes, maxTextCharacters, maxUrlCharacters, pageSize } from '../limits.ts';

/** An id in a path. Compared as it is: no decoding, no case folding, ASCII only, so that two spellings are two ids. */
export const idPattern = /^[A-Za-z0-9._-]{1,64}$/;
export const maxIdCharacters = 64;
export const expectedId = `Expected an id that matches ${idPattern.source}.`;

export const companyIdPattern = /^[a-z0-9]{2,24}$/;
const maxCompanyIdCharacters = 24;

/**
 * Every schema is made when it is asked for: a function loads the whole endpoint table, and should pay for none but those
 * that it checks with.
 */
export type Schema = () => z.ZodMiniType;

/** The values that the properties of a shape allow. */
export type Values<Shape> = { readonly [Name in keyof Shape]: z.output<Shape[Name]> };

/** A text that its pattern bounds already; the document states the bound as a keyword of its own. */
export const matching = (pattern: RegExp, maxLength: number, expected?: string) =>
  z.string().check(z.regex(pattern, expected), z.meta({ maxLength }));

export const id = () => matching(idPattern, maxIdCharacters, expectedId);
export const companyId = () => matching(companyIdPattern, maxCompanyIdCharacters);

/** The id of an event that the portal or the gateway backend sends: CloudEvents allows any text, such as `urn:uuid:…`. */
export const eventId = () =>
  matching(
    eventIdPattern,
    maxEventIdCharacters,
    `Expected an id of 1 to ${maxEventIdCharacters} visible ASCII characters.`,
  );
export const maxEventIdCharacters = 128;
export const eventIdPattern = new RegExp(`^[!-~]{1,${maxEventIdCharacters}}$`);

/** The id that a request has in headers, problems, logs and the audit. */
export const requestId = () => matching(/^[\w=-]+$/, 64);

/**
 * A text of one line that a partner sends: without unpaired surrogates and noncharacters, which a queue or a parser may refuse,
 * and without what would steer a screen that shows it.
 */
export const line = (minLength: number, maxLength: number, expected?: string) =>
  matching(new RegExp(`^[^${notInLines}]{${minLength},${maxLength}}$`, 'u'), maxLength, expected);

const notInLines = '\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Bidi_Control}\\p{Noncharacter_Code_Point}';

/** Any text of a bounded length. */
export const text = () => z.string().check(z.maxLength(maxTextCharacters));

/** A text that people or appliances wrote: any text is accepted, cleaned and cut to its length. */
export const writtenText = (maxLength: number = maxTextCharacters) =>
  z.string().check(z.overwrite((written) => cutText(cleanText(written), maxLength)));

/** A short word of an appliance, such as a mode. Unknown words are allowed, and known ones in any spelling. */
export const openEnum = (known: readonly string[] = []) =>
  writtenText(maxWordCharacters).check(
    z.overwrite((word) => knownWord(known, word) ?? word),
    z.minLength(1),
  );

/** One of the known words in any spelling. */
export const knownEnum = <const Word extends string>(known: readonly Word[]) =>
  z.pipe(
    z.transform((word) => knownWord(known, word) ?? word),
    z.enum(known),
  );

/**
 * Returns the known word that was written: capitals, hyphens, underscores and blanks make no difference, since the enums of some
 * languages are written as `TIME_PROGRAM`. Returns undefined if no known word was written.
 */
export const knownWord = <Word extends string>(known: readonly Word[], written: unknown): Word | undefined => {
  if (typeof written !== 'string' || written.length > maxWordCharacters) return undefined;
  const plain = plainWord(written);
  return known.find((word) => plainWord(word) === plain);
};

const plainWord = (word: string): string => word.toLowerCase().replaceAll(/[_ -]/g, '');

/** Such a word in an answer; the document lists the known ones as examples, since a generated enum would fail at the next. */
export const word = (known: readonly string[]) =>
  line(1, maxWordCharacters, expectedWord).check(z.meta({ examples: [...known] }));

const maxWordCharacters = 64;

const expectedWord = `Expected 1 to ${maxWordCharacters} visible characters in one line.`;

/** Returns what each row becomes, by the names of the rows. */
export const mapRows = <Rows extends object, Value>(
  rows: Rows,
  toValue: (row: Rows[keyof Rows], name: string) => Value,
) =>
  Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, toValue(row, name)])) as {
    readonly [Name in keyof Rows]: Value;
  };

/** A part of a report that its sender may leave out: null means the same as absent. */
export const mayBeAbsent = <Part extends z.ZodMiniType>(part: Part) => z.optional(z.nullable(part));

/**
 * The text as one visible line: line breaks and tabs become a space, and characters that nobody sees are dropped, among them
 * direction marks, isolates, zero-width spaces, control characters and halves of surrogate pairs. Joiners and variation
 * selectors stay, because emoji and several scripts are written with them. The end of a very long text is dropped.
 */
export const cleanText = (written: string): string =>
  written.replace(lineBreaks, ' ').replace(invisible, '').trim().slice(0, maxDecomposed).normalize('NFC');

/** With the blanks around them. It begins only where a run of blanks begins, not at each blank: that would take quadratic time. */
const lineBreaks = /(?<! ) *[\t\n\v\f\r\x85\u2028\u2029][ \t\n\v\f\r\x85\u2028\u2029]*/g;
const invisible =
  /(?!\u200C|\u200D|[\uFE00-\uFE0F])[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Noncharacter_Code_Point}\uFFF9-\uFFFB]/gu;

/**
 * NFC makes one character of at most four. The time of NFC grows with the square of the number of marks on a letter, so it gets
 * no more characters than those of the longest text.
 */
const maxDecomposed = 4 * (maxTextCharacters + 1);

export const url = () => z.url().check(z.maxLength(maxUrlCharacters));

export const connectivities = ['online', 'offline'] as const;
export const connectivity = () => z.enum(connectivities);

export const gatewayIdDescription = 'The id of a gateway, which connects an appliance to the service.';

export const hostName = () => matching(hostNamePattern, maxHostNameCharacters);

/** A whole number from 0. No count here comes near its end. */
export const count = (maximum: number = maxInt32) => z.int().check(z.minimum(0), z.maximum(maximum));

export const maxInt32 = 2 ** 31 - 1;

/**
 * Such a number as an integration sends it. It may be a text of digits, as the JSON of Protocol Buffers writes an int64. Other
 * texts are refused: signs, blanks, points, exponents and hexadecimal digits.
 */
export const sentCount = (minimum = 0) => z.pipe(z.transform(digitsToNumber), count().check(z.minimum(minimum)));

/** The JSON pointer through these names and indexes: `('path', 'keyId')` → `/path/keyId`. */
export const pointerTo = (...segments: readonly PropertyKey[]): string =>
  segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/**
 * What does not fit a schema, and where. Of a value of the wrong type nothing else is said: the library goes on to measure
 * whatever has a length.
 */
export const faultsOf = ({ issues }: z.core.$ZodError, ...under: readonly string[]) => {
  const pointerOf = ({ path }: z.core.$ZodIssue) => pointerTo(...under, ...path);
  const mistyped = new Set(issues.filter(({ code }) => code === 'invalid_type').map(pointerOf));
  return issues
    .filter((issue) => issue.code === 'invalid_type' || !mistyped.has(pointerOf(issue)))
    .map((issue) => ({ pointer: pointerOf(issue), detail: issue.message }));
};

/**
 * Any time of RFC 3339: with 0 to 9 digits of the second, any offset, and `T` and `Z` also in small letters. It becomes UTC, cut
 * to the millisecond.
 */
export const timestamp = (error: string = expectedTime) =>
  z.string(error).check(
    z.overwrite((time) => time.toUpperCase()),
    z.iso.datetime({ offset: true, abort: true, error }),
    z.maxLength('2026-03-31T23:59:59.123456789+00:00'.length, { abort: true, error }),
    z.refine((time) => utcYears.test(utc(time)), { abort: true, error }),
    z.overwrite((time) => utc(time).replace('.000Z', 'Z')),
  );

const expectedTime = 'Expected a time with its offset, as RFC 3339 has it, like 2026-03-31T12:00:00Z.';

const utc = (time: string): string => new Date(time).toISOString();

/** An offset may lead out of the years that RFC 3339 can write. */
const utcYears = /^\d{4}-/;

/** A day of the calendar: `2026-03-31`. */
export const date = () => z.iso.date('Expected a day like 2026-03-31.');

const expectedLimit = `Expected a whole number from 1 to ${pageSize.max}.`;

/** The end of a page in base64url, behind a checksum. What a partner sends is not held against it, but decoded. */
export const cursor = (maxPositionCharacters = maxIdCharacters) =>
  z
    .string()
    .check(z.meta({ pattern: '^[A-Za-z0-9_-]+$', maxLength: Math.ceil(((6 + maxPositionCharacters) * 4) / 3) }));

/** `Number` would take `0x10`, `1e1` and `+5` too. */
const digitsToNumber = (text: unknown): unknown =>
  typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : text;

/** The number of items on a page. */
export const pageLimit = () =>
  z._default(
    z.pipe(
      z.transform(digitsToNumber),
      z.int(expectedLimit).check(z.minimum(1, expectedLimit), z.maximum(pageSize.max, expectedLimit)),
    ),
    pageSize.default,
  );

/** The query of every list. */
export const pageQuery = () => z.object({ limit: pageLimit(), cursor: z.optional(cursor()) });

export const pageQueryDescriptions = (): Descriptions<z.output<ReturnType<typeof pageQuery>>> => ({
  limit: `The maximum number of items on a page; ${pageSize.default} if absent. A page has at most ${maxPageBytes} bytes of items, or a single item.`,
  cursor: 'The `nextCursor` of the previous page, unchanged.',
});

/** A page of a list; the API document names it after its item. */
export const pageOf = <Item extends Schema>(item: Item) =>
  Object.assign(
    () =>
      z.looseObject({
        items: z.array(item() as ReturnType<Item>).check(z.maxLength(pageSize.max)),
        nextCursor: z.nullable(cursor()),
      }),
    { item },
  );

export const pageDescriptions = () => ({
  items: 'The items of this page.',
  nextCursor: 'Send it as `cursor` to get the next page; null on the last page.',
});

/** A description of every property; the compiler asks for each. */
export type Descriptions<Value> = {
  readonly [Name in keyof Value as DeclaredName<Name>]-?: Description<NonNullable<Value[Name]>>;
};

/** The sentences about one property, and for an object, or a list of objects, those about its properties. */
type Description<Value> = Value extends readonly (infer Item)[]
  ? Description<Item>
  : Value extends object
    ? { readonly description: string; readonly properties: Descriptions<Value> }
    : string;

/** A schema that permits further properties has an index signature in addition to its own names. */
type DeclaredName<Name> = string extends Name ? never : Name;

/**
 * The texts and the example that partners read about a body. A separate function returns them: no handler calls it, so the
 * bundler leaves them out of every function (docs/decisions/0035).
 */
export type Documentation<Documented extends Schema> = {
  readonly example: z.output<ReturnType<Documented>>;
  readonly properties: Descriptions<z.output<ReturnType<Documented>>>;
};
