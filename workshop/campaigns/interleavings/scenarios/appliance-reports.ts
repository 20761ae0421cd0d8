import assert from 'node:assert/strict';
import { circuitItemKey, gatewayItemKey, toGateway } from '../../../../lambdas/data/appliances/appliances.ts';
import { reportFacts } from '../../../../lambdas/data/appliances/gateways.ts';
import type { FactOutcome } from '../../../../lambdas/data/appliances/inventory.ts';
import { report } from '../../../../lambdas/data/appliances/reports.ts';
import type { Gateway, Shadow } from '../../../../lambdas/domain/appliance.ts';
import { blockFacts, connectivityFacts } from '../../../../lambdas/domain/gateway.ts';
import { factTimesAt, putGateway, putShadow } from '../../../../test/support/appliance.ts';
import { rowsOf, type Tables } from '../../../../test/support/memory-store/tables.ts';
import { startMs } from '../../../../test/support/world.ts';
import type { Ending, Scenario } from '../scenario.ts';

const gatewayId = 'a-gateway';
const key = circuitItemKey(gatewayId, 'heating', 'c1');

const rowIn = (tables: Tables, { sk }: { readonly sk: string }) =>
  rowsOf(tables, 'Appliances').get(`${gatewayId}\0${sk}`) as unknown as Shadow & Gateway;

const gatewayIn = (tables: Tables): Gateway => toGateway(rowIn(tables, gatewayItemKey(gatewayId)));

const secondsOf = (list: readonly number[]) => list.map((seconds) => startMs + seconds * 1000);

/** Whether an operation's report was applied. */
const isTaken = ({ outcomes }: Ending, name: string): boolean => {
  const outcome = outcomes[name];
  return outcome?.kind === 'ended' && (outcome.value as FactOutcome).outcome === 'applied';
};

export const applianceReportScenarios: readonly Scenario[] = [
  {
    name: 'three reports of one circuit',
    guarantee: 'the newest applied report stays, and each is complete',
    maxDisturbances: { prove: 2, full: 3 },
    arrange: async (store) => {
      await putShadow(
        store,
        key,
        {},
        { reported: { at: startMs }, reportedAtMs: startMs, receivedAtMs: startMs, version: 1 },
      );
      const times = secondsOf([1, 2, 3]);
      return {
        operations: Object.fromEntries(
          times.map((reportedAtMs) => [
            String(reportedAtMs),
            (own) => report(own, key, { reported: { at: reportedAtMs } }, factTimesAt(reportedAtMs)),
          ]),
        ),
        afterEach: (before, after) => {
          assert(rowIn(after, key).reportedAtMs >= rowIn(before, key).reportedAtMs, 'an older report came later');
          assert.deepEqual(rowIn(after, key).reported, { at: rowIn(after, key).reportedAtMs });
        },
        atEnd: (ending) => {
          const newest = Math.max(startMs, ...times.filter((time) => isTaken(ending, String(time))));
          assert(rowIn(ending.tables, key).reportedAtMs >= newest, 'a report that was taken over is lost');
          if (ending.isUndisturbed) assert.equal(rowIn(ending.tables, key).reportedAtMs, times.at(-1));
        },
      };
    },
  },
  {
    name: 'a report and a confirmation of a change, and a late report',
    guarantee: 'only its confirmation removes the desired state, and the newest report stays',
    maxDisturbances: { prove: 2, full: 3 },
    arrange: async (store) => {
      await putShadow(store, key, {}, { reported: {}, reportedAtMs: startMs, receivedAtMs: startMs, version: 2 });
      const [early = 0, middle = 0, late = 0] = secondsOf([1, 2, 3]);
      return {
        operations: {
          early: (own) => report(own, key, { reported: { at: early } }, factTimesAt(early)),
          confirmation: (own) => report(own, key, { reported: { at: middle }, fulfilsVersion: 2 }, factTimesAt(middle)),
          late: (own) => report(own, key, { reported: { at: late } }, factTimesAt(late)),
        },
        afterEach: (before, after) =>
          assert(rowIn(after, key).reportedAtMs >= rowIn(before, key).reportedAtMs, 'an older report came later'),
        atEnd: (ending) => {
          if (isTaken(ending, 'late')) assert.equal(rowIn(ending.tables, key).reportedAtMs, late);
        },
      };
    },
  },
  {
    name: 'two blocks of one function and one of another, and two signs of life',
    guarantee: 'the later block of each function stays, and the gateway was last seen at the later sign of life',
    maxDisturbances: { prove: 1, full: 1 },
    arrange: async (store) => {
      await putGateway(store, {
        gatewayId,
        lastSeenAtMs: startMs,
        connectivity: 'online',
        blocks: {},
        faults: [],
      } as never);
      const [first = 0, second = 0] = secondsOf([1, 2]);
      const block = (sinceMs: number) => ({ sinceMs, untilMs: null });
      return {
        operations: {
          'block 1': (own) =>
            reportFacts(own, gatewayId, blockFacts('heatingCircuits', block(first)), factTimesAt(first)),
          'block 2': (own) =>
            reportFacts(own, gatewayId, blockFacts('heatingCircuits', block(second)), factTimesAt(second)),
          'other block': (own) =>
            reportFacts(own, gatewayId, blockFacts('dhwCircuits', block(first)), factTimesAt(first)),
          'sign 1': (own) => reportFacts(own, gatewayId, connectivityFacts('offline', first), factTimesAt(first)),
          'sign 2': (own) => reportFacts(own, gatewayId, connectivityFacts('online', second), factTimesAt(second)),
        },
        afterEach: (before, after) => {
          const [old, young] = [gatewayIn(before), gatewayIn(after)];
          assert(young.lastSeenAtMs >= old.lastSeenAtMs, 'an older sign of life came later');
          for (const [name, { sinceMs }] of Object.entries(old.blocks))
            assert((young.blocks[name as keyof Gateway['blocks']]?.sinceMs ?? 0) >= sinceMs, 'a block was lost');
        },
        atEnd: (ending) => {
          const { blocks, lastSeenAtMs, connectivity } = gatewayIn(ending.tables);
          if (ending.isUndisturbed)
            assert.deepEqual(
              { blocks, lastSeenAtMs, connectivity },
              {
                blocks: { heatingCircuits: block(second), dhwCircuits: block(first) },
                lastSeenAtMs: second,
                connectivity: 'online',
              },
            );
        },
      };
    },
  },
];
