import assert from 'node:assert/strict';
import { maxGatewayFacts } from '../../../../lambdas/api/limits.ts';
import { gatewayItemKey } from '../../../../lambdas/data/appliances/appliances.ts';
import { describeGateway, reportFacts } from '../../../../lambdas/data/appliances/gateways.ts';
import type { FactOutcome } from '../../../../lambdas/data/appliances/inventory.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import type { Fault } from '../../../../lambdas/domain/appliance.ts';
import { faultFactName } from '../../../../lambdas/domain/fault.ts';
import { clearedFaultFacts, faultFacts, type StoredFacts } from '../../../../lambdas/domain/gateway.ts';
import { factTimesAt } from '../../../../test/support/appliance.ts';
import { rowsOf, type Tables } from '../../../../test/support/memory-store/tables.ts';
import type { Outcome } from '../../../../test/support/memory-store/turns.ts';
import { startMs } from '../../../../test/support/world.ts';
import type { Scenario } from '../scenario.ts';

const gatewayId = 'a-gateway';

/** All times are seconds after `startMs`. */
const at = (seconds: number): number => startMs + seconds * 1000;

const install = (store: Store) => {
  const limits = { maxSwitchPoints: 10, maxSwitchPointsPerDay: 4, switchPointRasterMinutes: 10 };
  const plate = { gatewayId, name: 'Cellar', type: 'heat-pump', components: [], limits, circuits: [] };
  return describeGateway(store, plate, factTimesAt(startMs));
};

type FaultIds = Pick<Fault, 'code' | 'componentId'>;

const reports = (fault: FaultIds, seconds: number) => (own: Store) =>
  reportFacts(
    own,
    gatewayId,
    faultFacts({ ...fault, severity: 'fault', text: null, sinceMs: null }),
    factTimesAt(at(seconds)),
  );
const clears = (fault: FaultIds, seconds: number) => (own: Store) =>
  reportFacts(own, gatewayId, clearedFaultFacts(fault), factTimesAt(at(seconds)));

const factsIn = (tables: Tables): StoredFacts => {
  const { sk } = gatewayItemKey(gatewayId);
  const row = rowsOf(tables, 'Appliances').get(`${gatewayId}\0${sk}`) as { readonly facts: StoredFacts } | undefined;
  return row?.facts ?? {};
};
const changedAt = (tables: Tables, fault: FaultIds): number => factsIn(tables)[faultFactName(fault)]?.atMs ?? 0;

const isApplied = (outcome: Outcome | undefined): boolean =>
  outcome?.kind === 'ended' && (outcome.value as FactOutcome).outcome === 'applied';

const ofComponent = (componentId: string) => ({ code: 'F.28', componentId });
const numbered = (number: number) => ({ code: `E-${number}`, componentId: null });

export const faultScenarios: readonly Scenario[] = [
  {
    name: 'two reports of a fault, its clearance between their times, and the same code of another component, in any order',
    guarantee: 'the later report stays, the earlier does not come back, and none replaces the other fault',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store) => {
      await install(store);
      const [fault, other] = [ofComponent('1'), ofComponent('2')];
      return {
        operations: {
          early: reports(fault, 1),
          clearance: clears(fault, 2),
          late: reports(fault, 3),
          other: reports(other, 1),
        },
        afterEach: (before, after) => {
          for (const each of [fault, other])
            assert(changedAt(after, each) >= changedAt(before, each), 'an older report came later');
        },
        atEnd: ({ tables, isUndisturbed }) => {
          if (isUndisturbed) assert.deepEqual([changedAt(tables, fault), changedAt(tables, other)], [at(3), at(1)]);
        },
      };
    },
  },
  {
    name: 'reports of two faults where a gateway has room for one, and the clearance of its oldest fault',
    guarantee: 'no gateway keeps more facts than it may, and the newest fault is kept',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store) => {
      await install(store);
      for (let number = 1; number < maxGatewayFacts; number++) await reports(numbered(number), number)(store);
      return {
        operations: {
          one: reports(numbered(101), 101),
          newest: reports(numbered(102), 102),
          clearance: clears(numbered(1), 103),
        },
        afterEach: (_, after) =>
          assert(Object.keys(factsIn(after)).length <= maxGatewayFacts, 'too many facts are kept'),
        atEnd: ({ tables, outcomes }) => {
          if (isApplied(outcomes.newest)) assert.equal(changedAt(tables, numbered(102)), at(102), 'the newest is lost');
        },
      };
    },
  },
];
