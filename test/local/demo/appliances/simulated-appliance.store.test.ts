import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { heatingCircuitBody, timeProgramBody } from '../../../../lambdas/answers/circuit.ts';
import type { ApplianceFunction } from '../../../../lambdas/api/schemas/gateway.ts';
import {
  circuitItemKey,
  listCircuits,
  listTimePrograms,
  readGateways,
  timeProgramItemKey,
} from '../../../../lambdas/data/appliances/appliances.ts';
import { requestChange } from '../../../../lambdas/data/appliances/requested-changes.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import type { Gateway } from '../../../../lambdas/domain/appliances/appliance.ts';
import { installAppliance } from '../../../../local/demo/appliances/appliance-installation.ts';
import type { DemoAppliance } from '../../../../local/demo/appliances/demo-appliances.ts';
import { fulfilAfterMs } from '../../../../local/demo/appliances/requested-change-watch.ts';
import {
  blockDurationMs,
  blockPauseMs,
  createSimulatedAppliance,
  reportIntervalMs,
} from '../../../../local/demo/appliances/simulated-appliance.ts';
import { openWorld, startMs } from '../../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** An appliance that nobody else has, as it stands at `startMs`. */
const install = async (peculiarities: Partial<DemoAppliance> = {}) => {
  const appliance = { gatewayId: `gw-${randomUUID()}`, name: 'Home', ...peculiarities };
  await installAppliance(world.store, appliance, startMs);
  return appliance;
};

const startAppliance = async (peculiarities: Partial<DemoAppliance> = {}) => {
  const appliance = await install(peculiarities);
  return { ...appliance, step: createSimulatedAppliance(world.store, appliance) };
};

const gatewayOf = async (gatewayId: string) => (await readGateways(world.store, [gatewayId]))[0] as Gateway;

const circuitOf = async (gatewayId: string) => {
  const { circuits } = await listCircuits(world.store, { gatewayId, family: 'heating' as const }, 1);
  if (!circuits[0]) throw new Error(`${gatewayId} has no heating circuit.`);
  return circuits[0];
};

const programOf = async (gatewayId: string) => {
  const { programs } = await listTimePrograms(
    world.store,
    { gatewayId, family: 'heating' as const, circuitId: 'hc1' },
    1,
  );
  if (!programs[0]) throw new Error(`${gatewayId} has no time program.`);
  return programs[0];
};

const auditContext = () => ({
  companyId: 'acme',
  nowMs: startMs,
  requestId: randomUUID(),
  operation: 'change',
  actorKey: null,
});

const change = async (
  gatewayId: string,
  values: Record<string, unknown>,
  uses: ApplianceFunction = 'heatingCircuits',
) => {
  const isProgram = uses === 'heatingTimePrograms';
  const { outcome } = await requestChange(world.store, auditContext(), {
    gateway: await gatewayOf(gatewayId),
    uses,
    key: isProgram ? timeProgramItemKey(gatewayId, 'heating', 'hc1', '1') : circuitItemKey(gatewayId, 'heating', 'hc1'),
    item: isProgram ? await programOf(gatewayId) : await circuitOf(gatewayId),
    values,
    ifMatch: [],
    target: { gatewayId },
  });
  return outcome;
};

describe('a change', () => {
  test('is seen, takes a moment, and is then what the appliance reports', async () => {
    const { gatewayId, step } = await startAppliance();
    await change(gatewayId, { roomSetpointCelsius: 23 });
    await step(startMs + 100);
    await step(startMs + 100 + fulfilAfterMs - 1);
    const pending = await circuitOf(gatewayId);
    expect(heatingCircuitBody(pending)).toMatchObject({ state: 'pending', roomSetpointCelsius: 23, version: 2 });
    expect(pending.reported.roomSetpointCelsius).toBe(21);
    await step(startMs + 100 + fulfilAfterMs);
    const confirmed = await circuitOf(gatewayId);
    expect(heatingCircuitBody(confirmed)).toMatchObject({ state: 'confirmed', roomSetpointCelsius: 23, version: 2 });
    expect(confirmed).toMatchObject({
      reported: { roomSetpointCelsius: 23 },
      reportedAtMs: startMs + 100 + fulfilAfterMs,
    });
  });

  test('for a time program likewise', async () => {
    const { gatewayId, step } = await startAppliance();
    await change(gatewayId, { name: 'Empty', switchPoints: [] }, 'heatingTimePrograms');
    await step(startMs + 1);
    expect(timeProgramBody(await programOf(gatewayId))).toMatchObject({ state: 'pending', name: 'Empty' });
    await step(startMs + 1 + fulfilAfterMs);
    const { reported, desired } = await programOf(gatewayId);
    expect({ reported, desired }).toEqual({ reported: { name: 'Empty', switchPoints: [] }, desired: undefined });
  });

  test('that follows another has its own moment, and both are fulfilled', async () => {
    const { gatewayId, step } = await startAppliance();
    await change(gatewayId, { roomSetpointCelsius: 23 });
    await step(startMs + 1);
    await change(gatewayId, { operationMode: 'manual' });
    await step(startMs + 1 + fulfilAfterMs);
    expect(heatingCircuitBody(await circuitOf(gatewayId))).toMatchObject({ state: 'pending' });
    await step(startMs + 1 + 2 * fulfilAfterMs);
    expect(heatingCircuitBody(await circuitOf(gatewayId))).toMatchObject({
      state: 'confirmed',
      roomSetpointCelsius: 23,
      operationMode: 'manual',
      version: 3,
    });
  });

  test('that arrives while an older one is being confirmed is kept, and confirmed in its turn', async () => {
    const appliance = await install();
    const { gatewayId } = appliance;
    let interrupt: (() => Promise<unknown>) | undefined;
    const step = createSimulatedAppliance(
      interruptedBeforeWrites(() => interrupt?.()),
      appliance,
    );
    await change(gatewayId, { roomSetpointCelsius: 23 });
    await step(startMs + 1);
    interrupt = () => change(gatewayId, { roomSetpointCelsius: 19 });
    await step(startMs + 1 + fulfilAfterMs);
    interrupt = undefined;
    expect(heatingCircuitBody(await circuitOf(gatewayId))).toMatchObject({ state: 'pending', roomSetpointCelsius: 19 });
    await step(startMs + 2 + fulfilAfterMs);
    await step(startMs + 2 + 2 * fulfilAfterMs);
    expect(heatingCircuitBody(await circuitOf(gatewayId))).toMatchObject({
      state: 'confirmed',
      roomSetpointCelsius: 19,
    });
  });

  test('outlives the run that it was made in', async () => {
    const appliance = await install();
    const { gatewayId } = appliance;
    await change(gatewayId, { roomSetpointCelsius: 23 });
    await createSimulatedAppliance(world.store, appliance)(startMs + 1);
    const next = createSimulatedAppliance(world.store, appliance);
    const dayLaterMs = startMs + 86_400_000;
    await next(dayLaterMs);
    await next(dayLaterMs + fulfilAfterMs);
    expect(heatingCircuitBody(await circuitOf(gatewayId))).toMatchObject({
      state: 'confirmed',
      roomSetpointCelsius: 23,
    });
  });
});

/** The store, but something happens before each single write. */
const interruptedBeforeWrites = (interrupt: () => Promise<unknown> | undefined): Store => {
  const send = async (command: Parameters<typeof world.store.send>[0]) => {
    if (command instanceof UpdateCommand) await interrupt();
    return world.store.send(command);
  };
  return { ...world.store, send: send as Store['send'] };
};

describe('reports', () => {
  test('come every so often, each a little further, in the gateway’s name', async () => {
    const { gatewayId, step } = await startAppliance();
    const rooms: unknown[] = [];
    for (const sinceMs of [reportIntervalMs - 1, reportIntervalMs, 2 * reportIntervalMs - 1, 2 * reportIntervalMs]) {
      await step(startMs + sinceMs);
      rooms.push((await circuitOf(gatewayId)).reported.roomTemperatureCelsius);
    }
    expect(rooms).toEqual([20.4, 20.6, 20.6, 20.8]);
    const { circuits } = await listCircuits(world.store, { gatewayId, family: 'dhw' }, 1);
    expect(circuits[0]).toMatchObject({ reported: { waterTemperatureCelsius: 48.3 }, reportedAtMs: startMs + 20_000 });
    expect(await gatewayOf(gatewayId)).toMatchObject({ connectivity: 'online', lastSeenAtMs: startMs + 20_000 });
  });

  test('follow the time program that the appliance has taken over, not the one that is desired', async () => {
    const { gatewayId, step } = await startAppliance();
    await change(gatewayId, { name: 'Off', switchPoints: offAllWeek }, 'heatingTimePrograms');
    await step(startMs + reportIntervalMs);
    expect((await circuitOf(gatewayId)).reported.roomTemperatureCelsius).toBe(20.6);
    await step(startMs + reportIntervalMs + fulfilAfterMs);
    await step(startMs + 2 * reportIntervalMs);
    expect((await circuitOf(gatewayId)).reported.roomTemperatureCelsius).toBe(20.5);
  });

  test('take up the time that nobody was there', async () => {
    const { gatewayId, step } = await startAppliance();
    await step(startMs + 8 * 3_600_000);
    expect((await circuitOf(gatewayId)).reported.roomTemperatureCelsius).toBe(21);
  });

  test('that are older than what is known change nothing', async () => {
    const { gatewayId, step } = await startAppliance();
    await step(startMs + 3 * reportIntervalMs);
    const [gateway, circuit] = [await gatewayOf(gatewayId), await circuitOf(gatewayId)];
    await step(startMs + 2 * reportIntervalMs);
    expect([await gatewayOf(gatewayId), await circuitOf(gatewayId)]).toEqual([gateway, circuit]);
  });

  test('of an open sensor stay open', async () => {
    const { gatewayId, step } = await startAppliance({ openRoomSensorIn: 'hc1' });
    await step(startMs + reportIntervalMs);
    const circuit = await circuitOf(gatewayId);
    expect(circuit).toMatchObject({ reported: { roomTemperatureCelsius: -3276.8 }, reportedAtMs: startMs + 10_000 });
    expect(heatingCircuitBody(circuit)).toMatchObject({ roomTemperatureCelsius: null });
  });
});

const offAllWeek = [{ dayOfWeek: 'monday', time: '00:00', setpoint: 'off' }];

test('an appliance that is offline takes changes and never says a word', async () => {
  const { gatewayId, step } = await startAppliance({ isOffline: true });
  expect(await change(gatewayId, { roomSetpointCelsius: 23 })).toBe('requested');
  const [gateway, circuit] = [await gatewayOf(gatewayId), await circuitOf(gatewayId)];
  expect(gateway.connectivity).toBe('offline');
  expect(gateway.lastSeenAtMs).toBeLessThan(startMs);
  for (const sinceMs of [1, fulfilAfterMs + 1, reportIntervalMs]) await step(startMs + sinceMs);
  expect([await gatewayOf(gatewayId), await circuitOf(gatewayId)]).toEqual([gateway, circuit]);
});

describe('a block', () => {
  test('has a known end and stands until then; another follows, not before a client could keep its appointment', async () => {
    const { gatewayId, step } = await startAppliance({ blocks: ['heatingTimePrograms', 'dhwTimePrograms'] });
    const blocks = async (nowMs: number) => {
      await step(nowMs);
      return (await gatewayOf(gatewayId)).blocks;
    };
    const first = { sinceMs: startMs, untilMs: startMs + blockDurationMs };
    const againMs = first.untilMs + blockPauseMs;
    const second = { sinceMs: againMs, untilMs: againMs + blockDurationMs };
    const both = (block: typeof first) => ({ heatingTimePrograms: block, dhwTimePrograms: block });
    expect(await blocks(startMs)).toEqual(both(first));
    expect(await blocks(first.untilMs - 1)).toEqual(both(first));
    expect(await blocks(againMs - 1)).toEqual(both(first));
    expect(await blocks(againMs)).toEqual(both(second));
  });

  test('refuses what it covers and nothing else', async () => {
    const { gatewayId, step } = await startAppliance({ blocks: ['heatingTimePrograms'] });
    await step(startMs);
    const refused = await change(gatewayId, { name: 'Off', switchPoints: offAllWeek }, 'heatingTimePrograms');
    expect(refused).toBe('appliance-function-blocked');
    expect(await change(gatewayId, { roomSetpointCelsius: 23 })).toBe('requested');
  });
});

test('an appliance that the table does not know yet is left alone', async () => {
  await createSimulatedAppliance(world.store, { gatewayId: 'gw-new', name: 'New' })(startMs);
  expect(await readGateways(world.store, ['gw-new'])).toEqual([]);
});

test('appliances touch the table that a gateway backend would touch, and no other', async () => {
  const { gatewayId, step } = await startAppliance({ blocks: ['dhwTimePrograms'] });
  await change(gatewayId, { roomSetpointCelsius: 23 });
  world.proxy.begin();
  await install();
  for (const sinceMs of [0, fulfilAfterMs, reportIntervalMs]) await step(startMs + sinceMs);
  const touched = world.proxy.exchanges.flatMap(({ input: { TableName, RequestItems, TransactItems = [] } }) => {
    if (TableName) return TableName;
    return RequestItems
      ? Object.keys(RequestItems)
      : TransactItems.map((item: object) => Object.values(item)[0].TableName);
  });
  expect(new Set(touched)).toEqual(new Set([world.store.tableName('Appliances')]));
  const actions = world.proxy.exchanges.map(({ action }) => action);
  expect(new Set(actions)).toEqual(new Set(['BatchGetItem', 'GetItem', 'Query', 'TransactWriteItems', 'UpdateItem']));
});
