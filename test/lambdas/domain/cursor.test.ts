import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from '../../../lambdas/domain/encoding.ts';
import { seed } from '../../support/random.ts';

test('a cursor leads back to its position, within its scope only', () => {
  const cursor = encodeCursor('acme|listApiKeys|/api-keys', 'AbC123');
  expect(decodeCursor('acme|listApiKeys|/api-keys', cursor)).toBe('AbC123');
  expect(decodeCursor('globex|listApiKeys|/api-keys', cursor)).toBeUndefined();
});

test('a cursor that was given out leads back to its position in every later version', () => {
  expect(decodeCursor('acme|listApiKeys|/api-keys', 'NDF6UkZSQWJDMTIz')).toBe('AbC123');
});

test('a made-up cursor is told from one that was given', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.string({ unit: 'grapheme' })), (text) => {
      expect(decodeCursor('scope', text)).toBeUndefined();
    }),
    { seed, numRuns: 5000 },
  );
});
