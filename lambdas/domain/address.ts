import { BlockList, isIPv6 } from 'node:net';

/** Whether one of the networks (`address/prefix length`) holds the address. */
export const isAddressInCidrs = (address: string, cidrs: readonly string[]): boolean => {
  const networks = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', prefixLength] = cidr.split('/');
    networks.addSubnet(network, Number(prefixLength), familyOf(network));
  }
  return networks.check(address, familyOf(address));
};

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');
