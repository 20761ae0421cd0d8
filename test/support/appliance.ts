import { randomUUID } from 'node:crypto';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { FamilyName } from '../../lambdas/api/endpoints/circuit-endpoints.ts';
import { type ApplianceFunction, applianceFeatures } from '../../lambdas/api/schemas/gateway.ts';
import {
  type ApplianceItemKey,
  circuitItemKey,
  gatewayItemKey,
  holidayItemKey,
  readShadows,
  toCircuit,
} from '../../lambdas/data/appliances/appliances.ts';
import { inventoryItemKey } from '../../lambdas/data/appliances/inventory.ts';
import { report } from '../../lambdas/data/appliances/reports.ts';
import { requestChange } from '../../lambdas/data/appliances/requested-changes.ts';
import { timeProgramItemKey } from '../../lambdas/data/appliances/time-programs.ts';
import { grantGateway } from '../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Circuit, FactTimes, Gateway, Shadow } from '../../lambdas/domain/appliance.ts';
import { faultFactName } from '../../lambdas/domain/fault.ts';
import { blockFactName, sinceFactName } from '../../lambdas/domain/gateway.ts';
import { operatorActOn } from './store.ts';
import { partiesOf, putAtOnce, startMs } from './world.ts';

export const reportedCircuits = {
  heating: {
    operationMode: 'auto',
    roomTemperatureCelsius: 20.5,
    roomSetpointCelsius: 21,
    supplyTemperatureCelsius: 38,
    activeTimeProgramId: '1',
  },
  dhw: { operationMode: 'auto', waterTemperatureCelsius: 52, waterSetpointCelsius: 55, activeTimeProgramId: '1' },
} as const;

export const reportedProgram = {
  name: 'Weekdays',
  switchPoints: [{ dayOfWeek: 'monday', time: '06:00', setpoint: 'comfort' }],
};

/** The times of a report that is sent at the moment of the change. */
export const factTimesAt = (atMs: number): FactTimes => ({ atMs, receivedAtMs: atMs });

const families: FamilyName[] = ['heating', 'dhw'];
const circuitIds = ['c1', 'c2'];
const timeProgramIds = ['1', '2'];

/** Creates a gateway with two circuits of each family, two time programs each and no holiday, all reported an hour ago. */
export const installGateway = async (store: Store, overrides: Partial<Gateway> = {}): Promise<Gateway> => {
  const gateway: Gateway = {
    gatewayId: `gw-${randomUUID()}`,
    name: 'Cellar',
    type: 'heat-pump',
    connectivity: 'online',
    connectivitySinceMs: startMs - 86_400_000,
    lastSeenAtMs: startMs,
    components: [{ componentId: '1', type: 'boiler', model: 'B-100' }],
    limits: { maxSwitchPoints: 10, maxSwitchPointsPerDay: 4, switchPointRasterMinutes: 10 },
    features: [...applianceFeatures],
    blocks: {},
    faults: [],
    timeZone: null,
    ...overrides,
  };
  const { gatewayId } = gateway;
  const standing = { reportedAtMs: describedAtMs, receivedAtMs: describedAtMs, version: 1 };
  await putAtOnce(store, async (collector) => {
    await putGateway(collector, gateway);
    await putInventory(collector, gateway);
    if (gateway.features.includes('holidays'))
      await putShadow(collector, holidayItemKey(gatewayId), {}, { reported: { holiday: null }, ...standing });
    for (const family of families)
      for (const circuitId of circuitIds) {
        const circuitKey = circuitItemKey(gatewayId, family, circuitId);
        await putShadow(collector, circuitKey, { circuitId }, { reported: reportedCircuits[family], ...standing });
        for (const timeProgramId of timeProgramIds) {
          const programKey = timeProgramItemKey(gatewayId, family, circuitId, timeProgramId);
          await putShadow(collector, programKey, { timeProgramId }, { reported: reportedProgram, ...standing });
        }
      }
  });
  return gateway;
};

/** Lets the gateway confirm all requested changes. */
export const fulfilChanges = async (store: Store, gatewayId: string, atMs: number): Promise<void> => {
  for (const { sk, version, reported, desired } of await readShadows(store, gatewayId)) {
    const given = { reported: { ...reported, ...desired }, fulfilsVersion: version };
    if (desired) await report(store, { gatewayId, sk }, given, factTimesAt(atMs));
  }
};

/** Writes a gateway as its backend would leave it. Every report after `describedAtMs` is newer. */
export const putGateway = async (
  store: Store,
  { blocks, faults, connectivity, connectivitySinceMs, lastSeenAtMs, ...plate }: Gateway,
): Promise<void> => {
  const times = factTimesAt(describedAtMs);
  const item = {
    ...gatewayItemKey(plate.gatewayId),
    ...plate,
    describedAtMs,
    removedAtMs: 0,
    receivedAtMs: describedAtMs,
    facts: {
      connectivity: { ...times, connectivity },
      ...(connectivitySinceMs !== null && { [sinceFactName(connectivity)]: factTimesAt(connectivitySinceMs) }),
      lastSeen: { ...times, atMs: lastSeenAtMs },
      ...Object.fromEntries(
        Object.entries(blocks).map(([name, block]) => [
          blockFactName(name as ApplianceFunction),
          { ...times, ...block },
        ]),
      ),
      ...Object.fromEntries(faults.map((fault) => [faultFactName(fault), { ...times, ...fault }])),
    },
  };
  await store.send(new PutCommand({ TableName: store.tableName('Appliances'), Item: item }));
};

const describedAtMs = startMs - 3_600_000;

const putInventory = async (store: Store, { gatewayId, features }: Gateway): Promise<void> => {
  const absentAtMs = Object.fromEntries([
    ...(features.includes('holidays') ? [[holidayItemKey(gatewayId).sk, 0]] : []),
    ...families.flatMap((family) =>
      circuitIds.flatMap((circuitId) => [
        [circuitItemKey(gatewayId, family, circuitId).sk, 0],
        ...timeProgramIds.map((id) => [timeProgramItemKey(gatewayId, family, circuitId, id).sk, 0]),
      ]),
    ),
  ]);
  const item = {
    ...inventoryItemKey(gatewayId),
    describedAtMs,
    removedAtMs: 0,
    absentAtMs,
    lastVersion: 0,
    revision: 1,
  };
  await store.send(new PutCommand({ TableName: store.tableName('Appliances'), Item: item }));
};

/** Overwrites a circuit or a time program, without requested changes. */
export const putShadow = async (
  store: Store,
  key: ApplianceItemKey,
  ids: Readonly<Record<string, string>>,
  { reported, reportedAtMs, receivedAtMs, version }: Shadow,
): Promise<void> => {
  const item = { ...key, ...ids, reported, reportedAtMs, receivedAtMs, version };
  await store.send(new PutCommand({ TableName: store.tableName('Appliances'), Item: item }));
};

/** Does the same, and adds the gateway to the contract of a company. */
export const installGrantedGateway = async (
  store: Store,
  companyId: string,
  overrides: Partial<Gateway> = {},
): Promise<Gateway> => {
  const gateway = await installGateway(store, overrides);
  await grantGateway(store, partiesOf(companyId), gateway.gatewayId, startMs);
  return gateway;
};

/** Reads an item as it is stored; undefined if it does not exist. */
export const readStored = async (store: Store, key: ApplianceItemKey): Promise<Record<string, unknown> | undefined> => {
  // DynamoDB Local always reads consistently. A ConsistentRead here would count as a mutant of the module under test.
  const { Item } = await store.send(new GetCommand({ TableName: store.tableName('Appliances'), Key: key }));
  return Item;
};

/** Creates a heating circuit that was reported an hour before `startMs`, with functions that report it and change it. */
export const openCircuitScene = async (store: Store) => {
  const gateway = await installGateway(store);
  const { gatewayId } = gateway;
  const key = circuitItemKey(gatewayId, 'heating', 'c1');
  const ids = { circuitId: 'c1' };
  const stored = async () => toCircuit<'heating'>((await readStored(store, key)) ?? {});
  return {
    gateway,
    gatewayId,
    key,
    ids,
    stored,
    /** Reports the given number of milliseconds after `startMs`. */
    report: async (reported: object, afterMs: number, fulfilsVersion?: number, by: Store = store) =>
      (await report(by, key, { ids, reported, fulfilsVersion }, factTimesAt(startMs + afterMs))).outcome,
    /** Requests a change of the current circuit, and returns the changed one. */
    change: async (values: Circuit<'heating'>['desired'] & object, nowMs = startMs) => {
      const { outcome } = await requestChange(store, operatorActOn('acme', nowMs), {
        gateway,
        uses: 'heatingCircuits',
        key,
        item: await stored(),
        values,
        ifMatch: [],
        permittedSinceMs: 0,
        target: { gatewayId },
      });
      if (outcome !== 'requested') throw new Error(`The change was not stored: ${outcome}`);
      return stored();
    },
  };
};
