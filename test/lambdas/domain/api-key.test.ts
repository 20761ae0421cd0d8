import { createHash, hkdfSync } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  defaultKeyOptions,
  deriveKey,
  generateKey,
  inspectKey,
  isSameKey,
  isValidAt,
  optionsOf,
  type PresentedKey,
  parseKey,
  type StoredApiKey,
} from '../../../lambdas/domain/api-key.ts';
import { seed } from '../../support/random.ts';

describe('api key', () => {
  const nowMs = Date.parse('2026-08-31T10:00:00.789Z');

  const recordOf = ({ apiKey, ...kept }: ReturnType<typeof generateKey>): StoredApiKey => ({
    ...kept,
    ...defaultKeyOptions,
    companyId: 'acme',
    slot: 0,
    createdByKeyId: null,
    lastUsedOn: null,
  });

  const expectEvenDigits = (keyOf: (index: number) => { readonly apiKey: string }) => {
    const counts = new Map<string, number>();
    const secrets = Array.from({ length: 3000 }, (_, index) => keyOf(index).apiKey.slice(-49, -6));
    for (const digit of secrets.join('')) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    const expected = (3000 * 43) / 62;
    expect(counts.size).toBe(62);
    // Seven standard deviations: a sound generator fails this once in some hundred million runs.
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(7 * Math.sqrt(expected));
  };

  describe('a generated key', () => {
    const key = generateKey('acme', nowMs);

    test('rule 1: begins with xHCSAPI, its company and its expiry, and contains its id', () => {
      expect(key.apiKey).toMatch(/^xHCSAPI_acme_\d{8}T\d{6}Z_[0-9A-Za-z]{16}_[0-9A-Za-z]{49}$/);
      expect(key.apiKey).toContain(`_${key.keyId}_`);
    });

    test('rule 2: contains its expiry in UTC', () => {
      expect(key.apiKey).toContain('_20270228T100000Z_');
    });

    test('rule 3: is valid for six calendar months from a whole second, its last moment excluded', () => {
      expect(new Date(key.createdAtMs).toISOString()).toBe('2026-08-31T10:00:00.000Z');
      expect(new Date(key.expiresAtMs).toISOString()).toBe('2027-02-28T10:00:00.000Z');
      expect(isValidAt(key, key.expiresAtMs - 1)).toBe(true);
      expect(isValidAt(key, key.expiresAtMs)).toBe(false);
    });

    test('is recognized by its hash alone', () => {
      const presented = parseKey(key.apiKey);
      expect(presented).toMatchObject({ companyId: 'acme', keyId: key.keyId });
      expect(presented && isSameKey(presented, recordOf(key))).toBe(true);
      expect(presented && isSameKey(presented, recordOf(generateKey('acme', nowMs)))).toBe(false);
      expect(presented && isSameKey(presented, undefined)).toBe(false);
      expect(isSameKey({ hash: new Uint8Array(32) }, undefined)).toBe(false);
    });

    test('shows people its expiry, and whether it was mistyped', () => {
      const { companyId, keyId, expiresAtMs } = key;
      expect(inspectKey(key.apiKey)).toEqual({ companyId, keyId, expiresAtMs, isChecksumRight: true });
      expect(inspectKey(key.apiKey.replace('acme', 'acne'))?.isChecksumRight).toBe(false);
      expect(inspectKey(key.apiKey.replace('20270228', '20271328'))).toBeUndefined();
      expect(inspectKey(`${key.apiKey}\n`)).toBeUndefined();
    });

    test('has evenly distributed digits', () => {
      expectEvenDigits(() => generateKey('acme', nowMs));
    });
  });

  describe('a derived key', () => {
    const { apiKey } = generateKey('acme', nowMs);
    const presented = parseKey(apiKey) as PresentedKey;
    const salt = new Uint8Array(32).fill(1);
    const derived = deriveKey(presented, salt, 'value', nowMs);

    test('rule 2: has the format of any key, with its expiry in UTC, and is always the same', () => {
      expect(parseKey(derived.apiKey)).toMatchObject({ companyId: 'acme', keyId: derived.keyId, hash: derived.hash });
      expect(derived.apiKey).toContain('_20270228T100000Z_');
      expect(deriveKey(parseKey(apiKey) as PresentedKey, new Uint8Array(salt), 'value', nowMs)).toEqual(derived);
    });

    test('shares neither id nor secret with that of another key, salt or value', () => {
      const stranger = parseKey(generateKey('acme', nowMs).apiKey) as PresentedKey;
      const keys = [
        derived,
        deriveKey(stranger, salt, 'value', nowMs),
        deriveKey(presented, new Uint8Array(32), 'value', nowMs),
        deriveKey(presented, salt, 'other', nowMs),
      ];
      expect(new Set(keys.map(({ keyId }) => keyId)).size).toBe(keys.length);
      expect(new Set(keys.map((key) => key.apiKey.slice(-49, -6))).size).toBe(keys.length);
    });

    test('is derived from the text of the presented key, not from its stored hash', () => {
      const bytesOf = (material: string | Uint8Array) => Buffer.from(hkdfSync('sha256', material, salt, 'info', 32));
      expect(Buffer.from(presented.deriveBytes(salt, 'info', 32))).toEqual(bytesOf(apiKey));
      expect(bytesOf(apiKey)).not.toEqual(bytesOf(createHash('sha256').update(apiKey).digest()));
    });

    test('has evenly distributed digits', () => {
      expectEvenDigits((index) => deriveKey(presented, salt, `${index}`, nowMs));
    });

    test('does not reveal the text of the presented key when it is printed', () => {
      const printed = inspect(presented, { depth: null, showHidden: true }) + JSON.stringify(presented);
      expect(printed).not.toContain(apiKey.slice(-49, -6));
    });
  });

  describe('a presented key', () => {
    const { apiKey } = generateKey('acme', nowMs);

    test.each([
      ['a', false],
      ['ab', true],
      ['a'.repeat(24), true],
      ['a'.repeat(25), false],
    ])('of the company %s is one: %s', (companyId, isKey) => {
      expect(parseKey(generateKey(companyId, nowMs).apiKey)?.companyId).toBe(isKey ? companyId : undefined);
    });

    test('with any one character replaced is refused before a read of the store', () => {
      const digit = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_');
      fc.assert(
        fc.property(fc.nat(apiKey.length - 1), digit, (at, character) => {
          fc.pre(apiKey[at] !== character);
          expect(parseKey(apiKey.slice(0, at) + character + apiKey.slice(at + 1))).toBeUndefined();
        }),
        { seed, numRuns: 2000 },
      );
    });

    test.each([
      ['nothing', ''],
      ['the prefix alone', 'xHCSAPI'],
      ['a space before it', ` ${apiKey}`],
      ['a line break after it', `${apiKey}\n`],
      ['two keys in one value', `${apiKey}, ${apiKey}`],
      ['upper case', apiKey.toUpperCase()],
      ['a company id with an underscore', apiKey.replace('acme', 'ac_me')],
      ['full-width digits', apiKey.replace(/\d(?=\w{5}$)/, '０')],
      ['a megabyte', 'x'.repeat(1_000_000)],
    ])('is refused: %s', (_, text) => {
      expect(parseKey(text)).toBeUndefined();
    });
  });
});

describe('the options of a key', () => {
  const asked = { access: 'read', allowedCidrs: ['192.0.2.0/25'], label: 'Reporting' } as const;

  test('are the requested ones, whatever its creator has', () => {
    expect(optionsOf(asked, { allowedCidrs: ['192.0.2.0/24'] })).toEqual(asked);
  });

  test('are the usual ones by default, with the addresses of its creator', () => {
    expect(optionsOf({})).toEqual(defaultKeyOptions);
    // Null does not remove a limit.
    for (const asked of [{}, { allowedCidrs: undefined }, { access: null, allowedCidrs: null, label: null }] as const)
      expect(optionsOf(asked as object, { allowedCidrs: ['192.0.2.0/24'] })).toEqual({
        ...defaultKeyOptions,
        allowedCidrs: ['192.0.2.0/24'],
      });
  });
});
