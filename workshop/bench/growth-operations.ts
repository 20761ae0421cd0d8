import { createApiKey } from '../../lambdas/data/api-keys/api-key-creation.ts';
import { reportEnergy } from '../../lambdas/data/appliances/energy.ts';
import { describeGateway } from '../../lambdas/data/appliances/gateways.ts';
import { reportHour } from '../../lambdas/data/appliances/hourly-energy.ts';
import { reportMeasurements } from '../../lambdas/data/appliances/measurements.ts';
import { grantGateway } from '../../lambdas/data/contracts/grants.ts';
import { openContract } from '../../lambdas/data/contracts/owner-decisions.ts';
import { appendEvents } from '../../lambdas/data/feed/append.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { addDays } from '../../lambdas/domain/energy.ts';
import { usableMeasurements } from '../../lambdas/domain/measurement.ts';
import { toDate, toTimestamp } from '../../lambdas/domain/time.ts';
import { listApiKeys } from '../../lambdas/handlers/api-keys.ts';
import { getHeatingCircuit, listHeatingCircuits, listHeatingTimePrograms } from '../../lambdas/handlers/circuits.ts';
import { listContracts } from '../../lambdas/handlers/contract.ts';
import { listEvents } from '../../lambdas/handlers/events.ts';
import {
  getEnergy,
  getGateway,
  getHourlyEnergy,
  getMeasurements,
  listGateways,
} from '../../lambdas/handlers/gateways.ts';
import { factTimesAt } from '../../test/support/appliance.ts';
import { companyEvents, upTo } from '../../test/support/feed.ts';
import { operatorActOn } from '../../test/support/store.ts';
import { benchEnvironment, callOf, type prepareContract, putHome } from './bench-company.ts';

/** A company with a contract, of which each size of a subject gets its own. */
export type Scene = { readonly store: Store; readonly company: Awaited<ReturnType<typeof prepareContract>> };

type Handler = Parameters<typeof callOf>[0];

/** Does the work once, at a time; resolves to the bytes that it answers, takes in or sends to several feeds. */
export type Work = (nowMs: number) => Promise<number>;

/** What grows, by which sizes, and how its work is prepared for a size. */
export type Subject = {
  readonly what: string;
  readonly sizes?: readonly number[];
  readonly prepare: (scene: Scene, size: number) => Promise<Work>;
};

export const dayMs = 86_400_000;
export const beginMs = Date.now() - 2 * dayMs;
/** When all homes were installed and granted. */
const installedMs = beginMs - 400 * dayMs;

export const gatewayOf = ({ company }: Scene, number = 1): string => `${company.companyId}-gw${number}`;

const ask = ({ store, company }: Scene, handler: Handler, more: object = {}): Work => {
  const environment = benchEnvironment(store);
  return async (nowMs) => bytesOf((await callOf(handler, environment, { ...company, ...more, nowMs })).body);
};

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

type InstalledHome = { readonly heating?: number; readonly timePrograms?: number };

type AskedHome = InstalledHome & {
  readonly query?: object;
  readonly circuitId?: string;
};

/** Installs a home, and grants it to the company. */
export const installHome = async (scene: Scene, { heating = 1, timePrograms = 1 }: InstalledHome = {}) => {
  const gatewayId = gatewayOf(scene);
  await grantGateway(scene.store, scene.company, gatewayId, installedMs);
  await putHome(scene.store, gatewayId, { heating, dhw: 0, timePrograms, switchPoints: 28 }, beginMs);
};

/** Installs a home; returns the work of a call for it. */
const askHome = async (
  scene: Scene,
  handler: Handler,
  { query = {}, circuitId, ...home }: AskedHome,
): Promise<Work> => {
  await installHome(scene, home);
  return ask(scene, handler, {
    pathParameters: { gatewayId: gatewayOf(scene), ...(circuitId && { circuitId }) },
    query,
  });
};

export const grantGateways = async (scene: Scene, count: number): Promise<void> => {
  for (const number of upTo(count))
    await grantGateway(scene.store, scene.company, gatewayOf(scene, number), installedMs);
};

/** Operations by what their answers or their owners have. */
export const operations: readonly Subject[] = [
  {
    what: 'getHeatingCircuit, by gateways of the owner',
    prepare: async (scene, size) => {
      await grantGateways(scene, size);
      return askHome(scene, getHeatingCircuit, { circuitId: 'c1' });
    },
  },
  {
    what: 'listGateways, by gateways of the owner',
    prepare: async (scene, size) => {
      await grantGateways(scene, size);
      for (const number of upTo(size))
        await putHome(
          scene.store,
          gatewayOf(scene, number),
          { heating: 0, dhw: 0, timePrograms: 0, switchPoints: 0 },
          beginMs,
        );
      return ask(scene, listGateways, { query: { limit: '100' } });
    },
  },
  {
    what: 'listHeatingCircuits, by circuits',
    sizes: [1, 10, 40],
    prepare: (scene, heating) => askHome(scene, listHeatingCircuits, { heating, timePrograms: 0 }),
  },
  {
    what: 'listHeatingTimePrograms, by time programs',
    sizes: [1, 10, 20],
    prepare: (scene, timePrograms) => askHome(scene, listHeatingTimePrograms, { timePrograms, circuitId: 'c1' }),
  },
  {
    what: 'getGateway with its home, by circuits with two time programs',
    sizes: [1, 10, 40],
    prepare: (scene, heating) =>
      askHome(scene, getGateway, { heating, timePrograms: 2, query: { include: 'circuits,timePrograms' } }),
  },
  {
    what: 'getEnergy, by days',
    sizes: [1, 10, 100],
    prepare: async (scene, size) => {
      const to = toDate(beginMs - dayMs);
      const work = await askHome(scene, getEnergy, { query: { from: addDays(to, 1 - size), to } });
      await reportDays(scene, to, size);
      return work;
    },
  },
  {
    what: 'getHourlyEnergy, by hours',
    // Less than the hours of seven days, since the calls are later than the reports.
    sizes: [1, 24, 160],
    prepare: async (scene, size) => {
      const work = await askHome(scene, getHourlyEnergy, { query: { from: hourBefore(size), to: hourBefore(0) } });
      await reportHours(scene, hourBefore(1), size);
      return work;
    },
  },
  {
    what: 'getMeasurements, by measurements',
    sizes: [1, 10, 50],
    prepare: async (scene, size) => {
      const work = await askHome(scene, getMeasurements, {});
      await measure(scene, size);
      return work;
    },
  },
  {
    what: 'listContracts, by owners',
    prepare: async (scene, size) => {
      for (const number of upTo(size - 1))
        await openContract(scene.store, operatorActOn(scene.company.companyId, beginMs), { userId: `owner-${number}` });
      return ask(scene, listContracts, { query: { limit: '100' } });
    },
  },
  {
    what: 'listApiKeys, by keys',
    sizes: [1, 10],
    prepare: async (scene, size) => {
      for (const _ of upTo(size - 1)) await createApiKey(scene.store, operatorActOn(scene.company.companyId, beginMs));
      return ask(scene, listApiKeys);
    },
  },
  {
    what: 'listEvents, by events of a page',
    prepare: async (scene, size) => {
      await appendEvents(scene.store, scene.company.companyId, companyEvents(size), beginMs);
      return ask(scene, listEvents, { query: { limit: '100' } });
    },
  },
];

const hourMs = 3_600_000;

/** Returns the start of the hour this many hours before the one of the beginning. */
const hourBefore = (hours: number): string => toTimestamp(beginMs - (beginMs % hourMs) - hours * hourMs);

/** Stores as many hours of energy, the last of which begins at the given time. */
export const reportHours = async (scene: Scene, last: string, count: number): Promise<void> => {
  const gatewayId = gatewayOf(scene);
  await describeGateway(scene.store, { gatewayId }, factTimesAt(installedMs));
  for (const number of upTo(count)) {
    const start = toTimestamp(Date.parse(last) + (number - count) * hourMs);
    await reportHour(scene.store, gatewayId, { start, heating: { heatKwh: 1.234 } }, factTimesAt(beginMs));
  }
};

/** Stores as many measurements. */
export const measure = async (scene: Scene, count: number): Promise<void> => {
  const gatewayId = gatewayOf(scene);
  await describeGateway(scene.store, { gatewayId }, factTimesAt(installedMs));
  const { usable } = usableMeasurements(measurementsUpTo(count), beginMs);
  await reportMeasurements(scene.store, gatewayId, usable, factTimesAt(beginMs));
};

/** Returns as many measurements as reports have them, with names of the usual length. */
export const measurementsUpTo = (count: number) =>
  upTo(count).map((number) => ({ name: `flowTemperature${number}`, componentId: '1', value: 34.1, unit: 'celsius' }));

/** Stores as many days of energy, the last of which is the given one. */
export const reportDays = async (scene: Scene, last: string, count: number): Promise<void> => {
  const gatewayId = gatewayOf(scene);
  await describeGateway(scene.store, { gatewayId }, factTimesAt(installedMs));
  for (const number of upTo(count)) {
    const report = { day: addDays(last, number - count), heating: { heatKwh: 12.3 } };
    await reportEnergy(scene.store, gatewayId, report as never, factTimesAt(beginMs));
  }
};
