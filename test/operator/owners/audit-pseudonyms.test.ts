import fc from 'fast-check';
import { expect, test } from 'vitest';
import { idPattern } from '../../../lambdas/api/schemas/common.ts';
import { withPseudonym } from '../../../operator/owners/audit-pseudonyms.ts';

const pseudonym = 'X';
const of = (userId: string, value: unknown) => withPseudonym(value, { userId, pseudonym });

test.each([
  ['owner-x', 'owner-x', 'X'],
  ['owner-x', 'Ask owner-x. Or (owner-x), owner-x!', 'Ask X. Or (X), X!'],
  ['owner-x', 'for owner-x...', 'for X...'],
  ['owner-x', '_owner-x_ and -owner-x-', '_X_ and -X-'],
  ['owner-x', '--owner-x--, __owner-x__, ._-owner-x-_.', '--X--, __X__, ._-X-_.'],
  ['owner-x', '"owner-x"/owner-x\\owner-x@owner-x:owner-x’s', '"X"/X\\X@X:X’s'],
  ['owner-x', 'GET /hvacs?userId=owner-x&a=%20owner-x%2Fowner-x', 'GET /hvacs?userId=X&a=%20X%2FX'],
  ['owner-x', 'for owner-x…\nowner-x–owner-x', 'for X…\nX–X'],
  ['owner-x', 'owner-xy, owner-x-2, owner-x.json, my.owner-x, 1owner-x', undefined],
  ['owner-x', 'Owner-X, owner_x, owner-, x', undefined],
  ['-x-', 'for -x-, --x--, _-x-.', 'for X, -X-, _X.'],
  ['-x-', 'for x, -x, x-, .x.', undefined],
  ['x', 'for -x- and x.', 'for -X- and X.'],
  ['...', 'wait... or ... or .. or .....', 'wait... or X or .. or .....'],
])('in a text, %s is replaced where no letter or digit adjoins it: %s', (userId, text, expected = text) => {
  expect(of(userId, text)).toBe(expected);
});

test('replaces ids in lists and maps; compares map keys, and values of id keys, as a whole', () => {
  const stored = {
    x: [{ x: 1 }, '-x-'],
    '-x-': 1,
    userId: '-x-',
    formerUserId: 'x',
    label: '-x-',
    count: 1,
    none: null,
  };
  const replaced = {
    X: [{ X: 1 }, '-X-'],
    '-x-': 1,
    userId: '-x-',
    formerUserId: 'X',
    label: '-X-',
    count: 1,
    none: null,
  };
  expect(of('x', stored)).toEqual(replaced);
});

const inIds = [...'abAB01._-'];
const ids = fc
  .string({ unit: fc.constantFrom(...inIds), minLength: 1, maxLength: 8 })
  .filter((id) => /[a-z0-9]/i.test(id));
const punctuation = fc.string({ unit: fc.constantFrom(...'._-'), maxLength: 4 });
/** Characters that ids cannot contain. */
const separator = fc.constantFrom(' ', ', ', '(', '"', '/', '’', '%20', '\n', '', 'é');

test('replaces an id within any punctuation, and keeps every other id', () => {
  fc.assert(
    fc.property(
      ids,
      fc.array(fc.record({ separator, before: punctuation, after: punctuation, other: fc.option(ids) }), {
        minLength: 1,
      }),
      (userId, parts) => {
        expect(userId).toMatch(idPattern);
        const written = (word: string) =>
          parts.map((part) => `${part.separator || ' '}${part.before}${part.other ?? word}${part.after}`).join(' ');
        const isOther = parts.every(({ other }) => other === null || bare(other) !== bare(userId));
        fc.pre(isOther);
        expect(of(userId, written(userId))).toBe(written(pseudonym));
      },
    ),
  );
});

const bare = (id: string): string => id.replace(/^[._-]+|[._-]+$/g, '');
