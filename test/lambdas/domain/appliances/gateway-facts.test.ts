import { expect, test } from 'vitest';
import { isFulfilledBy, type Shadow } from '../../../../lambdas/domain/appliance.ts';
import { blockFacts, factsSince, standingBy } from '../../../../lambdas/domain/gateway.ts';

const at = (atMs: number) => ({ atMs, receivedAtMs: atMs + 7 });

test('a removal takes along the facts of its time and before it', () => {
  const facts = { connectivity: { ...at(1000), connectivity: 'online' as const }, lastSeen: at(2000) };
  expect(factsSince(facts, 999)).toEqual(facts);
  expect(factsSince(facts, 1000)).toEqual({ lastSeen: facts.lastSeen });
  expect(factsSince(facts, 2000)).toEqual({});
});

test('without facts a gateway is offline, blocks nothing, and was seen when it was described', () => {
  expect(standingBy({}, 500)).toEqual({ connectivity: 'offline', lastSeenAtMs: 500, blocks: {} });
});

test('a gateway stands as its facts say; a function that is blocked no longer is not blocked', () => {
  const block = { sinceMs: 2000, untilMs: null };
  const facts = {
    ...{ connectivity: { ...at(1000), connectivity: 'online' as const }, lastSeen: at(300) },
    ...{ dhwCircuitsBlock: { ...at(2100), ...block }, heatingCircuitsBlock: at(2200) },
  };
  const standing = { connectivity: 'online', lastSeenAtMs: 300, blocks: { dhwCircuits: block } };
  expect(standingBy(facts, 500)).toStrictEqual(standing);
});

test('a block is told with its times, and its end with none', () => {
  const block = { sinceMs: 1, untilMs: 2 };
  expect(blockFacts('dhwCircuits', block)).toEqual({ dhwCircuitsBlock: block });
  expect(blockFacts('dhwCircuits')).toEqual({ dhwCircuitsBlock: {} });
});

test.each<[string, object | undefined, object, boolean]>([
  ['nothing', undefined, { a: 1 }, false],
  ['no setting', {}, { a: 1 }, true],
  ['what is reported', { a: 1, b: [2] }, { a: 1, b: [2], c: 3 }, true],
  ['more than is reported', { a: 1, b: [2] }, { a: 1, b: [3] }, false],
])('what an appliance reports fulfils the desire of %s', (_, desired, reported, expected) => {
  expect(isFulfilledBy({ desired } as Shadow, reported)).toBe(expected);
});
