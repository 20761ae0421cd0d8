import assert from 'node:assert/strict';
import { describeGateway, removeGateway } from '../../../../lambdas/data/appliances/gateways.ts';
import type { FactOutcome } from '../../../../lambdas/data/appliances/inventory.ts';
import {
  type MeasurementsItem,
  measurementsItemKey,
  reportMeasurements,
} from '../../../../lambdas/data/appliances/measurements.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import { measurementsIn } from '../../../../lambdas/domain/measurement.ts';
import { factTimesAt } from '../../../../test/support/appliance.ts';
import { rowsOf, type Tables } from '../../../../test/support/memory-store/tables.ts';
import { startMs } from '../../../../test/support/world.ts';
import type { Ending, Scenario } from '../scenario.ts';

const gatewayId = 'a-gateway';

/** All times are seconds after `startMs`. */
const at = (seconds: number) => factTimesAt(startMs + seconds * 1000);
const describes = (seconds: number) => (store: Store) => describeGateway(store, { gatewayId }, at(seconds));
const removes = (seconds: number) => (store: Store) => removeGateway(store, gatewayId, at(seconds));
/** Reports measurements whose value is the second in which they were made. */
const reports = (names: readonly string[], seconds: number) => (store: Store) => {
  const { atMs } = at(seconds);
  const measured = Object.fromEntries(names.map((name) => [`${name}\n`, { value: seconds, atMs }]));
  return reportMeasurements(store, gatewayId, measured, at(seconds));
};

const itemIn = (tables: Tables) =>
  rowsOf(tables, 'Appliances').get(`${gatewayId}\0${measurementsItemKey(gatewayId).sk}`) as
    | MeasurementsItem
    | undefined;

/** The second in which each stored measurement was made. */
const measuredIn = (tables: Tables): Record<string, number> =>
  Object.fromEntries(
    measurementsIn(itemIn(tables)?.measurements ?? {}).map(({ name, value, atMs }) => {
      assert.equal(value, (atMs - startMs) / 1000, 'the value of a measurement is of another report than its time');
      return [name, (atMs - startMs) / 1000];
    }),
  );

const neverOlder = (before: Tables, after: Tables): void => {
  const [old, young] = [measuredIn(before), measuredIn(after)];
  for (const [name, seconds] of Object.entries(young))
    assert(seconds >= (old[name] ?? 0), 'an older report came later');
};

const isApplied = ({ outcomes }: Ending, name: string): boolean => {
  const outcome = outcomes[name];
  return outcome?.kind === 'ended' && (outcome.value as FactOutcome).outcome === 'applied';
};

export const measurementScenarios: readonly Scenario[] = [
  {
    name: 'three reports of measurements, two of which have one in common, of a gateway without any',
    guarantee: 'no measurement is lost, and the newest of each counts',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store) => {
      await describes(0)(store);
      return {
        operations: { one: reports(['a', 'b'], 1), other: reports(['b', 'c'], 2), third: reports(['a'], 3) },
        afterEach: (before, after) => {
          neverOlder(before, after);
          for (const name of Object.keys(measuredIn(before)))
            assert(name in measuredIn(after), 'a measurement was lost');
        },
        atEnd: (ending) => {
          const measured = measuredIn(ending.tables);
          if (isApplied(ending, 'other')) assert.deepEqual([measured.b, measured.c], [2, 2]);
          if (isApplied(ending, 'third')) assert.equal(measured.a, 3);
          if (ending.isUndisturbed) assert.deepEqual(measured, { a: 3, b: 2, c: 2 });
        },
      };
    },
  },
  {
    name: 'a removal of a reinstalled gateway, and reports of measurements from before and after it',
    guarantee: 'measurements until the removal are deleted for good, and later ones stay',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store) => {
      await describes(0)(store);
      await reports(['a', 'b'], 1)(store);
      await describes(9)(store);
      return {
        operations: { removal: removes(5), late: reports(['a', 'c'], 4), since: reports(['b', 'd'], 6) },
        afterEach: (before, after) => {
          neverOlder(before, after);
          const known = itemIn(before)?.removedAtMs ?? 0;
          for (const [name, seconds] of Object.entries(measuredIn(after)))
            assert(startMs + seconds * 1000 > known, `${name} was measured before a removal that its item knows of`);
        },
        atEnd: (ending) => {
          const measured = measuredIn(ending.tables);
          if (ending.outcomes.removal?.kind === 'ended')
            assert(!('a' in measured || 'c' in measured), 'a measurement from before the removal is left');
          if (isApplied(ending, 'since')) assert.deepEqual([measured.b, measured.d], [6, 6]);
          if (ending.isUndisturbed) assert.deepEqual(measured, { b: 6, d: 6 });
        },
      };
    },
  },
];
