import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cidrFault, differenceOf, unionOf } from '../../config/cidr.ts';
import { isAddressInCidrs } from '../../lambdas/domain/company.ts';
import { campaign, playRounds, size } from '../support/campaign.ts';
import { addressText, type Block, blockOf, cidrLists, edgesOf, sizeOf } from '../support/cidr-blocks.ts';

test.each(['192.0.2.1/32', '192.0.2.0/24', '172.16.0.0/16', '2001:db8::/32', '2001:db8:1::25/128'])(
  'a company may register the block %s',
  (cidr) => {
    expect(cidrFault(cidr)).toBeUndefined();
  },
);

test.each([
  ['localhost', 'is no CIDR block; write one like 192.0.2.0/24 or 2001:db8::/48.'],
  ['192.0.2/24', 'is no CIDR block; write one like 192.0.2.0/24 or 2001:db8::/48.'],
  ['192.0.2.010/32', 'is no CIDR block; write one like 192.0.2.0/24 or 2001:db8::/48.'],
  ['192.0.2.1', 'has no prefix length; write 192.0.2.1/32.'],
  ['2001:db8::1', 'has no prefix length; write 2001:db8::1/128.'],
  ['192.0.2.0/33', 'has no valid prefix length; write a number up to 32 after the slash.'],
  ['2001:db8::/x', 'has no valid prefix length; write a number up to 128 after the slash.'],
  ['192.0.2.0/24/24', 'has no valid prefix length; write a number up to 32 after the slash.'],
  ['0.0.0.0/0', 'is too wide for one company; write blocks of /16 or narrower.'],
  ['10.0.0.0/15', 'is too wide for one company; write blocks of /16 or narrower.'],
  ['2001:db8::/31', 'is too wide for one company; write blocks of /32 or narrower.'],
  ['192.0.2.1/24', 'has host bits set; write 192.0.2.0/24.'],
  ['2001:db8::1/48', 'has host bits set; write 2001:db8::/48.'],
  ['2001:DB8::/48', 'is not in canonical form; write 2001:db8::/48.'],
  ['2001:db8:0:0::/48', 'is not in canonical form; write 2001:db8::/48.'],
  ['192.0.2.0/024', 'is not in canonical form; write 192.0.2.0/24.'],
])('%s is refused, with what to write instead', (cidr, fault) => {
  expect(cidrFault(cidr)).toBe(`is "${cidr}", which ${fault}`);
});

/** Nothing changes between two adjacent edges of all lists, so what holds at every edge holds everywhere. */
const expectAtEveryEdge = (lists: readonly string[][], holds: (address: string) => boolean) => {
  const wrong = [...new Set(lists.flatMap(edgesOf))].filter((address) => !holds(address));
  expect(wrong).toEqual([]);
};

/** Expects that no block is inside another, and that no two siblings could be merged. */
const expectFewest = (cidrs: readonly string[]) => {
  const blocks = cidrs.map(blockOf);
  const within = (inner: Block, outer: Block) =>
    inner.bits === outer.bits && inner.first >= outer.first && inner.first < outer.first + sizeOf(outer);
  const parentOf = (block: Block) => `${block.first - (block.first % (sizeOf(block) * 2n))}/${block.prefixLength}`;
  expect(blocks.filter((inner) => blocks.some((outer) => inner !== outer && within(inner, outer)))).toEqual([]);
  const parents = blocks.filter(({ prefixLength }) => prefixLength > 0).map((b) => `${b.bits} ${parentOf(b)}`);
  expect(new Set(parents).size).toBe(parents.length);
};

/** Per round. */
const numRuns = 100;
const extent = { test: 1, seconds: 6, full: 50 };

describe('the union of blocks', () => {
  test(
    `holds exactly their addresses in the fewest blocks, for ${numRuns} random lists a round`,
    campaign,
    async (context) => {
      const gained = { merged: 0, apart: 0 };
      const property = fc.property(cidrLists, (cidrs) => {
        const union = unionOf(cidrs);
        expectAtEveryEdge([cidrs, union], (at) => isAddressInCidrs(at, union) === isAddressInCidrs(at, cidrs));
        expectFewest(union);
        gained[union.length < cidrs.length ? 'merged' : 'apart']++;
      });
      const rounds = await playRounds(context, extent, async (seed) => fc.assert(property, { seed, numRuns }));
      expect(Math.min(gained.merged, gained.apart)).toBeGreaterThan((rounds * numRuns) / 25);
    },
  );

  test(
    'is in numeric order, IPv4 first, in the canonical spelling, whatever the order of the blocks',
    campaign,
    async (context) => {
      const sortKey = ({ bits, first }: Block) => BigInt(bits - 32) * 2n ** 128n + first;
      const property = fc.property(cidrLists, cidrLists, (a, b) => {
        const union = unionOf([...a, ...b]);
        const keys = union.map(blockOf).map(sortKey);
        expect(keys.every((key, i) => i === 0 || key > (keys[i - 1] as bigint))).toBe(true);
        expect(union.map(cidrFault).filter((fault) => fault && !fault.includes('too wide'))).toEqual([]);
        expect(unionOf([...b, ...a, ...b])).toEqual(union);
      });
      await playRounds(context, extent, async (seed) => fc.assert(property, { seed, numRuns }));
    },
  );

  test('of a union is the same union', campaign, async (context) => {
    const property = fc.property(cidrLists, (cidrs) => {
      expect(unionOf(unionOf(cidrs))).toEqual(unionOf(cidrs));
    });
    await playRounds(context, extent, async (seed) => fc.assert(property, { seed, numRuns }));
  });

  /** With 16 bits, these are all of the widest IPv4 blocks that a company may have. */
  const bits = size({ test: 8, prove: 16 });
  test(
    `of ${2 ** bits} adjacent blocks is one block, and without the first as many blocks as there are bits`,
    campaign,
    () => {
      const all = Array.from({ length: 2 ** bits }, (_, i) => `${addressText(32, BigInt(i) << 16n)}/16`);
      expect(unionOf(all)).toEqual([`0.0.0.0/${16 - bits}`]);
      expect(unionOf(all.slice(1))).toHaveLength(bits);
    },
  );

  test('of both halves of an address family is that whole family only', () => {
    expect(unionOf(['128.0.0.0/1', '0.0.0.0/1'])).toEqual(['0.0.0.0/0']);
    expect(unionOf(['8000::/1', '::/1'])).toEqual(['::/0']);
  });
});

describe('the difference of two lists', () => {
  test(
    `holds what only the first has, in the fewest blocks, for ${numRuns} random pairs a round`,
    campaign,
    async (context) => {
      const seen = { empty: 0, some: 0 };
      const property = fc.property(cidrLists, cidrLists, fc.nat({ max: 3 }), (a, other, covered) => {
        const b = covered === 0 ? [...other, ...unionOf(a)] : other;
        const difference = differenceOf(a, b);
        expectAtEveryEdge(
          [a, b, difference],
          (at) => isAddressInCidrs(at, difference) === (isAddressInCidrs(at, a) && !isAddressInCidrs(at, b)),
        );
        expectFewest(difference);
        seen[difference.length ? 'some' : 'empty']++;
      });
      const rounds = await playRounds(context, extent, async (seed) => fc.assert(property, { seed, numRuns }));
      expect(Math.min(seen.empty, seen.some)).toBeGreaterThan((rounds * numRuns) / 25);
    },
  );

  test('to a list with many holes takes only as many blocks as the holes need', () => {
    const holes = Array.from({ length: 40 }, (_, index) => `10.${index}.0.1/32`);
    expect(differenceOf(['10.0.0.0/8'], holes).length).toBe(40 * 16 + 4);
  });

  test.each([
    ['divided otherwise', ['192.0.2.0/24'], ['192.0.2.128/25', '192.0.2.0/25'], []],
    ['without a prefix length', ['192.0.2.0/31', '2001:db8::1/128'], ['192.0.2.1', '2001:db8::1'], ['192.0.2.0/32']],
    ['with host bits', ['192.0.2.0/23'], ['192.0.2.7/24'], ['192.0.3.0/24']],
    ['in another spelling', ['2001:db8::/48'], ['2001:0DB8:0::/48'], []],
    ['without one address', ['192.0.2.0/30'], ['192.0.2.0/32', '192.0.2.2/31'], ['192.0.2.1/32']],
    ['of the other family', ['192.0.2.0/24'], ['::/0', '::ffff:192.0.2.0/120'], ['192.0.2.0/24']],
  ])('to a list %s', (_, a, b, difference) => {
    expect(differenceOf(a, b)).toEqual(difference);
  });
});
