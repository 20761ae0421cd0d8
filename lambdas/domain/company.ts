import { BlockList, isIPv6 } from 'node:net';

/** A partner, which calls with its own keys, from its own addresses, on behalf of owners with whom it has contracts. */
export type Company = {
  readonly companyId: string;
  readonly name: string;
  /** All requests of a suspended company are refused. */
  readonly state: 'active' | 'suspended';
  /** IPv4 and IPv6, `address/prefix length`. */
  readonly allowedCidrs: readonly string[];
  /** Webhook messages may go to these hosts and to their subdomains. */
  readonly webhookHosts: readonly string[];
};

/**
 * Networks of addresses, by family. Node's list would also match an IPv4 address against networks with its IPv6-mapped form.
 */
export type Networks = Readonly<Record<Family, BlockList>>;

/** Returns the networks that are written as `address/prefix length`. Throws for another text. */
export const networksOf = (cidrs: readonly string[]): Networks => {
  const networks = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const [network = '', prefixLength] of cidrs.map((cidr) => cidr.split('/'))) {
    const family = familyOf(network);
    networks[family].addSubnet(network, Number(prefixLength), family);
  }
  return networks;
};

/** Whether one of the networks contains the address; false for a text that is not an address. */
export const isAddressIn = (address: string, networks: Networks): boolean => {
  const family = familyOf(address);
  return networks[family].check(address, family);
};

/** Whether one of the networks (`address/prefix length`) contains the address. */
export const isAddressInCidrs = (address: string, cidrs: readonly string[]): boolean =>
  isAddressIn(address, networksOf(cidrs));

/** Whether a block (`address/prefix length`) lies within one of the others; false for a text that is not a block. */
export const isCidrWithin = (cidr: string, cidrs: readonly string[]): boolean => {
  const [network = '', prefixLength] = cidr.split('/');
  if (Number(prefixLength) > addressBits[familyOf(network)]) return false;
  const wider = cidrs.filter((other) => Number(other.split('/')[1]) <= Number(prefixLength));
  return isAddressInCidrs(network, wider);
};

const addressBits = { ipv4: 32, ipv6: 128 } as const;

type Family = keyof typeof addressBits;

const familyOf = (address: string): Family => (isIPv6(address) ? 'ipv6' : 'ipv4');
