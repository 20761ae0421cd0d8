import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** All of IPv6 that is given out for the internet; what the library calls unicast goes beyond it. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address, as a look-up returns it, is one of the internet that a receiver of the public can have. Addresses that
 * carry others within them, such as `::ffff:10.0.0.1` and those of translators and tunnels, are not.
 */
export const isGlobalUnicast = (address: string): boolean => {
  if (isIPv4(address)) return ipaddr.IPv4.parse(address).range() === 'unicast';
  // A zone would say which network of this machine is meant.
  if (!isIPv6(address) || address.includes('%')) return false;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.match(globalUnicast) && parsed.range() === 'unicast';
};
