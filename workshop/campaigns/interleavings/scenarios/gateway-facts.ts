import assert from 'node:assert/strict';
import type { ApplianceFunction } from '../../../../lambdas/api/schemas/gateway.ts';
import { circuitItemKey, gatewayItemKey } from '../../../../lambdas/data/appliances/appliances.ts';
import { describeGateway, removeGateway, reportFacts } from '../../../../lambdas/data/appliances/gateways.ts';
import { type FactOutcome, inventoryItemKey } from '../../../../lambdas/data/appliances/inventory.ts';
import { refuseChange, report } from '../../../../lambdas/data/appliances/reports.ts';
import { requestChange } from '../../../../lambdas/data/appliances/requested-changes.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import type { Gateway, Shadow } from '../../../../lambdas/domain/appliance.ts';
import { blockFactName, blockFacts, type Inventory, type StoredFacts } from '../../../../lambdas/domain/gateway.ts';
import { factTimesAt } from '../../../../test/support/appliance.ts';
import { rowsOf, type Tables } from '../../../../test/support/memory-store/tables.ts';
import type { Outcome } from '../../../../test/support/memory-store/turns.ts';
import { actOf, openChangesAreListed } from '../../../../test/support/stage/rows.ts';
import { startMs } from '../../../../test/support/world.ts';
import type { Scenario } from '../scenario.ts';

const gatewayId = 'a-gateway';
const key = circuitItemKey(gatewayId, 'heating', 'c1');
const gateway = {
  gatewayId,
  name: 'Cellar',
  type: 'heat-pump',
  components: [],
  limits: { maxSwitchPoints: 10, maxSwitchPointsPerDay: 4, switchPointRasterMinutes: 10 },
  features: [],
  timeZone: null,
};

const rowIn = <Row>(tables: Tables, { sk }: { readonly sk: string }) =>
  rowsOf(tables, 'Appliances').get(`${gatewayId}\0${sk}`) as unknown as Row;
const circuitIn = (tables: Tables) => rowIn<Shadow | undefined>(tables, key);

/** All times are seconds after `startMs`. */
const at = (seconds: number): number => startMs + seconds * 1000;

const describes = (seconds: number, circuitIds: readonly string[]) => (store: Store) => {
  const circuits = circuitIds.map((circuitId) => ({ family: 'heating' as const, circuitId, timeProgramIds: [] }));
  return describeGateway(store, { ...gateway, circuits }, factTimesAt(at(seconds)));
};
const removes = (seconds: number) => (store: Store) => removeGateway(store, gatewayId, factTimesAt(at(seconds)));
const reports = (seconds: number, fulfilsVersion?: number) => (store: Store) =>
  report(store, key, { reported: { at: seconds }, fulfilsVersion }, factTimesAt(at(seconds)));

const neverOlder = (before: Tables, after: Tables): void => {
  const [old, young] = [circuitIn(before), circuitIn(after)];
  if (old && young) assert(young.reportedAtMs >= old.reportedAtMs, 'an older report came later');
};

/** A late report does not create an item that was missing at the time of the report. */
const nothingIsRevived = (before: Tables, after: Tables): void => {
  neverOlder(before, after);
  const { removedAtMs, absentAtMs, describedAtMs } = rowIn<Inventory>(before, inventoryItemKey(gatewayId));
  const goneAtMs = removedAtMs >= describedAtMs ? removedAtMs : (absentAtMs[key.sk] ?? describedAtMs);
  const young = circuitIn(after);
  if (young && !circuitIn(before)) assert(young.reportedAtMs > goneAtMs, 'a late report revived a circuit');
};

const gatewayKey = gatewayItemKey(gatewayId);
type StoredGateway = { readonly describedAtMs: number; readonly removedAtMs: number; readonly facts: StoredFacts };

const isApplied = (outcome: Outcome | undefined): boolean =>
  outcome?.kind === 'ended' && (outcome.value as FactOutcome).outcome === 'applied';

/** Creates a circuit with a requested change at version 2. */
const installAsked = async (store: Store): Promise<Shadow> => {
  await describes(0, ['c1'])(store);
  await reports(0.5)(store);
  await changes(
    { first: 1 },
    { reported: { at: 0.5 }, reportedAtMs: at(0.5), receivedAtMs: at(0.5), version: 1 },
  )(store);
  return {
    reported: { at: 0.5 },
    reportedAtMs: at(0.5),
    receivedAtMs: at(0.5),
    version: 2,
    desired: { first: 1 } as object,
  };
};

const changes = (values: object, item: Shadow) => (store: Store) => {
  const standing = {
    connectivity: 'online',
    connectivitySinceMs: null,
    lastSeenAtMs: 0,
    blocks: {},
    faults: [],
  } as const;
  const read: Gateway = { ...gateway, ...standing };
  return requestChange(store, actOf('a-company', null), {
    gateway: read,
    uses: 'heatingCircuits',
    key,
    item,
    values,
    ifMatch: [],
    permittedSinceMs: 0,
    target: {},
  });
};

/** Only its own confirmation removes a requested change, together with everything stored about the change. */
const changesAreKept = (before: Tables, after: Tables): void => {
  neverOlder(before, after);
  const [old, young] = [circuitIn(before), circuitIn(after)] as [Shadow, Shadow];
  if (old.desired && !young.desired) assert.equal(old.version, 2, 'a change was confirmed that nobody has confirmed');
  assert(!('first' in (young.desired ?? {})) || 'first' in (old.desired ?? {}), 'a confirmed change came back');
  assert.equal(young.desiredBy !== undefined, young.desired !== undefined, 'nobody asked for what is desired');
  openChangesAreListed(young);
  assert(!young.lastRefusal || young.desired, 'a refusal is left of a fulfilled change');
  assert(!young.lastRefusal || young.lastRefusal.version === young.version, 'a refusal is left of an older change');
};

export const gatewayFactScenarios: readonly Scenario[] = [
  {
    name: 'a first report of a circuit and a later removal of its gateway',
    guarantee: 'the report does not outlive the removal',
    maxDisturbances: { prove: 1, full: 1 },
    arrange: async (store) => {
      await describes(0, ['c1'])(store);
      return {
        operations: { report: reports(1), removal: removes(2) },
        afterEach: nothingIsRevived,
        atEnd: ({ tables, outcomes, isUndisturbed }) => {
          if (outcomes.removal?.kind === 'ended')
            assert.equal(circuitIn(tables), undefined, 'the removal left a circuit');
          if (isUndisturbed) assert.equal(rowIn(tables, gatewayItemKey(gatewayId)), undefined);
        },
      };
    },
  },
  {
    name: 'a description that no longer lists a circuit, and a later report of that circuit',
    guarantee: 'the circuit exists because of the report',
    maxDisturbances: { prove: 1, full: 1 },
    arrange: async (store) => {
      await describes(0, ['c1'])(store);
      await reports(1)(store);
      return {
        operations: { description: describes(3, []), report: reports(4) },
        afterEach: nothingIsRevived,
        atEnd: ({ tables, isUndisturbed }) => {
          if (isUndisturbed) assert.equal(circuitIn(tables)?.reportedAtMs, at(4));
        },
      };
    },
  },
  {
    name: 'a removal and a later description',
    guarantee: 'the gateway exists because of the description',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store) => {
      await describes(0, ['c1'])(store);
      return {
        operations: { removal: removes(2), description: describes(3, ['c1']) },
        atEnd: ({ tables, isUndisturbed }) => {
          if (!isUndisturbed) return;
          const { describedAtMs, removedAtMs, absentAtMs } = rowIn<Inventory>(tables, inventoryItemKey(gatewayId));
          assert.deepEqual([describedAtMs, removedAtMs, absentAtMs[key.sk]], [at(3), at(2), at(2)]);
          assert(rowIn(tables, gatewayItemKey(gatewayId)), 'the gateway is gone');
        },
      };
    },
  },
  {
    name: 'two blocks of one function and its release between their times, in any order',
    guarantee: 'the later block stays, and the earlier does not come back',
    maxDisturbances: { prove: 2, full: 3 },
    arrange: async (store) => {
      await describes(0, [])(store);
      const name = 'heatingCircuits';
      const block = (seconds: number) => (own: Store) =>
        reportFacts(
          own,
          gatewayId,
          blockFacts(name, { sinceMs: at(seconds), untilMs: null }),
          factTimesAt(at(seconds)),
        );
      const changedAt = (tables: Tables) =>
        rowIn<{ facts: StoredFacts }>(tables, gatewayItemKey(gatewayId)).facts[blockFactName(name)]?.atMs ?? 0;
      return {
        operations: {
          early: block(1),
          release: (own) => reportFacts(own, gatewayId, blockFacts(name), factTimesAt(at(2))),
          late: block(3),
        },
        afterEach: (before, after) => assert(changedAt(after) >= changedAt(before), 'an older report came later'),
        atEnd: ({ tables, isUndisturbed }) => {
          if (isUndisturbed) assert.equal(changedAt(tables), at(3));
        },
      };
    },
  },
  ...[
    { comes: 'a later description', describedAt: 4, maxDisturbances: { prove: 0, full: 0 } },
    // The gateway is described again before its removal arrives.
    { comes: 'a description before all', describedAt: undefined, maxDisturbances: { prove: 0, full: 1 } },
  ].map(
    ({ comes, describedAt, maxDisturbances }): Scenario => ({
      name: `facts of a gateway from before and after its removal, the removal, and ${comes}`,
      guarantee: 'no fact is older than the stored removal, and no fact applied since is lost',
      maxDisturbances,
      arrange: async (store) => {
        await describes(describedAt === undefined ? 4 : 0, [])(store);
        const reports = (name: ApplianceFunction, seconds: number) => (own: Store) =>
          reportFacts(own, gatewayId, blockFacts(name), factTimesAt(at(seconds)));
        const order = {
          early: reports('heatingCircuits', 1),
          removal: removes(2),
          late: reports('dhwCircuits', 3),
        };
        return {
          operations: describedAt === undefined ? order : { ...order, description: describes(describedAt, []) },
          afterEach: (_, after) => {
            const { facts = {}, removedAtMs = 0 } = rowIn<StoredGateway | undefined>(after, gatewayKey) ?? {};
            for (const { atMs } of Object.values(facts)) assert(atMs > removedAtMs, 'a fact is older than the removal');
          },
          atEnd: ({ tables, outcomes, isUndisturbed }) => {
            const row = rowIn<StoredGateway | undefined>(tables, gatewayKey);
            const { removedAtMs, facts } = rowIn<Inventory>(tables, inventoryItemKey(gatewayId));
            if (row) assert.equal(row.removedAtMs, removedAtMs, 'the gateway does not know of its last removal');
            const left = row?.facts ?? facts ?? {};
            if (isApplied(outcomes.late)) assert.equal(left.dhwCircuitsBlock?.atMs, at(3), 'a fact was lost');
            if (isUndisturbed) assert.deepEqual([row?.describedAtMs, left.heatingCircuitsBlock], [at(4), undefined]);
          },
        };
      },
    }),
  ),
  {
    name: 'the confirmation of a change, a newer report, a refusal and another change',
    guarantee: 'no report hides a confirmation, none confirms the other change, and a refusal goes with its change',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store) => {
      const item = await installAsked(store);
      return {
        operations: {
          confirmation: reports(1, 2),
          report: reports(2),
          refusal: (own) => refuseChange(own, key, { version: 2, reason: 'busy', detail: '' }, factTimesAt(at(3))),
          'other change': changes({ other: 1 }, item),
        },
        afterEach: changesAreKept,
        atEnd: ({ tables, isUndisturbed }) => {
          const { reportedAtMs, desired = {}, version } = circuitIn(tables) as Shadow;
          if (!isUndisturbed) return;
          assert.equal(reportedAtMs, at(2));
          assert.equal(version, 3);
          assert('other' in desired, 'the other change was lost');
        },
      };
    },
  },
  {
    name: 'the confirmation of a change, a newer report and two refusals',
    guarantee: 'the change is fulfilled in the end, and no refusal is left',
    maxDisturbances: { prove: 0, full: 2 },
    arrange: async (store) => {
      await installAsked(store);
      const refusal = (seconds: number) => (own: Store) =>
        refuseChange(own, key, { version: 2, reason: 'busy', detail: '' }, factTimesAt(at(seconds)));
      return {
        operations: {
          confirmation: reports(1, 2),
          report: reports(2),
          'refusal 1': refusal(1),
          'refusal 2': refusal(3),
        },
        afterEach: changesAreKept,
        atEnd: ({ tables, isUndisturbed }) => {
          if (isUndisturbed) assert.equal(circuitIn(tables)?.desired, undefined);
        },
      };
    },
  },
];
