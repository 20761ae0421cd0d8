import { BlockList, isIPv6 } from 'node:net';

/** A partner, which calls with its own keys, from its own addresses, on behalf of owners with whom it has contracts. */
export type Company = {
  readonly companyId: string;
  readonly name: string;
  /** All requests of a suspended company are refused. */
  readonly state: 'active' | 'suspended';
  /** IPv4 and IPv6, `address/prefix length`. */
  readonly allowedCidrs: readonly string[];
  /** Pokes may go to these hosts and to their subdomains. */
  readonly webhookHosts: readonly string[];
};

/**
 * Whether one of the networks (`address/prefix length`) contains the address. IPv4 and IPv6 are checked separately, because
 * Node's list would also match an IPv4 address against networks with its IPv6-mapped form.
 */
export const isAddressInCidrs = (address: string, cidrs: readonly string[]): boolean => {
  const family = familyOf(address);
  return listOf(cidrs, family).check(address, family);
};

/** Lists of networks by their texts. A process serves few companies at a time, and each request checks its address. */
const lists = new Map<string, BlockList>();
const maxLists = 100;

const listOf = (cidrs: readonly string[], family: Family): BlockList => {
  const text = `${family} ${cidrs.join(' ')}`;
  const known = lists.get(text);
  if (known) return known;
  const list = new BlockList();
  for (const [network = '', prefixLength] of cidrs.map((cidr) => cidr.split('/')))
    if (familyOf(network) === family) list.addSubnet(network, Number(prefixLength), family);
  if (lists.size >= maxLists) lists.clear();
  lists.set(text, list);
  return list;
};

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
