import ipaddr from 'ipaddr.js';

/** The addresses of one family, as numbers: from `first` up to, but without, `end`. */
type Range = { readonly first: bigint; readonly end: bigint };

const addressBits = { ipv4: 32, ipv6: 128 } as const;
type Family = keyof typeof addressBits;
const families = ['ipv4', 'ipv6'] as const;

/** The fewest blocks that hold what the given ones hold, no address more and none less: equal sets are equal lists. */
export const unionOf = (cidrs: readonly string[]): string[] =>
  families.flatMap((family) => rangesOf(family, cidrs).flatMap((range) => blocksOf(family, range)));

/** The fewest blocks that hold what is in `cidrs` but not in `others`, however the two are spelled and divided. */
export const differenceOf = (cidrs: readonly string[], others: readonly string[]): string[] =>
  families.flatMap((family) => {
    const holes = rangesOf(family, others);
    return rangesOf(family, cidrs)
      .flatMap((range) => holes.reduce(withoutHole, [range]))
      .flatMap((range) => blocksOf(family, range));
  });

/** Address ranges in order, with a gap between any two. */
const rangesOf = (family: Family, cidrs: readonly string[]): Range[] => {
  const ranges: Range[] = [];
  for (const range of cidrs.flatMap((cidr) => parse(family, cidr)).sort(byFirst)) {
    const previous = ranges.at(-1);
    if (previous === undefined || range.first > previous.end) ranges.push(range);
    else ranges[ranges.length - 1] = { first: previous.first, end: maximum(previous.end, range.end) };
  }
  return ranges;
};

/** Empty for a block of the other family. Without a prefix length, as policies may have it, it is one address. */
const parse = (family: Family, cidr: string): Range[] => {
  const [address, prefixLength = addressBits[family]] = cidr.includes('/')
    ? ipaddr.parseCIDR(cidr)
    : [ipaddr.parse(cidr)];
  if (address.kind() !== family) return [];
  const hostBits = BigInt(addressBits[family] - prefixLength);
  const network = BigInt(`0x${Buffer.from(address.toByteArray()).toString('hex')}`) >> hostBits;
  return [{ first: network << hostBits, end: (network + 1n) << hostBits }];
};

/** Fills the range from its first address on, each block as wide as alignment and range allow: no shorter list exists. */
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
