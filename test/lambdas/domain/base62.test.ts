import { expect, test } from 'vitest';
import { randomBase62, toBase62 } from '../../../lambdas/domain/encoding.ts';
import { newCode, newWebhookId } from '../../../lambdas/domain/webhook.ts';

test('a random text has as many digits as it was asked for', () => {
  for (let length = 1; length <= 64; length++) expect(randomBase62(length)).toMatch(RegExp(`^[0-9A-Za-z]{${length}}$`));
  expect(newWebhookId()).toMatch(/^wh_[0-9A-Za-z]{22}$/);
  expect(newCode()).toMatch(/^[0-9A-Za-z]{22}$/);
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
