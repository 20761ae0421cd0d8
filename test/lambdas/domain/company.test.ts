import { describe, expect, test } from 'vitest';
import { isAddressInCidrs, isCidrWithin } from '../../../lambdas/domain/company.ts';

test.each([
  ['203.0.113.7', ['203.0.113.7/32'], true],
  ['203.0.113.8', ['203.0.113.7/32'], false],
  ['203.0.113.255', ['198.51.100.0/24', '203.0.113.0/24'], true],
  ['203.0.114.0', ['203.0.113.0/24'], false],
  ['2001:db8::1', ['2001:db8::/64'], true],
  ['2001:db8:0:1::1', ['2001:db8::/64'], false],
  ['2001:DB8:0:0:0:0:0:1', ['2001:db8::1/128'], true],
  ['203.0.113.7', ['::/0'], false],
  ['2001:db8::1', ['0.0.0.0/0'], false],
  ['::ffff:203.0.113.7', ['203.0.113.7/32'], false],
  ['203.0.113.7', [], false],
  ['not an address', ['0.0.0.0/0'], false],
])('%s in %j: %s', (address, cidrs, expected) => {
  expect(isAddressInCidrs(address, cidrs)).toBe(expected);
});

describe('a block', () => {
  test.each([
    ['203.0.113.0/25', ['203.0.113.0/24'], true],
    ['203.0.113.0/24', ['203.0.113.0/24'], true],
    ['203.0.113.0/24', ['203.0.113.0/25'], false],
    ['203.0.113.7/32', ['198.51.100.0/24', '203.0.113.0/24'], true],
    ['203.0.114.0/25', ['203.0.113.0/24'], false],
    ['2001:db8::1/128', ['2001:db8::/64'], true],
    ['2001:db8::/63', ['2001:db8::/64'], false],
    ['::ffff:203.0.113.0/120', ['203.0.113.0/24'], false],
    // Texts that are not blocks.
    ['203.0.113.7/33', ['203.0.113.0/24'], false],
    ['2001:db8::1/129', ['2001:db8::/64'], false],
    ['203.0.113/24', ['0.0.0.0/0', '::/0'], false],
    ['203.0.113.0/24', [], false],
  ])('%s lies within %j: %s', (cidr, cidrs, expected) => {
    expect(isCidrWithin(cidr, cidrs)).toBe(expected);
  });
});
