import assert from 'node:assert/strict';
import { type EnergyOfMonth, energyItemKey, reportEnergy } from '../../../../lambdas/data/appliances/energy.ts';
import { describeGateway, removeGateway } from '../../../../lambdas/data/appliances/gateways.ts';
import type { FactOutcome } from '../../../../lambdas/data/appliances/inventory.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import { factTimesAt } from '../../../../test/support/appliance.ts';
import { rowsOf, type Tables } from '../../../../test/support/memory-store/tables.ts';
import { startMs } from '../../../../test/support/world.ts';
import type { Ending, Scenario } from '../scenario.ts';

const gatewayId = 'a-gateway';
const limits = { maxSwitchPoints: 10, maxSwitchPointsPerDay: 4, switchPointRasterMinutes: 10 };
const plate = { gatewayId, name: 'Cellar', type: 'heat-pump', components: [], circuits: [], limits };

/** All times are seconds after `startMs`. */
const at = (seconds: number) => factTimesAt(startMs + seconds * 1000);
const describes = (seconds: number) => (store: Store) => describeGateway(store, plate, at(seconds));
const removes = (seconds: number) => (store: Store) => removeGateway(store, gatewayId, at(seconds));
const reports = (dayOfMonth: string, seconds: number) => (store: Store) =>
  reportEnergy(store, gatewayId, { day: `2036-03-${dayOfMonth}`, heating: { heatKwh: seconds } }, at(seconds));

const monthIn = (tables: Tables) =>
  rowsOf(tables, 'Appliances').get(`${gatewayId}\0${energyItemKey(gatewayId, '2036-03-01').sk}`) as
    | EnergyOfMonth
    | undefined;

/** The report time of each stored day, in seconds. */
const daysIn = (tables: Tables): Record<string, number> =>
  Object.fromEntries(
    Object.entries(monthIn(tables)?.days ?? {}).map(([day, { heating, atMs }]) => {
      assert.equal(heating.heatKwh, (atMs - startMs) / 1000, 'the values of a day are of another report than its time');
      return [day, (atMs - startMs) / 1000];
    }),
  );

const neverOlder = (before: Tables, after: Tables): void => {
  const [old, young] = [daysIn(before), daysIn(after)];
  for (const [day, seconds] of Object.entries(young)) assert(seconds >= (old[day] ?? 0), 'an older report came later');
};

const isApplied = ({ outcomes }: Ending, name: string): boolean => {
  const outcome = outcomes[name];
  return outcome?.kind === 'ended' && (outcome.value as FactOutcome).outcome === 'applied';
};

export const energyScenarios: readonly Scenario[] = [
  {
    name: 'reports of two days that are the first of their month, and a correction of one',
    guarantee: 'both days stay, the corrected one with its last report',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store) => {
      await describes(0)(store);
      return {
        operations: { one: reports('01', 1), other: reports('02', 2), correction: reports('01', 3) },
        afterEach: (before, after) => {
          neverOlder(before, after);
          for (const day of Object.keys(daysIn(before))) assert(day in daysIn(after), 'a day was lost');
        },
        atEnd: (ending) => {
          const days = daysIn(ending.tables);
          if (isApplied(ending, 'other')) assert.equal(days['02'], 2);
          if (isApplied(ending, 'correction')) assert.equal(days['01'], 3);
          if (ending.isUndisturbed) assert.deepEqual(days, { '01': 3, '02': 2 });
        },
      };
    },
  },
  {
    name: 'a removal of a reinstalled gateway, an older removal, and reports from before and after',
    guarantee: 'reports until the removal are deleted for good, and later reports stay',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store) => {
      await describes(0)(store);
      await reports('01', 1)(store);
      await describes(9)(store);
      return {
        operations: { removal: removes(5), older: removes(2), late: reports('02', 4), since: reports('03', 6) },
        afterEach: (before, after) => {
          neverOlder(before, after);
          const known = monthIn(before)?.removedAtMs ?? 0;
          for (const [day, seconds] of Object.entries(daysIn(after)))
            assert(startMs + seconds * 1000 > known, `${day} was told before a removal that its item knows of`);
        },
        atEnd: (ending) => {
          const days = daysIn(ending.tables);
          if (ending.outcomes.removal?.kind === 'ended')
            assert(!('01' in days || '02' in days), 'a day from before the removal is left');
          if (isApplied(ending, 'since')) assert.equal(days['03'], 6);
          if (ending.isUndisturbed) assert.deepEqual(days, { '03': 6 });
        },
      };
    },
  },
];
