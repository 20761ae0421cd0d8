import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeCursor,
  encodeCursor,
  randomBase62,
  repeatedPropertyIn,
  toBase62,
  unbiasedBase62,
} from '../../../lambdas/domain/encoding.ts';
import { newCode, newWebhookId } from '../../../lambdas/domain/webhook.ts';
import { campaign, size } from '../../support/campaign.ts';
import { seed } from '../../support/random.ts';

describe('base62', () => {
  test('a random text has the requested number of digits', () => {
    for (let length = 1; length <= 64; length++)
      expect(randomBase62(length)).toMatch(RegExp(`^[0-9A-Za-z]{${length}}$`));
    expect(newWebhookId()).toMatch(/^wh_[0-9A-Za-z]{22}$/);
    expect(newCode()).toMatch(/^[0-9A-Za-z]{22}$/);
  });

  test('all bytes together give each digit equally often', () => {
    const digits = unbiasedBase62(Uint8Array.from({ length: 256 }, (_, byte) => byte));
    const counts = [...Map.groupBy(digits, (digit) => digit).values()].map(({ length }) => length);
    expect(counts).toEqual(Array(62).fill(4));
  });

  test.each([
    [0, '000'],
    [1, '001'],
    [61, '00z'],
    [62, '010'],
    [62 ** 3 - 1, 'zzz'],
  ])('%d is written as %s', (value, digits) => {
    expect(toBase62(value, 3)).toBe(digits);
  });
});

describe('cursor', () => {
  test('a cursor decodes to its position, within its scope only', () => {
    const cursor = encodeCursor('acme|listApiKeys|/api-keys', 'AbC123');
    expect(decodeCursor('acme|listApiKeys|/api-keys', cursor)).toBe('AbC123');
    expect(decodeCursor('globex|listApiKeys|/api-keys', cursor)).toBeUndefined();
  });

  test('a cursor has six digits of checksum, whatever the version of the service', () => {
    expect(encodeCursor('acme|listApiKeys|/api-keys', 'AbC123')).toBe('NDF6UkZSQWJDMTIz');
  });

  test('a made-up cursor is rejected', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.string({ unit: 'grapheme' })), (text) => {
        expect(decodeCursor('scope', text)).toBeUndefined();
      }),
      { seed, numRuns: 5000 },
    );
  });
});

describe('repeated property', () => {
  test.each([
    ['{"a":1,"a":1}', ['a']],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['{"points":[{"x":1},{"x":1,"y":{},"x":2}]}', ['points', 1, 'x']],
    ['[[],[1,{"a~/":"}","b":[],"a~/":"{"}]]', [1, 1, 'a~/']],
    ['{"__proto__":1,"__proto__":2}', ['__proto__']],
    ['{"":0,"":0}', ['']],
  ])('%s has a property twice, at %j', (json, path) => {
    expect(repeatedPropertyIn(json)).toEqual(path);
  });

  test.each([
    '{"a":{"a":{"a":1}},"b":["a","a",{"a":1},{"a":1}]}',
    '{"a":"\\",\\"a\\":1","b":",\\"b\\":{"}',
    '"a"',
    'null',
    '[]',
  ])('%s has no property twice', (json) => {
    expect(repeatedPropertyIn(json)).toBeUndefined();
  });

  const depth = size({ test: 100_000, prove: 1_000_000 });
  test.each([
    ['[', ']'],
    ['{"a":', '}'],
  ])(`a text with ${depth} times %s overflows no stack`, campaign, (opening, closing) => {
    const deep = `${opening.repeat(depth)}0${closing.repeat(depth)}`;
    expect(repeatedPropertyIn(`{"x":${deep},"x":1}`)).toEqual(['x']);
  });

  /** A JSON text as it was written: the properties of an object in their order, repeats included. */
  type Written =
    | readonly Written[]
    | { readonly properties: readonly (readonly [string, Written])[] }
    | string
    | number;

  const { written } = fc.letrec<{ written: Written }>((tie) => ({
    written: fc.oneof(
      { depthSize: 'small' },
      fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', '}', '[', ']', ':', ',', ' ', '\u2028') }),
      fc.integer(),
      fc.array(tie('written'), { maxLength: 3 }),
      fc.record({
        properties: fc.array(fc.tuple(fc.constantFrom('a', 'b', '\\', '"', '":', 'é'), tie('written')), {
          maxLength: 3,
        }),
      }),
    ),
  }));

  const textOf = (value: Written): string => {
    if (Array.isArray(value)) return `[ ${value.map(textOf).join(' ,\n')}]`;
    if (typeof value !== 'object') return JSON.stringify(value);
    const { properties } = value as Extract<Written, { properties: unknown }>;
    return `{${properties.map(([name, part]) => `${JSON.stringify(name)} : ${textOf(part)}`).join(', ')}}`;
  };

  const firstRepeatIn = (value: Written): (string | number)[] | undefined => {
    if (typeof value !== 'object') return undefined;
    const parts = Array.isArray(value) ? [...value.entries()] : 'properties' in value ? value.properties : [];
    const seen = new Set<string | number>();
    for (const [at, part] of parts) {
      if (seen.has(at)) return [at];
      seen.add(at);
      const inside = firstRepeatIn(part as Written);
      if (inside) return [at, ...inside];
    }
    return undefined;
  };

  test('the first repeat in a random text is found, and none in a text without repeats', () => {
    let repeats = 0;
    fc.assert(
      fc.property(written, (value) => {
        const expected = firstRepeatIn(value);
        if (expected) repeats++;
        const text = textOf(value);
        JSON.parse(text);
        expect(repeatedPropertyIn(text)).toEqual(expected);
      }),
      { seed, numRuns: 2000 },
    );
    expect(repeats).toBeGreaterThan(50);
  });
});
