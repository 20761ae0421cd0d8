import { PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tables } from '../../../lambdas/api/tables.ts';
import { circuitItemKey, readGateways, readShadows } from '../../../lambdas/data/appliances/appliances.ts';
import { readEnergy, reportEnergy } from '../../../lambdas/data/appliances/energy.ts';
import { describeGateway, removeGateway, reportFacts } from '../../../lambdas/data/appliances/gateways.ts';
import { readHours, reportHour } from '../../../lambdas/data/appliances/hourly-energy.ts';
import type { FactOutcome } from '../../../lambdas/data/appliances/inventory.ts';
import { readMeasurements, reportMeasurements } from '../../../lambdas/data/appliances/measurements.ts';
import { refuseChange, report } from '../../../lambdas/data/appliances/reports.ts';
import { requestChange } from '../../../lambdas/data/appliances/requested-changes.ts';
import { timeProgramItemKey } from '../../../lambdas/data/appliances/time-programs.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import type { FactTimes, Gateway } from '../../../lambdas/domain/appliance.ts';
import { blockFacts, clearedFaultFacts, connectivityFacts, faultFacts } from '../../../lambdas/domain/gateway.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { factTimesAt } from '../../support/appliance.ts';
import { campaign, playRounds } from '../../support/campaign.ts';
import { unavailable } from '../../support/feed.ts';
import { calmStore, openMemory } from '../../support/memory-store/memory.ts';
import { emptyTables } from '../../support/memory-store/tables.ts';
import { below, seededNumbers } from '../../support/random.ts';
import { operatorActOn } from '../../support/store.ts';
import { startMs } from '../../support/world.ts';

const gatewayId = 'gw-1';

/** A fact that the gateway backend reports. Each fact of a sequence has its own time. */
type Fact = {
  readonly kind: string;
  readonly data: unknown;
  readonly tell: (store: Store, times: FactTimes) => Promise<FactOutcome>;
};

const factOf = <Data>(
  kind: string,
  data: fc.Arbitrary<Data>,
  tell: (store: Store, data: Data, times: FactTimes) => Promise<FactOutcome>,
): fc.Arbitrary<Fact> =>
  data.map((each) => ({
    kind,
    data: each,
    tell: (store, times) => tell(store, each, times),
    [fc.toStringMethod]: () => `${kind} ${JSON.stringify(each)}`,
  }));

const keyOf = (circuitId: string, isProgram: boolean) =>
  isProgram
    ? timeProgramItemKey(gatewayId, 'heating', circuitId, '1')
    : circuitItemKey(gatewayId, 'heating', circuitId);

const item = fc.tuple(fc.constantFrom('hc1', 'hc2'), fc.boolean()).map((ids) => keyOf(...ids));
/** The item of which a change is open, and the values and version of that change. */
const asked = keyOf('hc1', false);
const desired = { value: -1 };
const askedVersion = 3;

const described = factOf('described', fc.subarray(['hc1', 'hc2']), (store, circuitIds, times) => {
  const circuits = circuitIds.map((circuitId) => ({ family: 'heating' as const, circuitId, timeProgramIds: ['1'] }));
  return describeGateway(store, { gatewayId, name: `Home ${times.atMs}`, circuits }, times);
});

const removed = factOf('removed', fc.constant(undefined), (store, _, times) => removeGateway(store, gatewayId, times));

const reported = factOf('report', item, (store, key, times) =>
  report(store, key, { reported: { value: times.atMs } }, times),
);

/** A fault with one code on two components, and one whose code is a property name of every object. */
const faultIds = fc.constantFrom(
  { code: 'F.28', componentId: '1' },
  { code: 'F.28', componentId: null },
  { code: '__proto__', componentId: null },
);

const connectivity = fc.tuple(fc.constantFrom('online', 'offline'), fc.constantFrom(0, 1500, 4500));

const about: readonly fc.Arbitrary<Fact>[] = [
  factOf('block', fc.tuple(fc.constantFrom('heatingCircuits', 'dhwCircuits'), fc.boolean()), (store, data, times) => {
    const [name, isBlocked] = data;
    const block = isBlocked ? { sinceMs: times.atMs, untilMs: null } : undefined;
    return reportFacts(store, gatewayId, blockFacts(name, block), times);
  }),
  factOf('fault', fc.tuple(faultIds, fc.boolean()), (store, [ids, isOpen], times) => {
    const fault = { ...ids, severity: 'fault', text: '', sinceMs: times.atMs } as const;
    return reportFacts(store, gatewayId, isOpen ? faultFacts(fault) : clearedFaultFacts(ids), times);
  }),
  factOf('connectivity', connectivity, (store, [state, agoMs], times) =>
    reportFacts(store, gatewayId, connectivityFacts(state, times.atMs - agoMs), times),
  ),
  factOf('day', fc.constantFrom('2036-02-28', '2036-02-29', '2036-03-01'), (store, day, times) =>
    reportEnergy(store, gatewayId, { day, heating: { heatKwh: times.atMs } }, times),
  ),
  factOf('hour', fc.constantFrom('2036-03-09T23:30:00Z', '2036-03-10T00:00:00Z'), (store, start, times) =>
    reportHour(store, gatewayId, { start, heating: { heatKwh: times.atMs } }, times),
  ),
  factOf('measured', fc.subarray(['burner', 'waterPressure', 'fanSpeed']), (store, names, times) => {
    const measured = Object.fromEntries(names.map((name) => [`${name}\n`, { atMs: times.atMs }]));
    return reportMeasurements(store, gatewayId, measured, times);
  }),
];

/** A gateway that comes and goes, as do its circuits. */
const comingAndGoing = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: described },
    { weight: 2, arbitrary: removed },
    { weight: 5, arbitrary: reported },
    { weight: 8, arbitrary: fc.oneof(...about) },
  ),
  { minLength: 2, maxLength: 20 },
);

/** A gateway with an open change of one item: reports, confirmations of past, open and unknown versions, and refusals. */
const answering = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.oneof(...about) },
    factOf('report of others', fc.constant({}), (store, _, times) =>
      report(store, asked, { reported: { value: times.atMs } }, times),
    ),
    factOf('report as desired', fc.constant(desired), (store, values, times) =>
      report(store, asked, { reported: values }, times),
    ),
    factOf('report of a version', fc.constantFrom(2, 2, 3, 4, 5), (store, fulfilsVersion, times) =>
      report(store, asked, { reported: { value: times.atMs }, fulfilsVersion }, times),
    ),
    factOf('refusal', fc.constantFrom(2, askedVersion, 4), (store, version, times) =>
      refuseChange(store, asked, { version, reason: 'busy', detail: '' }, times),
    ),
  ),
  { minLength: 2, maxLength: 20 },
);

const openStore = (): Store => calmStore(openMemory(tables, emptyTables(tables)));

/** Returns a store with a gateway of which a change is open. */
const openAskedStore = async (): Promise<Store> => {
  const store = openStore();
  const circuits = [{ family: 'heating' as const, circuitId: 'hc1', timeProgramIds: ['1'] }];
  await describeGateway(store, { gatewayId, name: 'Home', circuits }, factTimesAt(startMs - 2));
  await report(store, asked, { reported: { value: 0 } }, factTimesAt(startMs - 1));
  for (const values of [{ value: 7 }, desired]) {
    const [gateway] = (await readGateways(store, [gatewayId])) as [Gateway];
    const [seen] = await readShadows(store, gatewayId);
    if (!seen) throw new Error('The gateway has no item.');
    const change = { gateway, uses: 'heatingCircuits', key: asked, item: seen, values } as const;
    const rest = { ifMatch: [], permittedSinceMs: 0, target: { gatewayId } };
    await requestChange(store, operatorActOn('acme'), { ...change, ...rest });
  }
  return store;
};

type Told = { readonly fact: Fact; readonly times: FactTimes };

/** Resolves to whether the fact needs no further delivery. */
const isTold = async (store: Store, { fact, times }: Told): Promise<boolean> =>
  ['applied', 'stale'].includes((await fact.tell(store, times)).outcome);

/** Delivers each fact once, in the order of the times. What waits for a description is delivered again after it. */
const tellInOrder = async (store: Store, all: readonly Told[]): Promise<void> => {
  const waiting: Told[] = [];
  for (const told of all) {
    const retried = told.fact.kind === 'described' ? [told, ...waiting.splice(0)] : [told];
    for (const each of retried) if (!(await isTold(store, each))) waiting.push(each);
  }
};

/** Delivers each fact one to three times to several workers, in any order; workers die, and what failed is delivered again. */
const tellInAnyOrder = async (store: Store, all: readonly Told[], random: () => number): Promise<void> => {
  const copies = all.flatMap((told) => Array.from({ length: 1 + below(random, 3) }, () => told));
  let left = copies
    .map((told) => ({ told, place: random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ told }) => told);
  for (let before = Number.POSITIVE_INFINITY; left.length < before; ) {
    before = left.length;
    const queue = left;
    left = [];
    const work = async () => {
      const own = deadlyStore(store, random);
      for (let next = queue.shift(); next; next = queue.shift()) {
        const told = next;
        const isDone = await isTold(own, told).catch((error) => {
          if (error !== death) throw error;
          return queue.push(told) > 0;
        });
        if (!isDone) left.push(told);
      }
    };
    await Promise.all(Array.from({ length: 4 }, work));
  }
};

const death = unavailable('The worker dies.');

/** The store of a worker that takes turns with the others, and sometimes dies before or after a write. */
const deadlyStore = (store: Store, random: () => number): Store => {
  const send = async (command: object) => {
    for (let turns = below(random, 4); turns > 0; turns--) await undefined;
    const isWrite = [PutCommand, TransactWriteCommand, UpdateCommand].some((kind) => command instanceof kind);
    const fate = isWrite ? below(random, 16) : 2;
    if (fate === 0) throw death;
    const answer = await store.send(command as never);
    if (fate === 1) throw death;
    return answer;
  };
  return { ...store, send: send as Store['send'] };
};

/** Returns what reads show of the gateway, and the time of each part. */
const readAll = async (store: Store) => {
  const [gateway] = await readGateways(store, [gatewayId]);
  // What was received since a removal stays hidden until the next description.
  if (!gateway) return { times: {} };
  // Depends on the order of arrival: it is the time of the first report that arrived.
  const { connectivitySinceMs: _, ...others } = gateway;
  const items = (await readShadows(store, gatewayId)).map(
    ({ sk, reported: values, reportedAtMs, desired: open, lastRefusal }) => ({
      sk,
      values,
      reportedAtMs,
      isOpen: open !== undefined,
      refusedAtMs: lastRefusal?.atMs,
    }),
  );
  const days = await readEnergy(store, gatewayId, { from: '2036-01-01', to: '2036-12-31' });
  const hours = await readHours(store, gatewayId, { fromMs: startMs - 86_400_000, toMs: startMs });
  const times = Object.fromEntries([
    ...items.map(({ sk, reportedAtMs }) => [sk, reportedAtMs]),
    ...Object.entries(gateway.blocks).map(([name, block]) => [name, block?.sinceMs]),
    ...gateway.faults.map(({ code, componentId, sinceMs }) => [`${code} of ${componentId}`, sinceMs]),
    ...days.map(({ day, heating }) => [day, heating.heatKwh]),
    ...hours.map((hour) => [toTimestamp(hour.startMs), hour.heating.heatKwh]),
    ...Object.entries(await readMeasurements(store, gatewayId)).map(([name, { atMs }]) => [name, atMs]),
  ]) as Readonly<Record<string, number>>;
  return { gateway: others, items, times };
};

const timed = (facts: readonly Fact[]): Told[] =>
  facts.map((fact, index) => ({ fact, times: factTimesAt(startMs + 1000 * (index + 1)) }));

const newestOf = (all: readonly Told[], isIt: (fact: Fact) => boolean): number =>
  Math.max(0, ...all.filter(({ fact }) => isIt(fact)).map(({ times }) => times.atMs));

/**
 * A report that shows a change without its version confirms it only in the orders in which no newer report was faster. So there
 * are two possible results: with such reports, and without those that are not the newest.
 */
const possibleOrders = (all: readonly Told[]): Told[][] => {
  const newestMs = newestOf(all, ({ kind }) => kind.startsWith('report'));
  return [[...all], all.filter(({ fact, times }) => fact.kind !== 'report as desired' || times.atMs === newestMs)];
};

test.for([
  ['comes and goes', comingAndGoing, async () => openStore()],
  ['answers a change', answering, openAskedStore],
] as const)(
  'a gateway that %s: facts that are shuffled, repeated and taken by workers that die lead to the state in time order',
  campaign,
  async ([, sequences, open], context) => {
    const property = fc.asyncProperty(sequences, fc.nat(), async (facts, orderSeed) => {
      const all = timed(facts);
      const store = await open();
      await tellInAnyOrder(store, all, seededNumbers(orderSeed));
      const reached = await readAll(store);
      const possible = await Promise.all(
        possibleOrders(all).map(async (order) => {
          const reference = await open();
          await tellInOrder(reference, order);
          return readAll(reference);
        }),
      );
      expect(possible).toContainEqual(reached);
      const removedAtMs = newestOf(all, ({ kind }) => kind === 'removed');
      for (const [what, atMs] of Object.entries(reached.times)) expect(atMs, what).toBeGreaterThan(removedAtMs);
    });
    await playRounds(context, { test: 1, seconds: 25, full: 400 }, (seed) =>
      fc.assert(property, { seed, numRuns: 100 }),
    );
  },
);
