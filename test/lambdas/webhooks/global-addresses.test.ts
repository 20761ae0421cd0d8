import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import { isGlobalUnicast } from '../../../lambdas/webhooks/global-addresses.ts';

/** Addresses that a look-up may return but that are not public, by reason. */
const refused: Readonly<Record<string, readonly string[]>> = {
  'this machine': ['127.0.0.1', '127.255.255.254', '::1', '0.0.0.0', '0.1.2.3', '::'],
  'a private network': ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  'a private network of IPv6': ['fc00::1', 'fd00:ec2::254', 'fdff:ffff::1', 'fec0::1'],
  'the link, and the metadata of a cloud': ['169.254.169.254', '169.254.170.2', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
  'a network of this machine': ['2606:4700::1%lo', '2a00:1450::1%eth0', '2606:4700::1%1'],
  'the network of a carrier': ['100.64.0.1', '100.127.255.255', '100.100.100.200'],
  'IPv4 within IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '::7f00:1',
    '::127.0.0.1',
    '::a00:1',
    '::ffff:0:10.0.0.1',
  ],
  'a translator': ['64:ff9b::7f00:1', '64:ff9b::169.254.169.254', '64:ff9b:1::a00:1'],
  'a tunnel': ['2002:7f00:1::', '2002:a9fe:a9fe::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'documentation and benchmarks': ['192.0.2.1', '198.51.100.7', '203.0.113.9', '198.18.0.1', '2001:db8::1', '3fff::1'],
  'a protocol’s own': ['192.0.0.8', '192.88.99.1', '100::1', '2001:2::1', '2001:20::1', '5f00::1'],
  'all of a network, or many': ['255.255.255.255', '224.0.0.1', '239.255.255.250', 'ff02::1', 'ff0e::1', '240.0.0.1'],
  'not given out': ['4000::1', '8000::1', 'e000::1', '1::1', '200::1'],
  'no address': ['', 'localhost', '127.1', '0x7f000001', '2130706433', '010.0.0.1', '1.2.3', '[::1]', '8.8.8.8.8'],
};

test.each(Object.entries(refused).flatMap(([why, addresses]) => addresses.map((each) => [each, why])))(
  '%s is refused: %s',
  (address) => {
    expect(isGlobalUnicast(address)).toBe(false);
  },
);

test.each(['1.1.1.1', '8.8.8.8', '172.15.255.255', '172.32.0.1', '100.63.255.255', '2606:4700::1111', '2a00:1450::1'])(
  '%s is a public internet address',
  (address) => {
    expect(isGlobalUnicast(address)).toBe(true);
  },
);

test('the library’s unicast range alone would admit IPv4 embedded in IPv6', () => {
  expect(ipaddr.parse('::7f00:1').range()).toBe('unicast');
});
