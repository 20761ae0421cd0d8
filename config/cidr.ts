import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The widest block that one company may register; a wider one is a slip, or the whole internet. */
const minimumPrefixLength = { ipv4: 16, ipv6: 32 } as const;

/**
 * What is wrong with a CIDR block, as a sentence that says how to write it instead, or `undefined` if nothing is.
 * One block has one spelling, so that equal entries are found by comparing text.
 */
export const cidrFault = (cidr: string): string | undefined => {
  const [address = '', prefixLength] = cidr.split('/');
  if (isIP(address) === 0) return `"${cidr}" is no CIDR block; write one like 192.0.2.0/24 or 2001:db8::/48.`;
  if (prefixLength === undefined) return `"${cidr}" has no prefix length; write ${address}/${maximumPrefix(address)}.`;
  if (!ipaddr.isValidCIDR(cidr))
    return `"${cidr}" has an unknown prefix length; write a number from 0 to ${maximumPrefix(address)} after the slash.`;

  const [parsed, length] = ipaddr.parseCIDR(cidr);
  if (length < minimumPrefixLength[parsed.kind()])
    return `"${cidr}" is too wide; register blocks of /${minimumPrefixLength[parsed.kind()]} or narrower.`;
  const canonical = `${networkAddress(cidr, parsed.kind())}/${length}`;
  if (`${parsed}/${length}` !== canonical) return `"${cidr}" has host bits set; write ${canonical}.`;
  if (cidr !== canonical) return `"${cidr}" has a shorter spelling; write ${canonical}.`;
  return undefined;
};

const maximumPrefix = (address: string) => (isIP(address) === 4 ? 32 : 128);

const networkAddress = (cidr: string, kind: 'ipv4' | 'ipv6') =>
  kind === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(cidr) : ipaddr.IPv6.networkAddressFromCIDR(cidr);
