import { randomUUID } from 'node:crypto';
import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { circuitItemKey, gatewayItemKey, readGateways } from '../../../lambdas/data/appliances/appliances.ts';
import { describeGateway, removeGateway, reportFacts } from '../../../lambdas/data/appliances/gateways.ts';
import { inventoryItemKey } from '../../../lambdas/data/appliances/inventory.ts';
import { report } from '../../../lambdas/data/appliances/reports.ts';
import { requestChange } from '../../../lambdas/data/appliances/requested-changes.ts';
import { timeProgramItemKey } from '../../../lambdas/data/appliances/time-programs.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import type { Circuit } from '../../../lambdas/domain/appliance.ts';
import { blockFacts, connectivityFacts } from '../../../lambdas/domain/gateway.ts';
import { factTimesAt, readStored } from '../../support/appliance.ts';
import { consistencyOf, operatorActOn, overtakenBy } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const plate = {
  name: 'Cellar',
  type: 'heat-pump',
  components: [{ componentId: '1', type: 'boiler', model: 'B-100' }],
  limits: { maxSwitchPoints: 10, maxSwitchPointsPerDay: 4, switchPointRasterMinutes: 10 },
};

/** A gateway without any event so far; times are milliseconds after `startMs`. */
const openScene = () => {
  const gatewayId = `gw-${randomUUID()}`;
  const keyOf = (circuitId: string) => circuitItemKey(gatewayId, 'heating', circuitId);
  return {
    gatewayId,
    keyOf,
    describes: async (at: number, circuitIds: readonly string[], name = plate.name, by: Store = world.store) => {
      const circuits = circuitIds.map((circuitId) => ({
        family: 'heating' as const,
        circuitId,
        timeProgramIds: ['1'],
      }));
      return (await describeGateway(by, { ...plate, gatewayId, name, circuits }, factTimesAt(startMs + at))).outcome;
    },
    removes: async (at: number, by: Store = world.store) =>
      (await removeGateway(by, gatewayId, factTimesAt(startMs + at))).outcome,
    reports: async (circuitId: string, at: number, by: Store = world.store) => {
      const times = factTimesAt(startMs + at);
      return (await report(by, keyOf(circuitId), { ids: { circuitId }, reported: { at } }, times)).outcome;
    },
    connects: (at: number) =>
      reportFacts(world.store, gatewayId, connectivityFacts('online', startMs + at), factTimesAt(startMs + at)),
    blocks: (at: number) =>
      reportFacts(
        world.store,
        gatewayId,
        blockFacts('dhwCircuits', { sinceMs: startMs + at, untilMs: null }),
        factTimesAt(startMs + at),
      ),
    gateway: async () => (await readGateways(world.store, [gatewayId]))[0],
    circuit: (circuitId: string) => readStored(world.store, keyOf(circuitId)),
    /** Requests a change of the circuit in its current state. */
    change: async (circuitId: string) => {
      const [gateway] = await readGateways(world.store, [gatewayId]);
      const item = (await readStored(world.store, keyOf(circuitId))) as Circuit | undefined;
      if (!gateway || !item) throw new Error('There is nothing to change.');
      return requestChange(world.store, operatorActOn('acme'), {
        gateway,
        uses: 'heatingCircuits',
        key: keyOf(circuitId),
        item,
        values: { operationMode: 'off' },
        ifMatch: [],
        permittedSinceMs: 0,
        target: { gatewayId },
      });
    },
  };
};

describe('a description', () => {
  test('creates a gateway that is offline, last seen when it was described, and not blocked', async () => {
    const { gatewayId, describes, gateway } = openScene();
    expect(await describes(1, ['hc1'])).toBe('applied');
    expect(await gateway()).toEqual({
      gatewayId,
      ...plate,
      connectivity: 'offline',
      connectivitySinceMs: null,
      lastSeenAtMs: startMs + 1,
      blocks: {},
      features: [],
      circuitLimits: {},
      circulations: {},
      faults: [],
      timeZone: null,
    });
  });

  test('sets the known features of the appliance; a description without features removes them', async () => {
    const { gatewayId, describes, gateway } = openScene();
    const features = ['dhwOverrides', 'timeTravel', 'heatingOverrides'];
    await describeGateway(world.store, { ...plate, gatewayId, circuits: [], features }, factTimesAt(startMs + 1));
    expect(await gateway()).toMatchObject({ features: ['heatingOverrides', 'dhwOverrides'] });
    await describes(2, []);
    expect(await gateway()).toMatchObject({ features: [] });
  });

  test('replaces an older one, and keeps blocks, connectivity and open changes; else it is stale', async () => {
    const { describes, reports, connects, blocks, change, gateway, circuit } = openScene();
    await describes(1, ['hc1']);
    await Promise.all([reports('hc1', 2), connects(2), blocks(2)]);
    await change('hc1');
    const before = await circuit('hc1');
    expect(await describes(5, ['hc1'], 'Attic')).toBe('applied');
    for (const at of [4, 5]) expect(await describes(at, ['hc1'], 'Stale')).toBe('stale');
    expect(await gateway()).toMatchObject({
      name: 'Attic',
      connectivity: 'online',
      lastSeenAtMs: startMs + 2,
      blocks: { dhwCircuits: { untilMs: null } },
    });
    expect(await circuit('hc1')).toEqual(before);
    expect(before).toHaveProperty('desired');
  });

  test('deletes unlisted items and their time programs unless reported since; company rows stay', async () => {
    const { gatewayId, keyOf, describes, reports, circuit } = openScene();
    const programKey = timeProgramItemKey(gatewayId, 'heating', 'hc1', '1');
    const reverse = { gatewayId, sk: 'COMPANY#acme', reportedAtMs: 0, version: 1 };
    await world.store.send(new PutCommand({ TableName: world.store.tableName('Appliances'), Item: reverse }));
    await describes(1, ['hc1', 'hc2', 'hc3', 'hc4']);
    for (const [circuitId, at] of Object.entries({ hc1: 2, hc2: 5, hc3: 6, hc4: 2 })) await reports(circuitId, at);
    await report(world.store, programKey, { ids: { timeProgramId: '1' }, reported: {} }, factTimesAt(startMs + 2));
    await describes(5, ['hc4']);
    const left = await Promise.all([keyOf('hc1'), programKey, keyOf('hc2')].map((key) => readStored(world.store, key)));
    expect(left).toEqual([undefined, undefined, undefined]);
    for (const circuitId of ['hc3', 'hc4']) expect(await circuit(circuitId)).toBeDefined();
    expect(await readStored(world.store, { gatewayId, sk: 'COMPANY#acme' })).toEqual(reverse);
  });

  test('that arrives late deletes what it did not list, and earlier reports create nothing', async () => {
    const { describes, reports, circuit } = openScene();
    await describes(5, ['hc1']);
    await reports('hc1', 2);
    expect(await describes(3, [])).toBe('stale');
    expect(await circuit('hc1')).toBeUndefined();
    for (const at of [2, 3]) expect(await reports('hc1', at)).toBe('stale');
    expect(await reports('hc1', 4)).toBe('applied');
  });

  test('completes at its next delivery what an interrupted one has left', async () => {
    const { describes, reports, circuit } = openScene();
    await describes(1, ['hc1']);
    await reports('hc1', 2);
    // It fails after the write of the inventory.
    const killed = async (command: object, ...rest: never[]) => {
      if (command instanceof QueryCommand) throw new Error('Killed.');
      return world.store.send(command as never, ...rest);
    };
    const dying = { ...world.store, send: killed as Store['send'] };
    await expect(describes(5, [], plate.name, dying)).rejects.toThrow('Killed.');
    expect(await circuit('hc1')).toBeDefined();
    expect(await describes(5, [])).toBe('stale');
    expect(await circuit('hc1')).toBeUndefined();
  });
});

describe('a deleted item', () => {
  test('continues its versions when it returns, so that old confirmations and messages do not match', async () => {
    const { describes, removes, reports, change, circuit } = openScene();
    await describes(1, ['hc1']);
    await reports('hc1', 2);
    await change('hc1');
    await describes(3, []);
    await reports('hc1', 4);
    expect(await circuit('hc1')).toMatchObject({ version: 3 });
    expect(await circuit('hc1')).not.toHaveProperty('desired');
    await removes(5);
    await describes(6, ['hc1']);
    await reports('hc1', 7);
    expect(await circuit('hc1')).toMatchObject({ version: 4 });
  });

  test('also counts a change that was requested during its deletion', async () => {
    const { describes, reports, change, circuit } = openScene();
    await describes(1, ['hc1']);
    await reports('hc1', 2);
    // After the transaction of the description itself.
    const overtaken = overtakenBy(world.store, () => change('hc1'), 2);
    await describes(3, [], plate.name, overtaken);
    expect(await circuit('hc1')).toBeUndefined();
    await reports('hc1', 4);
    expect(await circuit('hc1')).toMatchObject({ version: 3 });
  });

  test('stays if it is reported again during its deletion', async () => {
    const { describes, reports, circuit } = openScene();
    await describes(1, ['hc1']);
    await reports('hc1', 2);
    const overtaken = overtakenBy(world.store, () => reports('hc1', 4), 2);
    await describes(3, [], plate.name, overtaken);
    expect(await circuit('hc1')).toMatchObject({ reported: { at: 4 }, version: 1 });
  });
});

describe('a removal', () => {
  test('deletes the gateway and everything that it has, and leaves a tombstone for 60 days', async () => {
    const { gatewayId, describes, removes, reports, gateway, circuit } = openScene();
    await describes(1, ['hc1']);
    await reports('hc1', 2);
    expect(await removes(2)).toBe('applied');
    expect([await gateway(), await circuit('hc1')]).toEqual([undefined, undefined]);
    const removeAt = Math.ceil((startMs + 2) / 1000) + 60 * 86_400;
    expect(await readStored(world.store, inventoryItemKey(gatewayId))).toMatchObject({ removeAt });
    expect(await removes(2)).toBe('stale');
    expect(await removes(1)).toBe('stale');
  });

  test('that arrives first is stored: older events do not create the gateway, newer ones do', async () => {
    const { gatewayId, describes, removes, reports, gateway, circuit } = openScene();
    expect(await removes(3)).toBe('applied');
    for (const at of [2, 3]) {
      expect(await describes(at, ['hc1'])).toBe('stale');
      expect(await reports('hc1', at)).toBe('stale');
    }
    expect(await reports('hc1', 4)).toBe('gateway-not-found');
    expect(await gateway()).toBeUndefined();
    expect(await describes(4, ['hc1'])).toBe('applied');
    for (const at of [2, 3]) expect(await reports('hc1', at)).toBe('stale');
    expect(await circuit('hc1')).toBeUndefined();
    expect(await reports('hc1', 4)).toBe('applied');
    expect(await readStored(world.store, inventoryItemKey(gatewayId))).not.toHaveProperty('removeAt');
  });

  test('keeps later facts for the next description of the gateway', async () => {
    const { describes, removes, connects, blocks, gateway } = openScene();
    await describes(1, []);
    await connects(5);
    // A fact that arrives during the removal.
    const overtaken = overtakenBy(world.store, () => blocks(6));
    await removes(3, overtaken);
    await removes(4);
    await describes(9, []);
    expect(await gateway()).toMatchObject({
      connectivity: 'online',
      lastSeenAtMs: startMs + 5,
      blocks: { dhwCircuits: { sinceMs: startMs + 6 } },
    });
  });

  test('that arrives late deletes only earlier items and facts of a gateway that was installed again', async () => {
    const { gatewayId, describes, removes, reports, connects, blocks, gateway, circuit } = openScene();
    await describes(5, ['hc1', 'hc2']);
    await Promise.all([reports('hc1', 2), reports('hc2', 4), connects(2), blocks(2)]);
    expect(await removes(3)).toBe('applied');
    expect(await gateway()).toMatchObject({
      name: 'Cellar',
      connectivity: 'offline',
      lastSeenAtMs: startMs + 5,
      blocks: {},
    });
    expect(await circuit('hc1')).toBeUndefined();
    expect(await circuit('hc2')).toBeDefined();
    expect(await blocks(2)).toEqual({ outcome: 'stale' });
    const times = { describedAtMs: startMs + 5, removedAtMs: startMs + 3, receivedAtMs: startMs + 3 };
    expect(await readStored(world.store, gatewayItemKey(gatewayId))).toMatchObject({ ...times, facts: {} });
  });

  test('that arrives late, and that a newer fact overtakes, keeps this fact', async () => {
    const { describes, removes, connects, blocks, gateway } = openScene();
    await describes(9, []);
    await connects(2);
    const overtaken = overtakenBy(world.store, () => blocks(5));
    await removes(3, overtaken);
    expect(await gateway()).toMatchObject({
      connectivity: 'offline',
      blocks: { dhwCircuits: { sinceMs: startMs + 5 } },
    });
  });
});

describe('concurrent descriptions, removals and first reports', () => {
  test('a description that a removal overtakes is stale', async () => {
    const { describes, removes, gateway } = openScene();
    const overtaken = overtakenBy(world.store, () => removes(2));
    expect(await describes(1, [], plate.name, overtaken)).toBe('stale');
    expect(await gateway()).toBeUndefined();
  });

  test('a first report that a removal overtakes creates nothing', async () => {
    const { describes, removes, reports, circuit } = openScene();
    await describes(1, ['hc1']);
    const overtaken = overtakenBy(world.store, () => removes(3));
    expect(await reports('hc1', 2, overtaken)).toBe('stale');
    expect(await circuit('hc1')).toBeUndefined();
  });

  test('they read everything strongly consistent', async () => {
    const { describes, reports, removes } = openScene();
    const reads = await consistencyOf(async () => {
      await describes(1, ['hc1']);
      await reports('hc1', 2);
      await removes(3);
    });
    const write = false;
    const [ofDescription, ofReport] = [
      [true, write, true, true, true],
      [write, true, write],
    ];
    const ofRemoval = [true, true, write, true, true, true, write, write, true];
    expect(reads).toEqual([...ofDescription, ...ofReport, ...ofRemoval]);
  });
});
