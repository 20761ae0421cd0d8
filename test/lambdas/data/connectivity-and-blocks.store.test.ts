import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { applianceFunctions } from '../../../lambdas/api/schemas/gateway.ts';
import { gatewayItemKey, readGateways } from '../../../lambdas/data/appliances/appliances.ts';
import { removeGateway, reportFacts } from '../../../lambdas/data/appliances/gateways.ts';
import { requestChange } from '../../../lambdas/data/appliances/requested-changes.ts';
import { blockAt } from '../../../lambdas/domain/appliance.ts';
import { blockFactName, blockFacts, connectivityFacts } from '../../../lambdas/domain/gateway.ts';
import { installGateway, openCircuitScene, readStored, toldAt } from '../../support/appliance.ts';
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

test.each(['connectivity', 'lastSeen', ...applianceFunctions.map(blockFactName)])(
  'of what is told as %s, only what is newer than the last removal, and than what is known of it, counts',
  async (name) => {
    const { gatewayId } = await installGateway(world.store);
    await setAttributes(world.store, 'Appliances', gatewayItemKey(gatewayId), { removedAtMs: startMs + 5 });
    const outcomes: string[] = [];
    for (const afterMs of [4, 5, 6, 6, 5, 7])
      outcomes.push((await reportFacts(world.store, gatewayId, { [name]: {} }, toldAt(startMs + afterMs))).outcome);
    expect(outcomes).toEqual(['stale', 'stale', 'applied', 'stale', 'stale', 'applied']);
  },
);

describe('connectivity', () => {
  /** Reports what was so at a time after `startMs`; the gateway was last seen at the other. */
  const openScene = async () => {
    const { gatewayId } = await installGateway(world.store);
    return {
      tell: async (connectivity: 'online' | 'offline', afterMs: number, seenAfterMs: number, by = world.store) => {
        const facts = connectivityFacts(connectivity, startMs + seenAfterMs);
        return (await reportFacts(by, gatewayId, facts, toldAt(startMs + afterMs))).outcome;
      },
      shown: async () => {
        const { connectivity, lastSeenAtMs } = await gatewayOf(gatewayId);
        return [connectivity, lastSeenAtMs - startMs];
      },
    };
  };

  test('changes also where the time at which the gateway was last seen is not new, which only grows', async () => {
    const { tell, shown } = await openScene();
    await tell('online', 5, 5);
    expect(await tell('offline', 9, 5)).toBe('applied');
    expect(await shown()).toEqual(['offline', 5]);
    expect(await tell('online', 10, 2)).toBe('applied');
    expect(await shown()).toEqual(['online', 5]);
  });

  test('stays where an older report knows a later time at which the gateway was seen', async () => {
    const { tell, shown } = await openScene();
    await tell('offline', 9, 1);
    expect(await tell('online', 8, 8)).toBe('applied');
    expect(await shown()).toEqual(['offline', 8]);
    expect(await tell('online', 8, 8)).toBe('stale');
  });

  test('stays where a report of the same time knows a later time at which the gateway was seen', async () => {
    const { tell, shown } = await openScene();
    await tell('offline', 9, 1);
    expect(await tell('online', 9, 2)).toBe('applied');
    expect(await shown()).toEqual(['offline', 2]);
  });

  test('is stale where somebody else tells the same sighting at the same moment', async () => {
    const { tell, shown } = await openScene();
    await tell('offline', 9, 1);
    const overtaken = overtakenBy(world.store, () => tell('online', 7, 5), 2, UpdateCommand);
    expect(await tell('online', 8, 5, overtaken)).toBe('stale');
    expect(await shown()).toEqual(['offline', 5]);
  });
});

const name = 'heatingCircuits';
const openEnd = { sinceMs: startMs, untilMs: null };

describe('a block', () => {
  test('of one function says nothing of another; reports at once lose none', async () => {
    const { gatewayId } = await installGateway(world.store);
    await Promise.all(
      applianceFunctions.map((each) => reportFacts(world.store, gatewayId, blockFacts(each, openEnd), toldAt(startMs))),
    );
    const { blocks } = await gatewayOf(gatewayId);
    expect(blocks).toEqual(Object.fromEntries(applianceFunctions.map((each) => [each, openEnd])));
  });

  test('that was lifted refuses no change, whether it was read or met while the change is stored', async () => {
    const { gateway, gatewayId, key, stored } = await openCircuitScene(world.store);
    await reportFacts(world.store, gatewayId, blockFacts(name, openEnd), toldAt(startMs));
    const request = async (read: typeof gateway) => {
      const target = { gatewayId };
      const change = { gateway: read, uses: name, key, item: await stored(), values: {}, ifMatch: [], target } as const;
      return (await requestChange(world.store, operatorActOn('acme'), change)).outcome;
    };
    expect(await request(gateway)).toBe('appliance-function-blocked');
    await reportFacts(world.store, gatewayId, blockFacts(name), toldAt(startMs + 1));
    expect(blockAt(await gatewayOf(gatewayId), name, startMs + 1)).toBeUndefined();
    for (const read of [gateway, await gatewayOf(gatewayId)]) expect(await request(read)).toBe('requested');
  });
});

test('what is told of a gateway that was removed is stale if it is from before the removal, else it may come again', async () => {
  const { gatewayId } = await installGateway(world.store);
  await removeGateway(world.store, gatewayId, toldAt(startMs + 5));
  const told = await Promise.all(
    [4, 5, 6].map((afterMs) =>
      reportFacts(world.store, gatewayId, blockFacts(name, openEnd), toldAt(startMs + afterMs)),
    ),
  );
  expect(told.map(({ outcome }) => outcome)).toEqual(['stale', 'stale', 'gateway-not-found']);
  expect(await readStored(world.store, gatewayItemKey(gatewayId))).toBeUndefined();
});
