import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { circuitItemKey, gatewayItemKey, toGateway } from '../../../../lambdas/data/appliances/appliances.ts';
import { reportFacts } from '../../../../lambdas/data/appliances/gateways.ts';
import { report } from '../../../../lambdas/data/appliances/reports.ts';
import {
  type ChangeOutcome,
  type RequestedChange,
  requestChange,
} from '../../../../lambdas/data/appliances/requested-changes.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import { entityTagOf, type Gateway, type Shadow } from '../../../../lambdas/domain/appliance.ts';
import { blockFacts } from '../../../../lambdas/domain/gateway.ts';
import { toTimestamp } from '../../../../lambdas/domain/time.ts';
import { factTimesAt, putGateway, putShadow } from '../../../../test/support/appliance.ts';
import { rowsOf, type Tables } from '../../../../test/support/memory-store/tables.ts';
import { actOf, auditIn, newRecords, openChangesAreListed, recordIsKept } from '../../../../test/support/stage/rows.ts';
import { startMs } from '../../../../test/support/world.ts';
import { answersOf, type Ending, type Scenario } from '../scenario.ts';

const companyId = 'a-company';
export const gateway: Gateway = {
  gatewayId: 'a-gateway',
  name: 'Cellar',
  type: 'heat-pump',
  connectivity: 'online',
  connectivitySinceMs: startMs,
  lastSeenAtMs: startMs,
  components: [],
  limits: { maxSwitchPoints: 10, maxSwitchPointsPerDay: 4, switchPointRasterMinutes: 10 },
  features: [],
  blocks: {},
  faults: [],
  timeZone: null,
};
const key = circuitItemKey(gateway.gatewayId, 'heating', 'c1');
const unchanged: Shadow = {
  reported: { operationMode: 'auto' },
  reportedAtMs: startMs - 3_600_000,
  receivedAtMs: startMs - 3_600_000,
  version: 1,
};

type Stored = Shadow & { readonly desired?: Readonly<Record<string, unknown>> };

const circuitIn = (tables: Tables) =>
  rowsOf(tables, 'Appliances').get(`${key.gatewayId}\0${key.sk}`) as unknown as Stored;

const blocksIn = (tables: Tables) =>
  toGateway(rowsOf(tables, 'Appliances').get(Object.values(gatewayItemKey(gateway.gatewayId)).join('\0')) ?? {}).blocks;

const install = async (store: Store): Promise<void> => {
  await putGateway(store, gateway);
  await putShadow(store, key, { circuitId: 'c1' }, unchanged);
};

/** A change by a caller who has read the circuit in its first state. */
const change =
  (values: object, overrides: Partial<RequestedChange<Shadow>> = {}) =>
  (store: Store) =>
    requestChange(store, actOf(companyId, null), {
      gateway,
      uses: 'heatingCircuits',
      key,
      item: unchanged,
      values,
      ifMatch: [],
      permittedSinceMs: 0,
      target: { circuitId: 'c1' },
      ...overrides,
    });

/** A requested change raises the version by one, and has an audit row of the same step. */
const changesAreOnRecord = (before: Tables, after: Tables): void => {
  recordIsKept(before, after);
  openChangesAreListed(circuitIn(after));
  const raised = circuitIn(after).version - circuitIn(before).version;
  assert(raised === 0 || raised === 1, `the version went up by ${raised}`);
  assert.equal(newRecords(before, after).length, raised, 'changes and audit rows differ');
};

const requested = (ending: Ending) =>
  answersOf<ChangeOutcome<Shadow>>(ending).filter((answer) => answer.outcome === 'requested');

/** Changes of one property each: the accepted changes are stored, and also those that failed without an answer. */
const changesOfOwn =
  (count: number): Scenario['arrange'] =>
  async (store) => {
    await install(store);
    return {
      operations: Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`change ${index}`, change({ [`property${index}`]: index })]),
      ),
      afterEach: changesAreOnRecord,
      atEnd: (ending) => {
        const { version, desired = {} } = circuitIn(ending.tables);
        assert.equal(Object.keys(desired).length, version - 1, 'a change was lost');
        assert.equal(auditIn(ending.tables).length, version - 1);
        for (const { item } of requested(ending))
          for (const [name, value] of Object.entries(item.desired ?? {}))
            assert.equal(desired[name as never], value, 'an accepted change was lost');
        if (ending.isUndisturbed) assert.equal(requested(ending).length, count);
      },
    };
  };

export const requestedChangeScenarios: readonly Scenario[] = [
  {
    name: 'two changes of one circuit',
    guarantee: 'neither is lost, the version counts them, and each has one audit row',
    maxDisturbances: { prove: 2, full: 2 },
    arrange: changesOfOwn(2),
  },
  {
    name: 'three changes of one circuit',
    guarantee: 'none is lost, the version counts them, and each has one audit row',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: changesOfOwn(3),
  },
  {
    name: 'changes of two levels, another of one of them, and the answer to the first',
    guarantee: 'no level is undone by a change of another one, and the answer confirms what it answers alone',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store) => {
      await install(store);
      const levels = (level: string, setpointCelsius: number) => ({ levelSetpoints: [{ level, setpointCelsius }] });
      await change(levels('eco', 18))(store);
      const item: Shadow = { ...unchanged, desired: { 'levelSetpoints.eco': 18 } as object, version: 2 };
      const reported = { ...unchanged.reported, ...levels('eco', 18) };
      return {
        operations: {
          'reduced to 16': change(levels('reduced', 16), { item }),
          'eco to 19': change(levels('eco', 19), { item }),
          answer: (own) => report(own, key, { reported, fulfilsVersion: 2 }, factTimesAt(startMs)),
          'later report': (own) => report(own, key, { reported }, factTimesAt(startMs + 1)),
        },
        afterEach: (before, after) => {
          changesAreOnRecord(before, after);
          const [old, young] = [circuitIn(before), circuitIn(after)];
          const ended = Object.keys(old.desired ?? {}).filter((name) => !Object.hasOwn(young.desired ?? {}, name));
          assert(ended.length === 0 || old.version === 2, `${ended} was undone or confirmed by another answer`);
        },
        atEnd: ({ tables, isUndisturbed }) => {
          const { desired, reported: told } = circuitIn(tables);
          if (!isUndisturbed) return;
          assert.deepEqual(desired, { 'levelSetpoints.reduced': 16, 'levelSetpoints.eco': 19 });
          assert.deepEqual((told as { levelSetpoints?: object }).levelSetpoints, reported.levelSetpoints);
        },
      };
    },
  },
  {
    name: 'a new override, and reports of the end of the one before',
    guarantee: 'the end of an override removes no other override, and the new one stays until it is reported',
    maxDisturbances: { prove: 2, full: 3 },
    arrange: async (store) => {
      await install(store);
      const since = toTimestamp(startMs - 2000);
      const ending = { roomSetpointCelsius: 23, until: toTimestamp(startMs), since };
      const next = { ...ending, until: toTimestamp(startMs + 3_600_000), since: toTimestamp(startMs) };
      await change({ override: ending })(store);
      const item: Shadow = { ...unchanged, desired: { override: ending } as object, version: 2 };
      const reports = (override: object | null, afterMs: number) => (own: Store) =>
        report(own, key, { reported: { ...unchanged.reported, override } }, factTimesAt(startMs + afterMs));
      return {
        operations: {
          'new override': change({ override: next }, { item }),
          'the end': reports(null, 1),
          'the end once more': reports(null, 2),
          'the new override holds': reports(next, 3),
        },
        afterEach: (before, after) => {
          changesAreOnRecord(before, after);
          const [old, young] = [circuitIn(before), circuitIn(after)];
          const isTaken = isDeepStrictEqual(old.desired?.override, next) && young.desired === undefined;
          const { override } = young.reported as { readonly override?: object | null };
          assert(!isTaken || isDeepStrictEqual(override, next), 'the end of another override took the new one away');
        },
        atEnd: ({ tables, isUndisturbed }) => {
          const { reported, reportedAtMs } = circuitIn(tables);
          if (isUndisturbed)
            assert.deepEqual([reportedAtMs, (reported as { override?: object }).override], [startMs + 3, next]);
        },
      };
    },
  },
  {
    name: 'two changes of one circuit with one If-Match, and a third without',
    guarantee: 'at most one of the two is stored, and none over a version that it does not name',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store) => {
      await install(store);
      const ifMatch = [entityTagOf(unchanged.version)];
      return {
        operations: {
          'change 1': change({ first: 1 }, { ifMatch }),
          'change 2': change({ second: 2 }, { ifMatch }),
          'change without': change({ third: 3 }),
        },
        afterEach: (before, after) => {
          changesAreOnRecord(before, after);
          const { desired = {}, version } = circuitIn(after);
          assert(!('first' in desired && 'second' in desired), 'both changes were stored');
          if (version > circuitIn(before).version && !('third' in desired)) assert.equal(version, 2);
        },
      };
    },
  },
  {
    name: 'two changes and a block of their function',
    guarantee: 'once the appliance blocks the function, no change of it is stored',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store) => {
      await install(store);
      const block = { sinceMs: startMs, untilMs: startMs + 60_000 };
      return {
        operations: {
          'change 1': change({ first: 1 }),
          'change 2': change({ second: 2 }),
          block: (own) =>
            reportFacts(own, gateway.gatewayId, blockFacts('heatingCircuits', block), factTimesAt(startMs)),
        },
        afterEach: (before, after) => {
          changesAreOnRecord(before, after);
          const isBlocked = blocksIn(before).heatingCircuits !== undefined;
          assert(!isBlocked || circuitIn(after).version === circuitIn(before).version, 'a blocked function changed');
        },
      };
    },
  },
  {
    name: 'two changes and the confirmation of an earlier one',
    guarantee: 'a confirmed change does not come back, and an unconfirmed one stays',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store) => {
      await install(store);
      await change({ confirmed: true })(store);
      const seen = circuitIn as (tables: Tables) => Stored;
      const item: Shadow = { ...unchanged, desired: { confirmed: true } as object, version: 2 };
      return {
        operations: {
          'change 1': change({ first: 1 }, { item }),
          'change 2': change({ second: 2 }, { item }),
          confirmation: (own) =>
            report(own, key, { reported: { confirmed: true }, fulfilsVersion: item.version }, factTimesAt(startMs)),
        },
        afterEach: (before, after) => {
          changesAreOnRecord(before, after);
          const [old, young] = [seen(before).desired ?? {}, seen(after).desired ?? {}];
          assert('confirmed' in old || !('confirmed' in young), 'a confirmed change came back');
          const isConfirmed = 'confirmed' in old && !('confirmed' in young);
          assert(!isConfirmed || seen(before).version === item.version, 'a newer change was confirmed too');
        },
        atEnd: ({ tables, isUndisturbed }) => {
          const { desired = {}, version, reportedAtMs } = seen(tables);
          const isConfirmed = !('confirmed' in desired);
          assert.equal(Object.keys(desired).length, version - 1 - (isConfirmed ? 1 : 0));
          if (isUndisturbed) assert.equal(reportedAtMs, startMs, 'the report of the confirmation is lost');
        },
      };
    },
  },
];
