import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The addresses of one family, as numbers: from `first` up to, but without, `end`. */
type Range = { readonly first: bigint; readonly end: bigint };

const addressBits = { ipv4: 32, ipv6: 128 } as const;
type Family = keyof typeof addressBits;
const families = ['ipv4', 'ipv6'] as const;

/**
 * Returns the fewest blocks that contain exactly the addresses of the given blocks. Equal sets of addresses give equal lists.
 */
export const unionOf = (cidrs: readonly string[]): string[] =>
  families.flatMap((family) => rangesOf(family, cidrs).flatMap((range) => blocksOf(family, range)));

/**
 * Returns the fewest blocks with the addresses in `cidrs` that are not in `others`, however the two are spelled and divided.
 */
export const differenceOf = (cidrs: readonly string[], others: readonly string[]): string[] =>
  families.flatMap((family) => {
    const holes = rangesOf(family, others);
    return rangesOf(family, cidrs)
      .flatMap((range) => holes.reduce(withoutHole, [range]))
      .flatMap((range) => blocksOf(family, range));
  });

/** Returns the address ranges in order, with a gap between any two. */
const rangesOf = (family: Family, cidrs: readonly string[]): Range[] => {
  const ranges: Range[] = [];
  for (const range of cidrs.flatMap((cidr) => parse(family, cidr)).sort(byFirst)) {
    const previous = ranges.at(-1);
    if (previous === undefined || range.first > previous.end) ranges.push(range);
    else ranges[ranges.length - 1] = { first: previous.first, end: maximum(previous.end, range.end) };
  }
  return ranges;
};

/**
 * Returns no range for a block of the other family. A block without a prefix length, which policies may contain, is one
 * address.
 */
const parse = (family: Family, cidr: string): Range[] => {
  const [address, prefixLength = addressBits[family]] = cidr.includes('/')
    ? ipaddr.parseCIDR(cidr)
    : [ipaddr.parse(cidr)];
  if (address.kind() !== family) return [];
  const hostBits = BigInt(addressBits[family] - prefixLength);
  const network = BigInt(`0x${Buffer.from(address.toByteArray()).toString('hex')}`) >> hostBits;
  return [{ first: network << hostBits, end: (network + 1n) << hostBits }];
};

/** Fills the range from its first address. Each block is as wide as alignment and range allow, so no shorter list exists. */
const blocksOf = (family: Family, { first, end }: Range): string[] => {
  const blocks: string[] = [];
  for (let next = first, size = 1n; next < end; next += size) {
    let prefixLength: number = addressBits[family];
    for (size = 1n; next % (size * 2n) === 0n && next + size * 2n <= end; size *= 2n) prefixLength -= 1;
    blocks.push(`${addressOf(family, next)}/${prefixLength}`);
  }
  return blocks;
};

const addressOf = (family: Family, number: bigint) =>
  ipaddr.fromByteArray([...Buffer.from(number.toString(16).padStart(addressBits[family] / 4, '0'), 'hex')]).toString();

const withoutHole = (ranges: readonly Range[], hole: Range): Range[] =>
  ranges
    .flatMap(({ first, end }) => [
      { first, end: minimum(end, hole.first) },
      { first: maximum(first, hole.end), end },
    ])
    .filter(({ first, end }) => first < end);

const byFirst = (a: Range, b: Range) => Number(a.first > b.first) - Number(a.first < b.first);
const minimum = (a: bigint, b: bigint) => (a < b ? a : b);
const maximum = (a: bigint, b: bigint) => (a > b ? a : b);

/** The widest block that one company may register. A wider one is a mistake, or the whole internet. */
const minimumPrefixLength = { ipv4: 16, ipv6: 32 } as const;

/**
 * Returns the fault of a CIDR block, as the rest of a sentence that begins with the block's place; `undefined` if there is
 * none. A block has only one valid spelling, so that equal blocks are equal texts.
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
  if (cidr !== canonical) return fault('is not in canonical form', canonical);
  return undefined;
};

const networkAddress = {
  ipv4: (cidr: string) => ipaddr.IPv4.networkAddressFromCIDR(cidr),
  ipv6: (cidr: string) => ipaddr.IPv6.networkAddressFromCIDR(cidr),
};
