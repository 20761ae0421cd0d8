import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageAnswer, pageStart } from '../../lambdas/answers/pages.ts';
import { maxPageBytes } from '../../lambdas/api/limits.ts';
import { rateLimitKeyOf } from '../../lambdas/domain/rate-limits.ts';
import { seed } from '../support/random.ts';

type Row = { readonly id: string; readonly bytes: number; readonly isShown: boolean };

const rateLimitKey = rateLimitKeyOf('acme', 'listContracts', '/contracts', {});
const itemOf = ({ id, bytes, isShown }: Row) => (isShown ? { id, text: 'ü'.repeat(bytes / 2) } : undefined);
const bytesOf = (items: readonly object[]) => Buffer.byteLength(JSON.stringify(items));

/** Reads a page of these rows as the store does: at most `limit` rows, and the position of the last one if there are more. */
const pageAfter = (rows: readonly Row[], limit: number, cursor: string | undefined) => {
  const call = { rateLimitKey, query: { limit, cursor } };
  const start = pageStart(call);
  const first = start === undefined ? 0 : rows.findIndex(({ id }) => id === start) + 1;
  const read = rows.slice(first, first + limit);
  const next = first + limit < rows.length ? read.at(-1)?.id : undefined;
  return pageAnswer(call, read, { itemOf, positionOf: ({ id }) => id, next }).body;
};

const anyRows = fc
  .array(
    fc.record({
      bytes: fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 60_000 }), fc.constantFrom(maxPageBytes - 40, 300_000)),
      isShown: fc.boolean(),
    }),
    { maxLength: 60 },
  )
  .map((rows) => rows.map((row, index): Row => ({ ...row, id: `id-${index}` })));

test('pages of items of any size have each shown item once and in order, and end at a size or at a single item', () => {
  fc.assert(
    fc.property(anyRows, fc.integer({ min: 1, max: 100 }), (rows, limit) => {
      const read: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = pageAfter(rows, limit, cursor);
        expect(page.items.length <= 1 || bytesOf(page.items) <= maxPageBytes + 2).toBe(true);
        read.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      }
      expect(read).toEqual(rows.filter(({ isShown }) => isShown).map(({ id }) => id));
    }),
    { seed },
  );
});
