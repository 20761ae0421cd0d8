import { expect, test } from 'vitest';
import { cidrFault } from '../../config/cidr.ts';

test.each(['192.0.2.1/32', '192.0.2.0/24', '172.16.0.0/16', '2001:db8::/32', '2001:db8:1::25/128'])(
  '%s is a block that a company may register',
  (cidr) => {
    expect(cidrFault(cidr)).toBeUndefined();
  },
);

test.each([
  ['localhost', 'is no CIDR block; write one like 192.0.2.0/24 or 2001:db8::/48.'],
  ['192.0.2/24', 'is no CIDR block; write one like 192.0.2.0/24 or 2001:db8::/48.'],
  ['192.0.2.010/32', 'is no CIDR block; write one like 192.0.2.0/24 or 2001:db8::/48.'],
  ['192.0.2.1', 'has no prefix length; write 192.0.2.1/32.'],
  ['2001:db8::1', 'has no prefix length; write 2001:db8::1/128.'],
  ['192.0.2.0/33', 'has no valid prefix length; write a number up to 32 after the slash.'],
  ['2001:db8::/x', 'has no valid prefix length; write a number up to 128 after the slash.'],
  ['192.0.2.0/24/24', 'has no valid prefix length; write a number up to 32 after the slash.'],
  ['0.0.0.0/0', 'is too wide for one company; write blocks of /16 or narrower.'],
  ['10.0.0.0/15', 'is too wide for one company; write blocks of /16 or narrower.'],
  ['2001:db8::/31', 'is too wide for one company; write blocks of /32 or narrower.'],
  ['192.0.2.1/24', 'has host bits set; write 192.0.2.0/24.'],
  ['2001:db8::1/48', 'has host bits set; write 2001:db8::/48.'],
  ['2001:DB8::/48', 'has a more usual spelling; write 2001:db8::/48.'],
  ['2001:db8:0:0::/48', 'has a more usual spelling; write 2001:db8::/48.'],
  ['192.0.2.0/024', 'has a more usual spelling; write 192.0.2.0/24.'],
])('%s is refused, with what to write instead', (cidr, fault) => {
  expect(cidrFault(cidr)).toBe(`is "${cidr}", which ${fault}`);
});
