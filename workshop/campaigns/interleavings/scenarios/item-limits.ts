import assert from 'node:assert/strict';
import { maxCircuits } from '../../../../lambdas/api/limits.ts';
import { circuitItemKey } from '../../../../lambdas/data/appliances/appliances.ts';
import { describeGateway } from '../../../../lambdas/data/appliances/gateways.ts';
import { report } from '../../../../lambdas/data/appliances/reports.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import type { Shadow } from '../../../../lambdas/domain/appliance.ts';
import { factTimesAt } from '../../../../test/support/appliance.ts';
import { rowsOf, type Tables } from '../../../../test/support/memory-store/tables.ts';
import { startMs } from '../../../../test/support/world.ts';
import type { Scenario } from '../scenario.ts';

const gatewayId = 'a-gateway';
const keyOf = (circuitId: string) => circuitItemKey(gatewayId, 'heating', circuitId);

/** All times are seconds after `startMs`. */
const at = (seconds: number) => factTimesAt(startMs + seconds * 1000);

const reports = (circuitId: string, seconds: number) => (store: Store) =>
  report(store, keyOf(circuitId), { reported: {} }, at(seconds));
const describes = (seconds: number, circuitIds?: readonly string[]) => (store: Store) => {
  const circuits = circuitIds?.map((circuitId) => ({ family: 'heating' as const, circuitId, timeProgramIds: [] }));
  return describeGateway(store, { gatewayId, circuits }, at(seconds));
};

const circuitsIn = (tables: Tables): readonly Shadow[] =>
  [...rowsOf(tables, 'Appliances')].flatMap(([key, row]) =>
    key.startsWith(`${gatewayId}\0CIRCUIT#`) ? [row as unknown as Shadow] : [],
  );
const circuitIn = (tables: Tables, circuitId: string) =>
  rowsOf(tables, 'Appliances').get(`${gatewayId}\0${keyOf(circuitId).sk}`) as unknown as Shadow | undefined;

export const itemLimitScenarios: readonly Scenario[] = [
  {
    name: 'first reports of two circuits for which a gateway has one place',
    guarantee: 'the gateway never has more circuits than the limit',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store) => {
      await describes(0)(store);
      for (let index = 1; index < maxCircuits; index++) await reports(`c${index}`, 1)(store);
      return {
        operations: { one: reports('one', 2), other: reports('other', 2) },
        afterEach: (_, after) => assert(circuitsIn(after).length <= maxCircuits, 'a circuit is beyond the limit'),
        atEnd: ({ tables, isUndisturbed }) => {
          if (isUndisturbed) assert.equal(circuitsIn(tables).length, maxCircuits);
        },
      };
    },
  },
  {
    name: 'the deletion of two circuits of different versions, and their first reports since',
    guarantee: 'a circuit that is created again has a higher version than it ever had',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store) => {
      await describes(0, ['one', 'other'])(store);
      for (const circuitId of ['one', 'other']) await reports(circuitId, 1)(store);
      await describes(2, ['other'])(store);
      await reports('one', 3)(store);
      // The deletion reaches the higher version first.
      const highest = { one: 2, other: 1 };
      return {
        operations: { description: describes(4, []), one: reports('one', 5), other: reports('other', 5) },
        afterEach: (before, after) => {
          for (const [circuitId, version] of Object.entries(highest))
            if (!circuitIn(before, circuitId) && circuitIn(after, circuitId))
              assert(Number(circuitIn(after, circuitId)?.version) > version, 'a version was used twice');
        },
        atEnd: ({ tables, isUndisturbed }) => {
          if (isUndisturbed) assert.equal(circuitsIn(tables).length, 2);
        },
      };
    },
  },
];
