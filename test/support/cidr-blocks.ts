import fc from 'fast-check';
import ipaddr from 'ipaddr.js';

/** A block that a company may register, as numbers, for tests that compute expected values themselves. */
export type Block = { readonly bits: 32 | 128; readonly first: bigint; readonly prefixLength: number };

export const sizeOf = ({ bits, prefixLength }: Block): bigint => 1n << BigInt(bits - prefixLength);

/** In the canonical spelling. */
export const addressText = (bits: Block['bits'], number: bigint): string => {
  const [groups, groupBits, separator, radix] = bits === 32 ? [4, 8n, '.', 10] : [8, 16n, ':', 16];
  const text = Array.from({ length: groups }, (_, i) =>
    ((number >> (groupBits * BigInt(groups - 1 - i))) & ((1n << groupBits) - 1n)).toString(radix),
  ).join(separator);
  return ipaddr.parse(text).toString();
};

const cidrText = ({ bits, first, prefixLength }: Block): string => `${addressText(bits, first)}/${prefixLength}`;

export const blockOf = (cidr: string): Block => {
  const [address, prefixLength] = ipaddr.parseCIDR(cidr);
  const bytes = address.toByteArray();
  const first = bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
  return { bits: bytes.length === 4 ? 32 : 128, first, prefixLength };
};

/** The last address before, the first and last within, and the first after each block, where they exist. */
export const edgesOf = (cidrs: readonly string[]): string[] =>
  cidrs.map(blockOf).flatMap((block) => {
    const { bits, first } = block;
    const next = first + sizeOf(block);
    return [first - 1n, first, next - 1n, next]
      .filter((number) => number >= 0n && number < 1n << BigInt(bits))
      .map((number) => addressText(bits, number));
  });

/** Wide blocks of one company: at both ends of the address space, neighbours, and the IPv4-mapped addresses. */
const wideBlocks: readonly Block[] = [
  ...['0.0.0.0/16', '10.0.0.0/16', '10.1.0.0/16', '255.255.0.0/16'],
  ...['::/32', '::ffff:0:0/96', '2001:db8::/32', '2001:db9::/32', 'ffff:ffff::/32'],
].map(blockOf);

/** Blocks at both ends of a few wide ones, so that many are equal, nested or adjacent. */
const block: fc.Arbitrary<Block> = fc.constantFrom(...wideBlocks).chain((within) =>
  fc
    .tuple(fc.integer({ min: within.prefixLength, max: within.bits }), fc.nat({ max: 5 }), fc.boolean())
    .map(([prefixLength, position, fromTheEnd]): Block => {
      const size = sizeOf({ ...within, prefixLength });
      const count = sizeOf(within) / size;
      const index = BigInt(position) % count;
      return { ...within, prefixLength, first: within.first + size * (fromTheEnd ? count - 1n - index : index) };
    }),
);

/** The 1, 2, 4 or 8 equal parts of a block. */
const siblings = fc.tuple(block, fc.nat({ max: 3 })).map(([whole, levels]): Block[] => {
  const prefixLength = Math.min(whole.prefixLength + levels, whole.bits);
  const size = sizeOf({ ...whole, prefixLength });
  return Array.from({ length: Number(sizeOf(whole) / size) }, (_, i) => ({
    ...whole,
    prefixLength,
    first: whole.first + size * BigInt(i),
  }));
});

/** Blocks that one company may have registered, in any order. */
export const cidrLists: fc.Arbitrary<string[]> = fc
  .array(siblings, { minLength: 1, maxLength: 4 })
  .map((lists) => [...new Set(lists.flat().map(cidrText))])
  .chain((cidrs) => fc.shuffledSubarray(cidrs, { minLength: Math.max(1, cidrs.length - 1) }));
