import * as z from 'zod/mini';
import type { Descriptions } from '../descriptions.ts';
import { pageSize } from '../limits.ts';

/** An id in a path. Compared as it is: no decoding, no case folding, ASCII only, so that two spellings are two ids. */
export const idPattern = /^[A-Za-z0-9._-]{1,64}$/;
export const maxIdCharacters = 64;
export const expectedId = `Expected an id that matches ${idPattern.source}.`;

export const companyIdPattern = /^[a-z0-9]{2,24}$/;
export const maxCompanyIdCharacters = 24;

/**
 * Every schema is made when it is asked for: a function loads the whole endpoint table, and should pay for none but those
 * that it checks with.
 */
export type Schema = () => z.ZodMiniType;

/** The values that the properties of a shape allow. */
export type Values<Shape> = { readonly [Name in keyof Shape]: z.output<Shape[Name]> };

/** RFC 3339, UTC, to the millisecond at most. */
export const timestamp = () => z.iso.datetime().check(z.maxLength('2026-03-31T23:59:59.999Z'.length));

const expectedLimit = `Expected a whole number from 1 to ${pageSize.max}.`;

/** The end of a page in base64url, behind a checksum. What a partner sends is not held against it, but decoded. */
export const cursor = () => z.string().check(z.meta({ pattern: '^[A-Za-z0-9_-]+$', maxLength: maxCursorCharacters }));

const maxCursorCharacters = Math.ceil(((6 + maxIdCharacters) * 4) / 3);

/** `Number` would take `0x10`, `1e1` and `+5` too. */
const digitsToNumber = (text: unknown): unknown => (/^\d+$/.test(String(text)) ? Number(text) : text);

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
  limit: `The number of items on a page; ${pageSize.default} if absent.`,
  cursor: 'The `nextCursor` of the page before, unchanged.',
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
