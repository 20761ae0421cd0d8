import { describe, expect, test } from 'vitest';
import { type Gateway, isFulfilledBy, isStale, type Shadow } from '../../../lambdas/domain/appliance.ts';
import {
  absentAt,
  blockFacts,
  connectivityFacts,
  described,
  emptyInventory,
  factsSince,
  gatewayState,
  type Inventory,
  isRemoved,
  removed,
} from '../../../lambdas/domain/gateway.ts';
import { below, randomNumbers } from '../../support/random.ts';

describe('gateway facts', () => {
  const at = (atMs: number) => ({ atMs, receivedAtMs: atMs + 7 });

  test('a removal deletes the facts of its time and before it', () => {
    const facts = { connectivity: { ...at(1000), connectivity: 'online' as const }, lastSeen: at(2000) };
    expect(factsSince(facts, 999)).toEqual(facts);
    expect(factsSince(facts, 1000)).toEqual({ lastSeen: facts.lastSeen });
    expect(factsSince(facts, 2000)).toEqual({});
  });

  test('without facts a gateway is offline, not blocked, has no faults, and was seen when described', () => {
    expect(gatewayState({}, 500)).toEqual({
      connectivity: 'offline',
      connectivitySinceMs: null,
      lastSeenAtMs: 500,
      blocks: {},
      faults: [],
    });
  });

  test('the state of a gateway follows its facts; a function that is no longer blocked has no block', () => {
    const block = { sinceMs: 2000, untilMs: null };
    const facts = {
      connectivity: { ...at(1000), connectivity: 'online' as const },
      lastSeen: at(300),
      dhwCircuitsBlock: { ...at(2100), ...block },
      heatingCircuitsBlock: at(2200),
    };
    const standing = { connectivity: 'online', lastSeenAtMs: 300, blocks: { dhwCircuits: block }, faults: [] };
    expect(gatewayState(facts, 500)).toStrictEqual({ ...standing, connectivitySinceMs: null });
    const [onlineSince, offlineSince] = [at(700), at(800)];
    expect(gatewayState({ ...facts, onlineSince, offlineSince }, 500)).toStrictEqual({
      ...standing,
      connectivitySinceMs: 700,
    });
  });

  test.each([
    ['both reported now', 0, 0, false],
    ['only the gateway, at the limit', 130, 9999, false],
    ['only the circuit, at the limit', 9999, 130, false],
    ['neither within the limit', 130.001, 130.001, true],
    ['neither for long', 9999, 9999, true],
    ['a clock that is ahead', -5, -5, false],
  ])('a circuit is stale or not: %s', (_, gatewayMinutes, circuitMinutes, expected) => {
    const nowMs = 10_000 * 60_000;
    const [lastSeenAtMs, reportedAtMs] = [gatewayMinutes, circuitMinutes].map((each) => nowMs - each * 60_000);
    expect(isStale({ lastSeenAtMs } as Gateway, { reportedAtMs } as Shadow, nowMs)).toBe(expected);
  });

  test('a block is reported with its times, and its end without times', () => {
    const block = { sinceMs: 1, untilMs: 2 };
    expect(blockFacts('dhwCircuits', block)).toEqual({ dhwCircuitsBlock: block });
    expect(blockFacts('dhwCircuits')).toEqual({ dhwCircuitsBlock: {} });
  });

  test.each<[string, object | undefined, object, boolean]>([
    ['nothing', undefined, { a: 1 }, false],
    ['no setting', {}, { a: 1 }, true],
    ['what is reported', { a: 1, b: [2] }, { a: 1, b: [2], c: 3 }, true],
    ['more than is reported', { a: 1, b: [2] }, { a: 1, b: [3] }, false],
  ])('a report fulfils a request for %s', (_, desired, reported, expected) => {
    expect(isFulfilledBy({ desired } as Shadow, reported, 0)).toBe(expected);
  });
});

test('an override or a holiday is fulfilled by any report after its end, with the other settings', () => {
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
  // What could not be read of a report proves nothing.
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
      ['until the removal before the gateway was installed again', 5, [removes(5), describes(7, 'hc1')]],
      ['likewise if the removal arrives later', 5, [describes(7, 'hc1'), removes(5)]],
      ['until the later of an absence and a removal', 5, [describes(7, 'hc1'), removes(5), describes(3)]],
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
      // At equal times the removal wins.
      [true, [describes(2), removes(2)]],
      [true, [removes(2), describes(2)]],
    ])('is removed: %s, after %j', (expected, facts) => {
      expect(isRemoved(inventoryAfter(facts))).toBe(expected);
    });
  });

  test('facts give the same inventory in any order, however often they arrive (500 random sets)', () => {
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

  test('a gateway that was never described or was removed has no description', () => {
    const unknown = { describedAtMs: 0, removedAtMs: 0, absentAtMs: {}, lastVersion: 0 };
    expect(emptyInventory).toEqual(unknown);
    expect(inventoryAfter([describes(3, 'hc1'), removes(5)])).toEqual({ ...unknown, removedAtMs: 5 });
    expect(inventoryAfter([removes(5), describes(5, 'hc1')])).toEqual({ ...unknown, removedAtMs: 5 });
  });

  test('of two descriptions at the same time the first wins', () => {
    const { absentAtMs } = inventoryAfter([describes(3, 'hc1'), describes(3, 'hc2')]);
    expect(absentAtMs).toEqual({ hc1: 3 });
  });

  test('known facts change nothing', () => {
    const inventory = inventoryAfter([describes(1, 'hc1'), removes(2), describes(3, 'hc1')]);
    for (const known of [describes(1, 'hc1'), removes(2), describes(3, 'hc1')])
      expect(inventoryAfter([describes(1, 'hc1'), removes(2), describes(3, 'hc1'), known])).toEqual(inventory);
  });

  test('the last version of deleted items outlives descriptions and removals', () => {
    const lastVersion = 7;
    expect(removed(described({ ...emptyInventory, lastVersion }, [], 1), 2)).toMatchObject({ lastVersion });
  });
});

test('a report without a connectivity only says when the gateway was seen', () => {
  expect(connectivityFacts(undefined, 5)).toEqual({ lastSeen: { atMs: 5 } });
  expect(connectivityFacts('online', 5)).toMatchObject({
    connectivity: { connectivity: 'online' },
    lastSeen: { atMs: 5 },
  });
});
