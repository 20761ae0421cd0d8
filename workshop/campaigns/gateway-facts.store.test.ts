import { isDeepStrictEqual } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { readGateways, readShadows } from '../../lambdas/data/appliances/appliances.ts';
import { readEnergy } from '../../lambdas/data/appliances/energy.ts';
import { readHours } from '../../lambdas/data/appliances/hourly-energy.ts';
import { readMeasurements } from '../../lambdas/data/appliances/measurements.ts';
import { requestChange } from '../../lambdas/data/appliances/requested-changes.ts';
import type { Gateway } from '../../lambdas/domain/appliance.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { campaign, playRounds, size } from '../../test/support/campaign.ts';
import { below, randomNumbers } from '../../test/support/random.ts';
import { operatorActOn } from '../../test/support/store.ts';
import { openWorld, startMs } from '../../test/support/world.ts';
import { deliver } from './deliver-facts.ts';
import {
  applyFact,
  asked,
  askedItem,
  comingAndGoing,
  desiredValue,
  type Fact,
  fold,
  keyOf,
  possibleStates,
  type State,
  shown,
} from './gateway-facts.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const factsPerGateway = 20;
/** Per round. */
const gateways = size({ test: 2, prove: 4 });
const workers = 16;

const times = Array.from({ length: factsPerGateway }, (_, index) => startMs + 1000 * (index + 1));

/** Creates a gateway with an open change at version 3. */
const installAsked = async (gatewayId: string): Promise<State> => {
  const { store } = world;
  const described = { gatewayId, atMs: startMs - 2, kind: 'described', name: 'Home', circuitIds: ['hc1'] } as const;
  await applyFact(store, described);
  await applyFact(store, { gatewayId, atMs: startMs - 1, kind: 'report', item: askedItem, value: 0 });
  const begin = fold([described, { gatewayId, atMs: startMs - 1, kind: 'report', item: askedItem, value: 0 }], {
    gateway: undefined,
    items: {},
    energy: {},
    measured: {},
  });
  const key = keyOf(gatewayId, askedItem);
  for (const value of [7, desiredValue]) {
    const [gateway] = (await readGateways(store, [gatewayId])) as [Gateway];
    const [item] = await readShadows(store, gatewayId);
    const change = {
      gateway,
      uses: 'heatingCircuits',
      key,
      values: { value },
      ifMatch: [],
      permittedSinceMs: 0,
      target: { gatewayId },
    } as const;
    if (item) await requestChange(store, operatorActOn('acme'), { ...change, item });
  }
  return { ...begin, items: { [key.sk]: { value: 0, reportedAtMs: startMs - 1, isPending: true } } };
};

const read = async (gatewayId: string) => {
  const [gateway] = await readGateways(world.store, [gatewayId]);
  const shadows = await readShadows(world.store, gatewayId);
  const items = shadows.map(({ sk, reported, reportedAtMs, desired, lastRefusal }) => [
    sk,
    {
      value: (reported as { value: number }).value,
      reportedAtMs,
      isPending: desired !== undefined,
      ...(lastRefusal && { refusedAtMs: lastRefusal.atMs }),
    },
  ]);
  const days = await readEnergy(world.store, gatewayId, { from: '2036-01-01', to: '2036-12-31' });
  const hours = await readHours(world.store, gatewayId, { fromMs: startMs - 86_400_000, toMs: startMs });
  const energy = Object.fromEntries([
    ...days.map(({ day, heating }) => [day, heating.heatKwh] as const),
    ...hours.map((hour) => [toTimestamp(hour.startMs), hour.heating.heatKwh] as const),
  ]);
  const measurements = Object.entries(await readMeasurements(world.store, gatewayId));
  const measured = Object.fromEntries(measurements.map(([key, { atMs }]) => [key.trimEnd(), atMs]));
  // Reports received since the gateway's removal stay hidden until its next description.
  if (!gateway) return { gateway, items: {}, energy: {}, measured: {} };
  // `connectivitySinceMs` depends on the order of arrival: it is the time of the first report that arrived.
  const { connectivitySinceMs: _, ...others } = gateway;
  return { gateway: others, items: Object.fromEntries(items), energy, measured };
};

test(
  `${gateways * factsPerGateway} facts, shuffled, repeated, workers killed: the state is that in time order, but for a confirmation that was overtaken`,
  campaign,
  async (context) => {
    const total = { facts: 0, deliveries: 0, kills: 0, open: 0 };
    await playRounds(context, { test: 1, seconds: 45, full: 125 }, async (seed, round) => {
      const random = randomNumbers(seed);
      const empty: State = { gateway: undefined, items: {}, energy: {}, measured: {} };
      const all = await Promise.all(
        Array.from({ length: gateways }, async (_, index) => {
          const gatewayId = `gw-${round}-${index}`;
          const isAsked = index % 2 === 0;
          const begin = isAsked ? await installAsked(gatewayId) : empty;
          const facts = (isAsked ? asked : comingAndGoing)(random, gatewayId, times);
          return { gatewayId, begin, facts };
        }),
      );
      const deliveries = all
        .flatMap(({ facts }) => facts)
        .flatMap((fact) => Array.from<Fact>({ length: 1 + below(random, 3) }).fill(fact))
        .map((fact) => ({ fact, place: random() }))
        .toSorted((one, other) => one.place - other.place)
        .map(({ fact }) => fact);
      const { kills } = await deliver(world.store, deliveries, { workers, random });
      for (const { gatewayId, begin, facts } of all) {
        const reached = await read(gatewayId);
        const [inOrder, overtaken] = possibleStates(facts, begin).map((state) => shown(gatewayId, state));
        expect([inOrder, overtaken], JSON.stringify(facts)).toContainEqual(reached);
        if (!isDeepStrictEqual(inOrder, overtaken)) total.open++;
      }
      total.facts += gateways * factsPerGateway;
      total.deliveries += deliveries.length;
      total.kills += kills;
    });
    await context.annotate(
      `${total.facts} facts, ${total.deliveries} deliveries, ${total.kills} kills, ${total.open} confirmations that the order decides, 0 wrong`,
    );
  },
);
