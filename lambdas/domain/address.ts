import { BlockList, isIPv6 } from 'node:net';

/**
 * Whether one of the networks (`address/prefix length`) holds the address. Each family is for itself: Node's list would
 * take an IPv4 address for its IPv6-mapped form too.
 */
export const isAddressInCidrs = (address: string, cidrs: readonly string[]): boolean => {
  const family = familyOf(address);
  const networks = new BlockList();
  for (const [network = '', prefixLength] of cidrs.map((cidr) => cidr.split('/')))
    if (familyOf(network) === family) networks.addSubnet(network, Number(prefixLength), family);
  return networks.check(address, family);
};

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');
