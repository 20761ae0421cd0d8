import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { applianceFunctions } from '../../../lambdas/api/schemas/gateway.ts';
import { gatewayItemKey, readGateways } from '../../../lambdas/data/appliances/appliances.ts';
import { removeGateway, reportFacts } from '../../../lambdas/data/appliances/gateways.ts';
import { requestChange } from '../../../lambdas/data/appliances/requested-changes.ts';
import { blockAt } from '../../../lambdas/domain/appliance.ts';
import { blockFactName, blockFacts, connectivityFacts } from '../../../lambdas/domain/gateway.ts';
import { installGateway, openCircuitScene, readStored, toldAt } from '../../support/appliance.ts';
import { overtakenBy } from '../../support/store.ts';
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
    await world.store.send(
      new UpdateCommand({
        TableName: world.store.tableName('Appliances'),
        Key: gatewayItemKey(gatewayId),
        UpdateExpression: 'SET removedAtMs = :at',
        ExpressionAttributeValues: { ':at': startMs + 5 },
      }),
    );
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

  test('is that of the newest report; of equal times the first one stays', async () => {
    const { tell, shown } = await openScene();
    expect(await tell('offline', 3, 1)).toBe('applied');
    expect(await tell('online', 3, 1)).toBe('stale');
    expect(await tell('online', 2, 1)).toBe('stale');
    expect(await shown()).toEqual(['offline', 1]);
    expect(await tell('online', 4, 4)).toBe('applied');
    expect(await shown()).toEqual(['online', 4]);
  });

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

describe('a block', () => {
  const name = 'heatingCircuits';
  const openEnd = { sinceMs: startMs, untilMs: null };
  const openScene = async () => {
    const { gatewayId } = await installGateway(world.store);
    return {
      gatewayId,
      block: async (block: typeof openEnd | { sinceMs: number; untilMs: number }, afterMs: number) =>
        (await reportFacts(world.store, gatewayId, blockFacts(name, block), toldAt(startMs + afterMs))).outcome,
      unblock: async (afterMs: number) =>
        (await reportFacts(world.store, gatewayId, blockFacts(name), toldAt(startMs + afterMs))).outcome,
      blocks: async () => (await gatewayOf(gatewayId)).blocks,
    };
  };

  test('is ordered by its report, not by its begin: a later report shortens it or begins it earlier', async () => {
    const { block, blocks } = await openScene();
    const shorter = { sinceMs: startMs - 5000, untilMs: startMs + 1000 };
    expect(await block(openEnd, 2)).toBe('applied');
    expect(await block(shorter, 1)).toBe('stale');
    expect(await block(shorter, 2)).toBe('stale');
    expect(await blocks()).toEqual({ heatingCircuits: openEnd });
    expect(await block(shorter, 3)).toBe('applied');
    expect(await blocks()).toEqual({ heatingCircuits: shorter });
  });

  test('is lifted early, and an earlier report of it does not bring it back', async () => {
    const { block, unblock, blocks } = await openScene();
    await block(openEnd, 1);
    expect(await unblock(3)).toBe('applied');
    expect(await blocks()).toEqual({});
    expect(await block(openEnd, 2)).toBe('stale');
    expect(await block(openEnd, 3)).toBe('stale');
    expect(await blocks()).toEqual({});
    expect(await block(openEnd, 4)).toBe('applied');
    expect(await unblock(4)).toBe('stale');
    expect(await blocks()).toEqual({ heatingCircuits: openEnd });
  });

  test('that is lifted before it is reported was never there', async () => {
    const { block, unblock, blocks } = await openScene();
    expect(await unblock(2)).toBe('applied');
    expect(await block(openEnd, 1)).toBe('stale');
    expect(await blocks()).toEqual({});
  });

  test('of one function says nothing of another; reports at once lose none', async () => {
    const { gatewayId, blocks } = await openScene();
    const names = ['heatingCircuits', 'heatingTimePrograms', 'dhwCircuits', 'dhwTimePrograms'] as const;
    await Promise.all(
      names.map((each) => reportFacts(world.store, gatewayId, blockFacts(each, openEnd), toldAt(startMs))),
    );
    expect(await blocks()).toEqual(Object.fromEntries(names.map((each) => [each, openEnd])));
  });

  test('that was lifted refuses no change, whether it was read or met while the change is stored', async () => {
    const { gateway, gatewayId, key, stored } = await openCircuitScene(world.store);
    await reportFacts(world.store, gatewayId, blockFacts(name, openEnd), toldAt(startMs));
    const request = async (read: typeof gateway) => {
      const auditContext = { companyId: 'acme', nowMs: startMs, requestId: 'r', operation: 'test', actorKey: null };
      const target = { gatewayId };
      const change = { gateway: read, uses: name, key, item: await stored(), values: {}, ifMatch: [], target } as const;
      return (await requestChange(world.store, auditContext, change)).outcome;
    };
    expect(await request(gateway)).toBe('appliance-function-blocked');
    await reportFacts(world.store, gatewayId, blockFacts(name), toldAt(startMs + 1));
    expect(blockAt(await gatewayOf(gatewayId), name, startMs + 1)).toBeUndefined();
    for (const read of [gateway, await gatewayOf(gatewayId)]) expect(await request(read)).toBe('requested');
  });
});

describe('of a gateway that is not there', () => {
  const gatewayId = 'unknown';
  const facts = {
    connectivity: (id: string, atMs: number) =>
      reportFacts(world.store, id, connectivityFacts('online', atMs), toldAt(atMs)),
    block: (id: string, atMs: number) =>
      reportFacts(world.store, id, blockFacts('dhwCircuits', { sinceMs: atMs, untilMs: null }), toldAt(atMs)),
    unblock: (id: string, atMs: number) => reportFacts(world.store, id, blockFacts('dhwCircuits'), toldAt(atMs)),
  };

  test.each(Object.entries(facts))('%s creates nothing, and may come again', async (_, tell) => {
    expect(await tell(gatewayId, startMs)).toEqual({ outcome: 'gateway-not-found' });
    expect(await readStored(world.store, gatewayItemKey(gatewayId))).toBeUndefined();
  });

  test.each(Object.entries(facts))(
    '%s is stale if it is from before the removal, else it may come again',
    async (_, tell) => {
      const { gatewayId: removed } = await installGateway(world.store);
      await removeGateway(world.store, removed, toldAt(startMs + 5));
      for (const atMs of [startMs + 4, startMs + 5]) expect(await tell(removed, atMs)).toEqual({ outcome: 'stale' });
      expect(await tell(removed, startMs + 6)).toEqual({ outcome: 'gateway-not-found' });
      expect(await readStored(world.store, gatewayItemKey(removed))).toBeUndefined();
    },
  );
});
