import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { energyItemKey, readEnergy, reportEnergy } from '../../../lambdas/data/appliances/energy.ts';
import { describeGateway, removeGateway } from '../../../lambdas/data/appliances/gateways.ts';
import { hoursItemKey, readHours, reportHour } from '../../../lambdas/data/appliances/hourly-energy.ts';
import type { FactOutcome } from '../../../lambdas/data/appliances/inventory.ts';
import { partsPrefix } from '../../../lambdas/data/appliances/parts-items.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import type { FactTimes } from '../../../lambdas/domain/appliance.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { factTimesAt, readStored } from '../../support/appliance.ts';
import { eventLike, periodReports, readGatewayRows, take } from '../../support/messages.ts';
import { killedAt, overtakenBy } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

type Kind = {
  /** Three parts of one item, in their order. */
  readonly parts: readonly [string, string, string];
  /** A part of an earlier item. */
  readonly earlier: string;
  /** The oldest part that is kept, and the one before it. */
  readonly oldest: readonly [kept: string, tooOld: string];
  readonly report: (by: Store, id: string, part: string, heatKwh: number, times: FactTimes) => Promise<FactOutcome>;
  /** Returns the heat of each part that is stored. */
  readonly heat: (gatewayId: string) => Promise<readonly (readonly [part: string, heatKwh: number | null])[]>;
  readonly keyOf: (gatewayId: string, part: string) => { readonly gatewayId: string; readonly sk: string };
};

const kinds: Readonly<Record<string, Kind>> = {
  'the days of a month': {
    parts: ['2036-03-07', '2036-03-08', '2036-03-09'],
    earlier: '2036-02-01',
    oldest: ['2034-03-10', '2034-03-09'],
    report: (by, gatewayId, day, heatKwh, times) => reportEnergy(by, gatewayId, { day, heating: { heatKwh } }, times),
    heat: async (gatewayId) =>
      (await readEnergy(world.store, gatewayId, { from: '2034-01-01', to: '2037-12-31' })).map(
        ({ day, heating }) => [day, heating.heatKwh] as const,
      ),
    keyOf: energyItemKey,
  },
  'the hours of a day': {
    parts: ['2036-03-10T00:00:00Z', '2036-03-10T01:30:00Z', '2036-03-10T02:30:00Z'],
    earlier: '2036-03-09T23:45:00Z',
    oldest: ['2036-03-03T12:15:00Z', '2036-03-03T12:00:00Z'],
    report: (by, gatewayId, start, heatKwh, times) => reportHour(by, gatewayId, { start, heating: { heatKwh } }, times),
    heat: async (gatewayId) =>
      (await readHours(world.store, gatewayId, { fromMs: startMs - 30 * 86_400_000, toMs: startMs })).map(
        ({ startMs: atMs, heating }) => [toTimestamp(atMs), heating.heatKwh] as const,
      ),
    keyOf: hoursItemKey,
  },
};

describe.each(Object.entries(kinds))('%s', (_, { parts: [one, two, three], earlier, oldest, report, heat, keyOf }) => {
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
      /** Reports the heat of a part. */
      reports: async (part: string, heatKwh: number, afterMs: number, by: Store = world.store) =>
        (await report(by, gatewayId, part, heatKwh, factTimesAt(startMs + afterMs))).outcome,
      stored: async () => Object.fromEntries(await heat(gatewayId)),
    };
  };

  describe('a report', () => {
    test('is stored if it is newer than the stored one; an older report or one of the same time is stale', async () => {
      const { reports, stored } = await openScene();
      expect(await reports(two, 2, 2)).toBe('applied');
      for (const afterMs of [1, 2]) expect(await reports(two, 7, afterMs)).toBe('stale');
      expect(await stored()).toEqual({ [two]: 2 });
      expect(await reports(two, 3, 3)).toBe('applied');
      // Parts are ordered separately.
      expect(await reports(one, 8, 1)).toBe('applied');
      expect(await stored()).toEqual({ [one]: 8, [two]: 3 });
    });

    test('that is no longer kept is stale, and the oldest that is kept is not', async () => {
      const { reports, stored } = await openScene();
      const [kept, tooOld] = oldest;
      expect(await reports(tooOld, 1, 1)).toBe('stale');
      expect(await reports(kept, 2, 1)).toBe('applied');
      expect(await stored()).toEqual({ [kept]: 2 });
    });

    test('costs one write, except for the first of an item', async () => {
      const { reports } = await openScene();
      await reports(one, 1, 1);
      world.proxy.begin();
      await reports(two, 1, 1);
      expect(world.proxy.exchanges.map(({ action }) => action)).toEqual(['UpdateItem']);
    });

    test('that is the first of an item, concurrent with another one, loses neither', async () => {
      const { reports, stored } = await openScene();
      const overtaken = overtakenBy(world.store, () => reports(two, 2, 1));
      expect(await reports(one, 1, 1, overtaken)).toBe('applied');
      expect(await stored()).toEqual({ [one]: 1, [two]: 2 });
    });

    test('of an undescribed gateway waits for its description', async () => {
      const { outcome } = await report(world.store, 'gw-nobody', one, 1, factTimesAt(startMs));
      expect(outcome).toBe('gateway-not-found');
    });
  });

  describe('the removal of a gateway', () => {
    test('deletes its energy; a late report brings nothing back, even after another installation', async () => {
      const { gatewayId, describes, reports, removes, stored } = await openScene();
      for (const part of [one, two, earlier]) await reports(part, 1, 1);
      expect(await removes(2)).toBe('applied');
      expect(await readStored(world.store, keyOf(gatewayId, two))).toBeUndefined();
      expect(await reports(two, 7, 2)).toBe('stale');
      expect(await reports(two, 7, 3)).toBe('gateway-not-found');
      await describes(4);
      expect(await reports(two, 7, 2)).toBe('stale');
      expect(await stored()).toEqual({});
      expect(await reports(two, 8, 3)).toBe('applied');
      // The item has the removal from its first part on.
      expect(await reports(one, 7, 2)).toBe('stale');
      expect(await stored()).toEqual({ [two]: 8 });
    });

    test('that arrives late deletes what was reported before it, and keeps later reports', async () => {
      const { describes, reports, removes, stored } = await openScene();
      await describes(9);
      await reports(one, 1, 3);
      await reports(two, 2, 4);
      await reports(three, 3, 5);
      expect(await removes(4)).toBe('applied');
      expect(await stored()).toEqual({ [three]: 3 });
      expect(await reports(two, 7, 4)).toBe('stale');
      expect(await reports(two, 8, 5)).toBe('applied');
      // A removal that is even older changes nothing more.
      expect(await removes(2)).toBe('stale');
      expect(await reports(one, 7, 4)).toBe('stale');
      expect(await stored()).toEqual({ [two]: 8, [three]: 3 });
    });

    /** Overtakes the transaction that changes the item. The first transaction is that of the inventory. */
    const overtakenAtItem = (act: () => Promise<unknown>) => overtakenBy(world.store, act, 2);

    test('keeps later reports that arrive meanwhile, whether it deletes or updates the item', async () => {
      const { describes, reports, removes, stored } = await openScene();
      await reports(one, 1, 1);
      await describes(9);
      await removes(
        2,
        overtakenAtItem(() => reports(two, 2, 5)),
      );
      expect(await stored()).toEqual({ [two]: 2 });
      await removes(
        3,
        overtakenAtItem(() => reports(three, 3, 5)),
      );
      expect(await stored()).toEqual({ [two]: 2, [three]: 3 });
    });

    test('and a concurrent removal leave nothing from before either of them', async () => {
      const { describes, reports, removes, stored } = await openScene();
      await describes(9);
      await reports(one, 1, 4);
      await reports(two, 2, 8);
      await removes(
        3,
        overtakenAtItem(() => removes(5)),
      );
      expect(await stored()).toEqual({ [two]: 2 });
      expect(await reports(one, 7, 5)).toBe('stale');
      // Neither removal has a part to delete, and both store their time in the item.
      await removes(
        6,
        overtakenAtItem(() => removes(7)),
      );
      expect(await reports(one, 7, 7)).toBe('stale');
    });

    test('that overtakes the first report of an item keeps it from creating the item', async () => {
      const { reports, removes, stored } = await openScene();
      const overtaken = overtakenBy(world.store, () => removes(2));
      expect(await reports(one, 1, 1, overtaken)).toBe('stale');
      expect(await stored()).toEqual({});
    });

    test('that overtakes a report of a later part makes it stale', async () => {
      const { reports, removes, stored } = await openScene();
      await reports(one, 1, 1);
      const overtaken = overtakenBy(world.store, () => removes(2), 1, UpdateCommand);
      expect(await reports(two, 1, 1, overtaken)).toBe('stale');
      expect(await stored()).toEqual({});
    });

    test('is completed by the next delivery of its message, wherever it was interrupted', async () => {
      for (const isCallMade of [true, false])
        for (let ordinal = 0; ; ordinal++) {
          const { reports, removes, stored } = await openScene();
          await reports(earlier, 1, 1);
          await reports(one, 1, 1);
          const mortal = killedAt(world.store, ordinal, isCallMade);
          const isDead = await removes(2, mortal).then(
            () => false,
            () => true,
          );
          await removes(2);
          expect([await stored(), await reports(one, 7, 2)], `killed at ${ordinal}`).toEqual([{}, 'stale']);
          if (!isDead) break;
        }
    });
  });
});

test.each(periodReports)('the removal of a gateway deletes what %s has stored', async (type) => {
  const gatewayId = `gw-${randomUUID()}`;
  await describeGateway(world.store, { gatewayId }, factTimesAt(startMs - 1000));
  const parts = async () =>
    (await readGatewayRows(gatewayId)).filter(({ sk }) => String(sk).startsWith(partsPrefix)).length;
  expect((await take('takeGatewayReports', [eventLike(type, { subject: gatewayId })])).outcomes).toEqual(['applied']);
  expect(await parts()).toBe(1);
  await removeGateway(world.store, gatewayId, factTimesAt(startMs));
  expect(await parts()).toBe(0);
});
