import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The widest block that one company may register; a wider one is a slip, or the whole internet. */
const minimumPrefixLength = { ipv4: 16, ipv6: 32 } as const;

/**
 * What is wrong with a CIDR block, as the rest of a sentence that begins with its place, or `undefined` if nothing is.
 * A block has one spelling only, so that equal ones are found by comparing text.
 */
export const cidrFault = (cidr: string): string | undefined => {
  const [address = '', prefixLength] = cidr.split('/');
  const maximumPrefixLength = isIP(address) === 4 ? 32 : 128;
  const fault = (what: string, remedy: string) => `is "${cidr}", which ${what}; write ${remedy}.`;

  if (isIP(address) === 0) return fault('is no CIDR block', 'one like 192.0.2.0/24 or 2001:db8::/48');
  if (prefixLength === undefined) return fault('has no prefix length', `${address}/${maximumPrefixLength}`);
  if (!ipaddr.isValidCIDR(cidr))
    return fault('has no valid prefix length', `a number up to ${maximumPrefixLength} after the slash`);

  const [parsed, length] = ipaddr.parseCIDR(cidr);
  const kind = parsed.kind();
  if (length < minimumPrefixLength[kind])
    return fault('is too wide for one company', `blocks of /${minimumPrefixLength[kind]} or narrower`);
  const canonical = `${networkAddress[kind](cidr)}/${length}`;
  if (`${parsed}/${length}` !== canonical) return fault('has host bits set', canonical);
  if (cidr !== canonical) return fault('has a more usual spelling', canonical);
  return undefined;
};

const networkAddress = {
  ipv4: (cidr: string) => ipaddr.IPv4.networkAddressFromCIDR(cidr),
  ipv6: (cidr: string) => ipaddr.IPv6.networkAddressFromCIDR(cidr),
};
