import { describe, expect, test } from 'vitest';
import { type Gateway, isFulfilledBy, isStale, type Shadow } from '../../../lambdas/domain/appliance.ts';
import {
  absentAt,
  blockFacts,
  connectivityFacts,
  described,
  emptyInventory,
  factsSince,
  type Inventory,
  isRemoved,
  removed,
  standingBy,
} from '../../../lambdas/domain/gateway.ts';
import { below, randomNumbers } from '../../support/random.ts';

describe('gateway facts', () => {
  const at = (atMs: number) => ({ atMs, receivedAtMs: atMs + 7 });

  test('a removal takes along the facts of its time and before it', () => {
    const facts = { connectivity: { ...at(1000), connectivity: 'online' as const }, lastSeen: at(2000) };
    expect(factsSince(facts, 999)).toEqual(facts);
    expect(factsSince(facts, 1000)).toEqual({ lastSeen: facts.lastSeen });
    expect(factsSince(facts, 2000)).toEqual({});
  });

  test('without facts a gateway is offline, blocks nothing, has no faults, and was seen when it was described', () => {
    expect(standingBy({}, 500)).toEqual({
      connectivity: 'offline',
      connectivitySinceMs: null,
      ...{ lastSeenAtMs: 500, blocks: {}, faults: [] },
    });
  });

  test('a gateway stands as its facts say; a function that is blocked no longer is not blocked', () => {
    const block = { sinceMs: 2000, untilMs: null };
    const facts = {
      ...{ connectivity: { ...at(1000), connectivity: 'online' as const }, lastSeen: at(300) },
      ...{ dhwCircuitsBlock: { ...at(2100), ...block }, heatingCircuitsBlock: at(2200) },
    };
    const standing = { connectivity: 'online', lastSeenAtMs: 300, blocks: { dhwCircuits: block }, faults: [] };
    expect(standingBy(facts, 500)).toStrictEqual({ ...standing, connectivitySinceMs: null });
    const [onlineSince, offlineSince] = [at(700), at(800)];
    expect(standingBy({ ...facts, onlineSince, offlineSince }, 500)).toStrictEqual({
      ...standing,
      connectivitySinceMs: 700,
    });
  });

  test.each([
    ['both heard of now', 0, 0, false],
    ['the gateway alone, at the end of the time', 130, 9999, false],
    ['the circuit alone, at the end of the time', 9999, 130, false],
    ['neither within the time', 130.001, 130.001, true],
    ['neither for long', 9999, 9999, true],
    ['a clock that is ahead', -5, -5, false],
  ])('a circuit of which is heard: %s', (_, gatewayMinutes, circuitMinutes, expected) => {
    const nowMs = 10_000 * 60_000;
    const [lastSeenAtMs, reportedAtMs] = [gatewayMinutes, circuitMinutes].map((each) => nowMs - each * 60_000);
    expect(isStale({ lastSeenAtMs } as Gateway, { reportedAtMs } as Shadow, nowMs)).toBe(expected);
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
    expect(isFulfilledBy({ desired } as Shadow, reported, 0)).toBe(expected);
  });
});

test('what ends by itself is fulfilled by any report made after its end, beside all else that is desired', () => {
  const override = { until: new Date(1000).toISOString(), since: new Date(0).toISOString() };
  const holiday = { from: new Date(0).toISOString(), to: new Date(1000).toISOString(), roomSetpointCelsius: 16 };
  for (const [desired, none] of [
    [{ override, a: 1 }, {}],
    [{ override, a: 1 }, { override: null }],
    [{ holiday, a: 1 }, { holiday: null }],
  ]) {
    const isFulfilledAt = (atMs: number, a = 1) => isFulfilledBy({ desired } as Shadow, { ...none, a }, atMs);
    expect([isFulfilledAt(999), isFulfilledAt(1000), isFulfilledAt(1000, 2)]).toEqual([false, true, false]);
  }
  // What could not be read of a report says nothing.
  for (const desired of [{ override: null }, { override }, { holiday: null }, { holiday }]) {
    expect(isFulfilledBy({ desired } as Shadow, { a: 1 }, 0)).toBe(false);
    expect(isFulfilledBy({ desired } as Shadow, { a: 1, ...desired }, 0)).toBe(true);
  }
  expect(isFulfilledBy({ desired: { override } } as Shadow, { override }, 0)).toBe(true);
});

describe('inventory', () => {
  type Fact = { readonly atMs: number; readonly listed: readonly string[] | undefined };

  const inventoryAfter = (facts: readonly Fact[]): Inventory =>
    facts.reduce(
      (inventory, { atMs, listed }) => (listed ? described(inventory, listed, atMs) : removed(inventory, atMs)),
      emptyInventory,
    );

  const describes = (atMs: number, ...listed: string[]): Fact => ({ atMs, listed });
  const removes = (atMs: number): Fact => ({ atMs, listed: undefined });

  describe('an item counts as absent', () => {
    test.each<[string, number, readonly Fact[]]>([
      ['at no known time if the first description lists it', 0, [describes(5, 'hc1')]],
      ['until the newest description if that does not list it', 5, [describes(3, 'hc1'), describes(5)]],
      ['until the description before the one that lists it', 3, [describes(3), describes(5, 'hc1')]],
      ['likewise if that description arrives later', 3, [describes(5, 'hc1'), describes(3)]],
      ['until the removal of its gateway', 5, [describes(3, 'hc1'), removes(5)]],
      ['until the removal before the gateway was installed anew', 5, [removes(5), describes(7, 'hc1')]],
      ['likewise if the removal arrives later', 5, [describes(7, 'hc1'), removes(5)]],
      ['since the later of an absence and a removal', 5, [describes(7, 'hc1'), removes(5), describes(3)]],
    ])('%s', (_, expected, facts) => {
      expect(absentAt(inventoryAfter(facts), 'hc1')).toBe(expected);
    });
  });

  describe('a gateway', () => {
    test.each<[boolean, readonly Fact[]]>([
      [true, []],
      [false, [describes(1)]],
      [true, [describes(1), removes(2)]],
      [true, [removes(2), describes(1)]],
      [false, [removes(2), describes(3)]],
      [false, [describes(3), removes(2)]],
      // Of equal times the removal counts.
      [true, [describes(2), removes(2)]],
      [true, [removes(2), describes(2)]],
    ])('is removed: %s, after %j', (expected, facts) => {
      expect(isRemoved(inventoryAfter(facts))).toBe(expected);
    });
  });

  test('facts make the same inventory in whatever order they arrive, and however often (500 random sets)', () => {
    const random = randomNumbers();
    const keys = ['hc1', 'hc2', 'dhw1'];
    for (let round = 0; round < 500; round++) {
      const facts = Array.from({ length: 6 }, (_, index) =>
        below(random, 3) === 0
          ? removes(index + 1)
          : describes(index + 1, ...keys.filter(() => below(random, 2) === 0)),
      );
      const shuffled = [...facts, ...facts].toSorted(() => random() - 0.5);
      expect(inventoryAfter(shuffled)).toEqual(inventoryAfter(facts));
    }
  });

  test('of a gateway that was never described or was removed, no description is known', () => {
    const unknown = { describedAtMs: 0, removedAtMs: 0, absentAtMs: {}, lastVersions: {} };
    expect(emptyInventory).toEqual(unknown);
    expect(inventoryAfter([describes(3, 'hc1'), removes(5)])).toEqual({ ...unknown, removedAtMs: 5 });
    expect(inventoryAfter([removes(5), describes(5, 'hc1')])).toEqual({ ...unknown, removedAtMs: 5 });
  });

  test('of two descriptions of one time the first stands', () => {
    const { absentAtMs } = inventoryAfter([describes(3, 'hc1'), describes(3, 'hc2')]);
    expect(absentAtMs).toEqual({ hc1: 3 });
  });

  test('what is already known changes nothing', () => {
    const inventory = inventoryAfter([describes(1, 'hc1'), removes(2), describes(3, 'hc1')]);
    for (const known of [describes(1, 'hc1'), removes(2), describes(3, 'hc1')])
      expect(inventoryAfter([describes(1, 'hc1'), removes(2), describes(3, 'hc1'), known])).toEqual(inventory);
  });

  test('the last versions of deleted items outlive descriptions and removals', () => {
    const lastVersions = { hc1: 7 };
    expect(removed(described({ ...emptyInventory, lastVersions }, [], 1), 2)).toMatchObject({ lastVersions });
  });
});

test('a report of connectivity without a connectivity says only when the gateway was seen', () => {
  expect(connectivityFacts(undefined, 5)).toEqual({ lastSeen: { atMs: 5 } });
  expect(connectivityFacts('online', 5)).toMatchObject({
    connectivity: { connectivity: 'online' },
    lastSeen: { atMs: 5 },
  });
});
