import assert from 'node:assert/strict';
import { daysOf, energyItemKey, reportEnergy } from '../../../../lambdas/data/appliances/energy.ts';
import { describeGateway, removeGateway } from '../../../../lambdas/data/appliances/gateways.ts';
import { hoursIn, hoursItemKey, reportHour } from '../../../../lambdas/data/appliances/hourly-energy.ts';
import type { FactOutcome } from '../../../../lambdas/data/appliances/inventory.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import { toTimestamp } from '../../../../lambdas/domain/time.ts';
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

type Kind = {
  /** The words for an item and for one of its parts. */
  readonly item: string;
  readonly part: string;
  /** The names of three parts. */
  readonly names: readonly [string, string, string];
  /** Reports that a part has as many kWh as there are seconds, or does so in a form that cannot be read. */
  readonly reports: (name: string, seconds: number, isUnread?: boolean) => (store: Store) => Promise<FactOutcome>;
  readonly key: { readonly sk: string };
  /** The heat and the time of the report of each part. */
  readonly partsOf: (item: never) => readonly (readonly [name: string, heatKwh: number | null, atMs: number])[];
};

const start = (time: string) => `2036-03-10T${time}:00Z`;

const heatOf = (heatKwh: number, isUnread = false) =>
  isUnread ? { heating: {}, unread: ['/heating/heatKwh'] } : { heating: { heatKwh } };

const kinds: readonly Kind[] = [
  {
    item: 'month',
    part: 'day',
    names: ['01', '02', '03'],
    reports:
      (day, ...heat) =>
      (store) =>
        reportEnergy(store, gatewayId, { day: `2036-03-${day}`, ...heatOf(...heat) }, at(heat[0])),
    key: energyItemKey(gatewayId, '2036-03-01'),
    partsOf: (item) =>
      daysOf(item).map(({ day, heating, reportedAtMs }) => [day.slice(8), heating.heatKwh, reportedAtMs]),
  },
  {
    item: 'day',
    part: 'hour',
    names: ['01:00', '02:00', '03:30'],
    reports:
      (time, ...heat) =>
      (store) =>
        reportHour(store, gatewayId, { start: start(time), ...heatOf(...heat) }, at(heat[0])),
    key: hoursItemKey(gatewayId, start('01:00')),
    partsOf: (item) =>
      hoursIn(item).map(({ startMs: from, heating, reportedAtMs }) => [
        toTimestamp(from).slice(11, 16),
        heating.heatKwh,
        reportedAtMs,
      ]),
  },
];

const isApplied = ({ outcomes }: Ending, name: string): boolean => {
  const outcome = outcomes[name];
  return outcome?.kind === 'ended' && (outcome.value as FactOutcome).outcome === 'applied';
};

const scenariosOf = ({ item, part, names: [one, two, three], reports, key, partsOf }: Kind): readonly Scenario[] => {
  const itemIn = (tables: Tables) => rowsOf(tables, 'Appliances').get(`${gatewayId}\0${key.sk}`);

  /** The report time of each stored part, in seconds. */
  const partsIn = (tables: Tables): Record<string, number> => {
    const stored = itemIn(tables);
    const parts = stored ? partsOf(stored as never) : [];
    return Object.fromEntries(
      parts.map(([name, heatKwh, atMs]) => {
        assert.equal(heatKwh, (atMs - startMs) / 1000, `the values of a ${part} are of another report than its time`);
        return [name, heatKwh];
      }),
    );
  };

  const neverOlder = (before: Tables, after: Tables): void => {
    const [old, young] = [partsIn(before), partsIn(after)];
    for (const [name, seconds] of Object.entries(young))
      assert(seconds >= (old[name] ?? 0), 'an older report came later');
  };

  /** No part is from before a removal that the item knows. */
  const nothingRemoved = (before: Tables, after: Tables): void => {
    const known = Number(itemIn(before)?.removedAtMs ?? 0);
    for (const [name, seconds] of Object.entries(partsIn(after)))
      assert(startMs + seconds * 1000 > known, `${name} was reported before a removal that its item knows`);
  };

  /** The stored heat of a part, and the second of its report; no seconds if nothing is stored. */
  const heatIn = (tables: Tables, name: string) => {
    const stored = itemIn(tables);
    const [, heatKwh = null, atMs = startMs] =
      (stored && partsOf(stored as never).find(([each]) => each === name)) ?? [];
    return { heatKwh, seconds: (atMs - startMs) / 1000 };
  };

  return [
    {
      name: `reports of one ${part}, the newest of which cannot be read`,
      guarantee: 'what was measured is not lost, and is that of the newest applied report that can be read',
      maxDisturbances: { prove: 1, full: 2 },
      arrange: async (store) => {
        await describes(0)(store);
        return {
          operations: { first: reports(one, 1), second: reports(one, 2), correction: reports(one, 3, true) },
          afterEach: (before, after) => {
            const [old, young] = [heatIn(before, one), heatIn(after, one)];
            assert(young.seconds >= old.seconds, 'an older report came later');
            assert((young.heatKwh ?? 0) >= (old.heatKwh ?? 0), 'a correction has erased what was measured');
          },
          atEnd: (ending) => {
            const { heatKwh, seconds } = heatIn(ending.tables, one);
            const applied = ['first', 'second'].flatMap((name, index) => (isApplied(ending, name) ? [index + 1] : []));
            if (ending.isUndisturbed) assert.deepEqual([heatKwh, seconds], [applied.at(-1) ?? null, 3]);
          },
        };
      },
    },
    {
      name: `reports of two ${part}s that are the first of their ${item}, and a correction of one`,
      guarantee: `both ${part}s stay, the corrected one with its last report`,
      maxDisturbances: { prove: 1, full: 2 },
      arrange: async (store) => {
        await describes(0)(store);
        return {
          operations: { one: reports(one, 1), other: reports(two, 2), correction: reports(one, 3) },
          afterEach: (before, after) => {
            neverOlder(before, after);
            for (const name of Object.keys(partsIn(before))) assert(name in partsIn(after), `a ${part} was lost`);
          },
          atEnd: (ending) => {
            const parts = partsIn(ending.tables);
            if (isApplied(ending, 'other')) assert.equal(parts[two], 2);
            if (isApplied(ending, 'correction')) assert.equal(parts[one], 3);
            if (ending.isUndisturbed) assert.deepEqual(parts, { [one]: 3, [two]: 2 });
          },
        };
      },
    },
    {
      name: `reports of two ${part}s that are the first of their ${item}, and a removal between their times`,
      guarantee: `only the ${part} that was reported after the removal stays`,
      maxDisturbances: { prove: 0, full: 1 },
      arrange: async (store) => {
        await describes(9)(store);
        return {
          operations: { late: reports(one, 1), removal: removes(2), since: reports(two, 3) },
          afterEach: (before, after) => {
            neverOlder(before, after);
            nothingRemoved(before, after);
          },
          atEnd: (ending) => {
            const parts = partsIn(ending.tables);
            if (ending.outcomes.removal?.kind === 'ended') assert(!(one in parts), `a ${part} from before the removal`);
            if (isApplied(ending, 'since')) assert.equal(parts[two], 3);
            if (ending.isUndisturbed) assert.deepEqual(parts, { [two]: 3 });
          },
        };
      },
    },
    {
      name: `a removal of a reinstalled gateway, an older one, and reports of ${part}s from before and after`,
      guarantee: 'reports until the removal are deleted for good, and later reports stay',
      maxDisturbances: { prove: 0, full: 1 },
      arrange: async (store) => {
        await describes(0)(store);
        await reports(one, 1)(store);
        await describes(9)(store);
        return {
          operations: { removal: removes(5), older: removes(2), late: reports(two, 4), since: reports(three, 6) },
          afterEach: (before, after) => {
            neverOlder(before, after);
            nothingRemoved(before, after);
          },
          atEnd: (ending) => {
            const parts = partsIn(ending.tables);
            if (ending.outcomes.removal?.kind === 'ended')
              assert(!(one in parts || two in parts), `a ${part} from before the removal is left`);
            if (isApplied(ending, 'since')) assert.equal(parts[three], 6);
            if (ending.isUndisturbed) assert.deepEqual(parts, { [three]: 6 });
          },
        };
      },
    },
  ];
};

export const energyScenarios: readonly Scenario[] = kinds.flatMap(scenariosOf);
