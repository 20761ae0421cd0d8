import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeGateway, removeGateway } from '../../../lambdas/data/appliances/gateways.ts';
import {
  measurementsItemKey,
  readMeasurements,
  reportMeasurements,
} from '../../../lambdas/data/appliances/measurements.ts';
import { partsPrefix } from '../../../lambdas/data/appliances/parts-items.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { measurementsIn, type StoredMeasurements, usableMeasurements } from '../../../lambdas/domain/measurement.ts';
import { factTimesAt, readStored } from '../../support/appliance.ts';
import { killedAt, overtakenBy } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const weekMs = 7 * 86_400_000;

type Values = Readonly<Record<string, number>>;

/** Measurements without a known name, all made that many milliseconds after `startMs`. */
const measuredAt = (values: Values, afterMs: number): StoredMeasurements =>
  usableMeasurements(
    Object.entries(values).map(([name, value]) => ({ name, value })),
    startMs + afterMs,
  ).usable;

/** A gateway that was described a second before `startMs`; all times are milliseconds after `startMs`. */
const openScene = async () => {
  const gatewayId = `gw-${randomUUID()}`;
  const describes = (afterMs: number) => describeGateway(world.store, { gatewayId }, factTimesAt(startMs + afterMs));
  await describes(-1000);
  return {
    gatewayId,
    describes,
    removes: async (afterMs: number, by: Store = world.store) =>
      (await removeGateway(by, gatewayId, factTimesAt(startMs + afterMs))).outcome,
    reports: async (values: Values, afterMs: number, by: Store = world.store) =>
      (await reportMeasurements(by, gatewayId, measuredAt(values, afterMs), factTimesAt(startMs + afterMs))).outcome,
    values: async () =>
      Object.fromEntries(
        measurementsIn(await readMeasurements(world.store, gatewayId)).map(({ name, value }) => [name, value]),
      ),
    stored: () => readStored(world.store, measurementsItemKey(gatewayId)),
  };
};

describe('a report of measurements', () => {
  test('stores newer measurements; a report of the same time or of an earlier one is stale', async () => {
    const { reports, values } = await openScene();
    expect(await reports({ a: 2, b: 2 }, 2)).toBe('applied');
    for (const afterMs of [1, 2]) expect(await reports({ a: 7 }, afterMs)).toBe('stale');
    expect(await values()).toEqual({ a: 2, b: 2 });
    expect(await reports({ b: 3 }, 3)).toBe('applied');
    // An older report may have a measurement that is not known yet.
    expect(await reports({ a: 7, c: 1 }, 1)).toBe('applied');
    expect(await values()).toEqual({ a: 2, b: 3, c: 1 });
  });

  test('drops what nothing newer was reported of for a week, and expires then', async () => {
    const { reports, values, stored } = await openScene();
    await reports({ old: 1 }, 0);
    await reports({ young: 2 }, 1);
    await reports({ now: 3 }, weekMs);
    expect(await values()).toEqual({ young: 2, now: 3 });
    const { removeAt } = (await stored()) ?? {};
    expect(Number(removeAt)).toBe((startMs + 2 * weekMs) / 1000);
  });

  test('costs a read and a write, except for the first', async () => {
    const { reports } = await openScene();
    await reports({ a: 1 }, 1);
    world.proxy.begin();
    await reports({ a: 2, b: 2 }, 2);
    expect(world.proxy.exchanges.map(({ action }) => action)).toEqual(['GetItem', 'UpdateItem']);
  });

  test('costs no write if it is stale', async () => {
    const { reports } = await openScene();
    await reports({ a: 1 }, 1);
    world.proxy.begin();
    await reports({ a: 2 }, 1);
    expect(world.proxy.exchanges.map(({ action }) => action)).toEqual(['GetItem']);
  });

  test('that is the first, concurrent with another one, loses neither', async () => {
    const { reports, values } = await openScene();
    const overtaken = overtakenBy(world.store, () => reports({ b: 2 }, 1));
    expect(await reports({ a: 1 }, 1, overtaken)).toBe('applied');
    expect(await values()).toEqual({ a: 1, b: 2 });
  });

  test('concurrent with another one, loses neither, and the newer of one name counts', async () => {
    const { reports, values } = await openScene();
    await reports({ a: 1 }, 1);
    const overtaken = overtakenBy(world.store, () => reports({ a: 3, b: 3 }, 3), 1, UpdateCommand);
    expect(await reports({ a: 2, c: 2 }, 2, overtaken)).toBe('applied');
    expect(await values()).toEqual({ a: 3, b: 3, c: 2 });
  });

  test('of an undescribed gateway waits for its description', async () => {
    const times = factTimesAt(startMs);
    expect(await reportMeasurements(world.store, 'gw-nobody', measuredAt({ a: 1 }, 0), times)).toEqual({
      outcome: 'gateway-not-found',
    });
  });
});

describe('the removal of a gateway', () => {
  test('deletes its measurements; a late report brings nothing back, even after another installation', async () => {
    const { describes, reports, removes, values, stored } = await openScene();
    await reports({ a: 1 }, 1);
    expect(await removes(2)).toBe('applied');
    expect(await stored()).toBeUndefined();
    expect(await reports({ a: 7 }, 2)).toBe('stale');
    expect(await reports({ a: 7 }, 3)).toBe('gateway-not-found');
    await describes(4);
    expect(await reports({ a: 7 }, 2)).toBe('stale');
    expect(await values()).toEqual({});
    expect(await reports({ a: 8 }, 3)).toBe('applied');
    // The item has the removal from its first report on.
    expect(await reports({ b: 7 }, 2)).toBe('stale');
    expect(await values()).toEqual({ a: 8 });
  });

  test('that arrives late deletes what was measured before it, and keeps later measurements', async () => {
    const { describes, reports, removes, values } = await openScene();
    await describes(9);
    await reports({ a: 3 }, 3);
    await reports({ b: 4 }, 4);
    await reports({ c: 5 }, 5);
    expect(await removes(4)).toBe('applied');
    expect(await values()).toEqual({ c: 5 });
    expect(await reports({ a: 7 }, 4)).toBe('stale');
    // A removal that is even older changes nothing more.
    expect(await removes(2)).toBe('stale');
    expect(await reports({ a: 7 }, 4)).toBe('stale');
    expect(await values()).toEqual({ c: 5 });
  });

  test('keeps later reports that arrive meanwhile, whether it deletes or updates the item', async () => {
    const { describes, reports, removes, values } = await openScene();
    await reports({ a: 1 }, 1);
    await describes(9);
    // The first transaction is that of the inventory.
    await removes(
      2,
      overtakenBy(world.store, () => reports({ b: 2 }, 5), 2),
    );
    expect(await values()).toEqual({ b: 2 });
    await removes(
      3,
      overtakenBy(world.store, () => reports({ c: 3 }, 5), 2),
    );
    expect(await values()).toEqual({ b: 2, c: 3 });
  });

  test('and a concurrent removal leave nothing from before either of them', async () => {
    const { describes, reports, removes, values } = await openScene();
    await describes(9);
    await reports({ a: 4 }, 4);
    await reports({ b: 8 }, 8);
    await removes(
      3,
      overtakenBy(world.store, () => removes(5), 2),
    );
    expect(await values()).toEqual({ b: 8 });
    expect(await reports({ a: 7 }, 5)).toBe('stale');
    // Neither removal has a measurement to delete, and both store their time in the item.
    await removes(
      6,
      overtakenBy(world.store, () => removes(7), 2),
    );
    expect(await reports({ a: 7 }, 7)).toBe('stale');
  });

  test('that overtakes a first or a later report makes it stale', async () => {
    const { describes, reports, removes, values } = await openScene();
    const first = overtakenBy(world.store, () => removes(2));
    expect(await reports({ a: 1 }, 1, first)).toBe('stale');
    await describes(9);
    await reports({ b: 8 }, 8);
    // The removal deletes no measurement, and only stores its time in the item.
    const later = overtakenBy(world.store, () => removes(6), 1, UpdateCommand);
    expect(await reports({ a: 5 }, 5, later)).toBe('stale');
    expect(await values()).toEqual({ b: 8 });
  });

  test('reads strongly consistent, and a report only after an attempt that failed: its writes depend on the read', async () => {
    const { reports, removes } = await openScene();
    const reads = () =>
      world.proxy.exchanges
        .filter(({ action, input }) => /GetItem|Query/.test(action) && JSON.stringify(input).includes(partsPrefix))
        .map(({ input }) => input.ConsistentRead === true);
    world.proxy.begin();
    const ofOther: boolean[] = [];
    const overtaken = overtakenBy(world.store, async () => {
      await reports({ b: 1 }, 1);
      ofOther.push(...reads().slice(1));
    });
    await reports({ a: 1 }, 1, overtaken);
    expect([ofOther, reads()]).toEqual([[false], [false, false, true]]);
    world.proxy.begin();
    await removes(3);
    expect(reads()).toEqual([true]);
  });

  test('is completed by the next delivery of its message, wherever it was interrupted', async () => {
    for (const isCallMade of [true, false])
      for (let ordinal = 0; ; ordinal++) {
        const { reports, removes, values } = await openScene();
        await reports({ a: 1 }, 1);
        const mortal = killedAt(world.store, ordinal, isCallMade);
        const isDead = await removes(2, mortal).then(
          () => false,
          () => true,
        );
        await removes(2);
        expect([await values(), await reports({ a: 7 }, 2)], `killed at ${ordinal}`).toEqual([{}, 'stale']);
        if (!isDead) break;
      }
  });
});
