import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The IPv6 range allocated for the internet; the library's `unicast` includes more. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Returns whether an address from a DNS look-up is a public internet address. Addresses that embed others, such as
 * `::ffff:10.0.0.1` and those of translators and tunnels, are not.
 */
export const isGlobalUnicast = (address: string): boolean => {
  if (isIPv4(address)) return ipaddr.IPv4.parse(address).range() === 'unicast';
  // A zone names a network interface of this machine.
  if (!isIPv6(address) || address.includes('%')) return false;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.match(globalUnicast) && parsed.range() === 'unicast';
};
