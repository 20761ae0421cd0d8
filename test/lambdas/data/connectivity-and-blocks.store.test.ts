import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { applianceFunctions } from '../../../lambdas/api/schemas/gateway.ts';
import { gatewayItemKey, readGateways } from '../../../lambdas/data/appliances/appliances.ts';
import { describeGateway, removeGateway, reportFacts } from '../../../lambdas/data/appliances/gateways.ts';
import { requestChange } from '../../../lambdas/data/appliances/requested-changes.ts';
import { blockAt } from '../../../lambdas/domain/appliance.ts';
import { faultFactName } from '../../../lambdas/domain/fault.ts';
import { blockFactName, blockFacts, connectivityFacts } from '../../../lambdas/domain/gateway.ts';
import { factTimesAt, installGateway, openCircuitScene, readStored } from '../../support/appliance.ts';
import { operatorActOn, overtakenBy, setAttributes } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const gatewayOf = async (gatewayId: string) => {
  const [gateway] = await readGateways(world.store, [gatewayId]);
  if (!gateway) throw new Error(`${gatewayId} is not there.`);
  return gateway;
};

const faultName = faultFactName({ code: '__proto__', componentId: null });

test.each(['connectivity', 'lastSeen', ...applianceFunctions.map(blockFactName), faultName])(
  'a report of %s counts only if it is newer than the last removal and the stored report',
  async (name) => {
    const { gatewayId } = await installGateway(world.store);
    await setAttributes(world.store, 'Appliances', gatewayItemKey(gatewayId), { removedAtMs: startMs + 5 });
    const outcomes: string[] = [];
    for (const afterMs of [4, 5, 6, 6, 5, 7])
      outcomes.push(
        (await reportFacts(world.store, gatewayId, { [name]: {} }, factTimesAt(startMs + afterMs))).outcome,
      );
    expect(outcomes).toEqual(['stale', 'stale', 'applied', 'stale', 'stale', 'applied']);
  },
);

describe('connectivity', () => {
  /** Reports the connectivity at a time after `startMs`; the gateway was last seen at the other time. */
  const openScene = async () => {
    const { gatewayId } = await installGateway(world.store);
    return {
      reportConnectivity: async (
        connectivity: 'online' | 'offline',
        afterMs: number,
        seenAfterMs: number,
        by = world.store,
      ) => {
        const facts = connectivityFacts(connectivity, startMs + seenAfterMs);
        return (await reportFacts(by, gatewayId, facts, factTimesAt(startMs + afterMs))).outcome;
      },
      shown: async () => {
        const { connectivity, lastSeenAtMs } = await gatewayOf(gatewayId);
        return [connectivity, lastSeenAtMs - startMs];
      },
    };
  };

  test('changes even if the last-seen time is not newer; that time never decreases', async () => {
    const { reportConnectivity, shown } = await openScene();
    await reportConnectivity('online', 5, 5);
    expect(await reportConnectivity('offline', 9, 5)).toBe('applied');
    expect(await shown()).toEqual(['offline', 5]);
    expect(await reportConnectivity('online', 10, 2)).toBe('applied');
    expect(await shown()).toEqual(['online', 5]);
  });

  test('stays if an older report has a later last-seen time', async () => {
    const { reportConnectivity, shown } = await openScene();
    await reportConnectivity('offline', 9, 1);
    expect(await reportConnectivity('online', 8, 8)).toBe('applied');
    expect(await shown()).toEqual(['offline', 8]);
    expect(await reportConnectivity('online', 8, 8)).toBe('stale');
  });

  test('stays if a report of the same time has a later last-seen time', async () => {
    const { reportConnectivity, shown } = await openScene();
    await reportConnectivity('offline', 9, 1);
    expect(await reportConnectivity('online', 9, 2)).toBe('applied');
    expect(await shown()).toEqual(['offline', 2]);
  });

  test('is stale if a concurrent report has stored the same last-seen time', async () => {
    const { reportConnectivity, shown } = await openScene();
    await reportConnectivity('offline', 9, 1);
    const overtaken = overtakenBy(world.store, () => reportConnectivity('online', 7, 5), 2, UpdateCommand);
    expect(await reportConnectivity('online', 8, 5, overtaken)).toBe('stale');
    expect(await shown()).toEqual(['offline', 5]);
  });
});

describe('the time since when a gateway has been online or offline', () => {
  type Reported = readonly [connectivity: 'online' | 'offline', afterMs: number];

  test.each<[string, Reported[], number | null]>([
    ['is null without a report', [], null],
    ['is the time of the only report', [['online', 5]], 5],
    [
      'is kept by repeated reports',
      [
        ['online', 5],
        ['online', 3_600_005],
        ['online', 7_200_005],
      ],
      5,
    ],
    [
      'is the time of the last change',
      [
        ['online', 5],
        ['online', 6],
        ['offline', 7],
        ['offline', 9],
      ],
      7,
    ],
    [
      'is the time of the change back',
      [
        ['online', 5],
        ['offline', 7],
        ['online', 9],
        ['online', 11],
      ],
      9,
    ],
    [
      'is not changed by a late report of the same connectivity',
      [
        ['online', 5],
        ['online', 4],
      ],
      5,
    ],
    [
      'is not changed by a late report of the other connectivity',
      [
        ['online', 5],
        ['offline', 4],
        ['online', 6],
      ],
      5,
    ],
    [
      'is kept if the end of an interruption is reported twice',
      [
        ['online', 5],
        ['offline', 7],
        ['online', 9],
        ['online', 9],
      ],
      9,
    ],
  ])('%s', async (_, reports, expected) => {
    const { gatewayId } = await installGateway(world.store, { connectivitySinceMs: null });
    await setAttributes(world.store, 'Appliances', gatewayItemKey(gatewayId), { facts: {} });
    for (const [connectivity, afterMs] of reports) {
      const atMs = startMs + afterMs;
      await reportFacts(world.store, gatewayId, connectivityFacts(connectivity, atMs), factTimesAt(atMs));
    }
    const { connectivitySinceMs } = await gatewayOf(gatewayId);
    expect(connectivitySinceMs && connectivitySinceMs - startMs).toBe(expected);
  });

  test('costs one write and no read, even for a change', async () => {
    const { gatewayId } = await installGateway(world.store);
    for (const [index, connectivity] of (['online', 'offline', 'offline', 'online'] as const).entries()) {
      world.proxy.begin();
      const atMs = startMs + 1 + index;
      await reportFacts(world.store, gatewayId, connectivityFacts(connectivity, atMs), factTimesAt(atMs));
      expect(world.proxy.exchanges.map(({ action }) => action)).toEqual(['UpdateItem']);
    }
  });

  test('is known from the next report on, if it was not known before', async () => {
    const { gatewayId } = await installGateway(world.store, { connectivitySinceMs: null });
    expect((await gatewayOf(gatewayId)).connectivitySinceMs).toBeNull();
    await reportFacts(world.store, gatewayId, connectivityFacts('offline', startMs + 1), factTimesAt(startMs + 1));
    expect((await gatewayOf(gatewayId)).connectivitySinceMs).toBe(startMs + 1);
  });

  test('does not outlive a removal', async () => {
    const { gatewayId } = await installGateway(world.store);
    await describeGateway(world.store, descriptionOf(gatewayId), factTimesAt(startMs + 9));
    await reportFacts(world.store, gatewayId, connectivityFacts('online', startMs + 9), factTimesAt(startMs + 9));
    await removeGateway(world.store, gatewayId, factTimesAt(startMs + 5));
    expect(await gatewayOf(gatewayId)).toMatchObject({ connectivity: 'online', connectivitySinceMs: null });
  });
});

const descriptionOf = (gatewayId: string) => ({
  gatewayId,
  name: 'Cellar',
  type: 'heat-pump',
  components: [],
  circuits: [],
  limits: { maxSwitchPoints: 10, maxSwitchPointsPerDay: 4, switchPointRasterMinutes: 10 },
});

const name = 'heatingCircuits';
const openEnd = { sinceMs: startMs, untilMs: null };

describe('a block', () => {
  test('of one function does not affect another; concurrent reports lose none', async () => {
    const { gatewayId } = await installGateway(world.store);
    await Promise.all(
      applianceFunctions.map((each) =>
        reportFacts(world.store, gatewayId, blockFacts(each, openEnd), factTimesAt(startMs)),
      ),
    );
    const { blocks } = await gatewayOf(gatewayId);
    expect(blocks).toEqual(Object.fromEntries(applianceFunctions.map((each) => [each, openEnd])));
  });

  test('that was lifted refuses no change, whatever was read before', async () => {
    const { gateway, gatewayId, key, stored } = await openCircuitScene(world.store);
    await reportFacts(world.store, gatewayId, blockFacts(name, openEnd), factTimesAt(startMs));
    const request = async (read: typeof gateway) => {
      const target = { gatewayId };
      const change = {
        gateway: read,
        uses: name,
        key,
        item: await stored(),
        values: {},
        ifMatch: [],
        permittedSinceMs: 0,
        target,
      } as const;
      return (await requestChange(world.store, operatorActOn('acme'), change)).outcome;
    };
    expect(await request(gateway)).toBe('appliance-function-blocked');
    await reportFacts(world.store, gatewayId, blockFacts(name), factTimesAt(startMs + 1));
    expect(blockAt(await gatewayOf(gatewayId), name, startMs + 1)).toBeUndefined();
    for (const read of [gateway, await gatewayOf(gatewayId)]) expect(await request(read)).toBe('requested');
  });
});

test('a report of a removed gateway is stale if it is from before the removal, else it may be retried', async () => {
  const { gatewayId } = await installGateway(world.store);
  await removeGateway(world.store, gatewayId, factTimesAt(startMs + 5));
  const results = await Promise.all(
    [4, 5, 6].map((afterMs) =>
      reportFacts(world.store, gatewayId, blockFacts(name, openEnd), factTimesAt(startMs + afterMs)),
    ),
  );
  expect(results.map(({ outcome }) => outcome)).toEqual(['stale', 'stale', 'gateway-not-found']);
  expect(await readStored(world.store, gatewayItemKey(gatewayId))).toBeUndefined();
});
