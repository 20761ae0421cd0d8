import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type ServedTables, UserFacingError } from 'serve-stack';
import { clientConfigOf } from 'serve-stack/dynamodb';
import { readJsonIfWhole } from 'serve-stack/host';
import type { ApplianceFunction } from '../../lambdas/api/schemas/gateway.ts';
import type { TableName } from '../../lambdas/api/tables.ts';
import { circuitItemKey, holidayItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { energyOfMonth } from '../../lambdas/data/appliances/energy.ts';
import { describeGateway, reportFacts } from '../../lambdas/data/appliances/gateways.ts';
import { hoursOfDay } from '../../lambdas/data/appliances/hourly-energy.ts';
import { reportMeasurements } from '../../lambdas/data/appliances/measurements.ts';
import { report } from '../../lambdas/data/appliances/reports.ts';
import { timeProgramItemKey } from '../../lambdas/data/appliances/time-programs.ts';
import { createStore, type Store } from '../../lambdas/data/store/store.ts';
import type { FactTimes } from '../../lambdas/domain/appliance.ts';
import { addDays } from '../../lambdas/domain/energy.ts';
import { blockFacts, connectivityFacts } from '../../lambdas/domain/gateway.ts';
import { usableMeasurements } from '../../lambdas/domain/measurement.ts';
import { toDate } from '../../lambdas/domain/time.ts';
import {
  type ApplianceState,
  type CircuitState,
  installedAppliance,
  reconnectedAppliance,
} from '../../simulator/appliance-state.ts';
import { energyInHour, energyOn, hourAt, unreportedDays, unreportedHours } from '../../simulator/energy-use.ts';
import type { ApplianceProfile } from '../../simulator/factory-settings.ts';
import { descriptionOf } from '../../simulator/full-report.ts';
import { measured, reportsMeasurements } from '../../simulator/measured.ts';
import { settingsOf } from '../../simulator/simulated-appliance.ts';

/** The store of the demo world: the template's tables, accessed without the functions' roles, as an operator would. */
type DemoStore = { readonly store: Store; readonly close: () => void };

export const openDemoStore = ({ endpoint, names }: ServedTables): DemoStore => {
  const client = new DynamoDBClient(clientConfigOf(endpoint));
  return { store: createStore(client, tableNameIn(names)), close: () => client.destroy() };
};

const tableNameIn = (names: ServedTables['names']) => (table: TableName) => {
  const name = names[table];
  if (name !== undefined) return name;
  throw new UserFacingError(`The template has no table ${table}, which lambdas/api/tables.ts declares.`);
};

/** How long ago an offline appliance last reported. */
const silentForMs = 3 * 3_600_000;

/**
 * Writes an appliance that has just reported everything, or that did so before it went offline. This runs before the stack is
 * served, like an operator's import; later reports come through the queue.
 */
export const installAppliance = async (
  store: Store,
  appliance: ApplianceProfile,
  nowMs: number,
): Promise<ApplianceState> => {
  const { gatewayId, isOffline } = appliance;
  const state = installedAppliance(appliance, nowMs);
  const atMs = isOffline ? nowMs - silentForMs : nowMs;
  const times = { atMs, receivedAtMs: nowMs };
  await describeGateway(store, descriptionOf(appliance, state), times);
  const connectivity = isOffline ? 'offline' : 'online';
  await Promise.all([
    reportFacts(store, gatewayId, connectivityFacts(connectivity, atMs), times),
    ...(state.holiday ? [report(store, holidayItemKey(gatewayId), { reported: state.holiday.content }, times)] : []),
    ...state.circuits.map((circuit) => installCircuit(store, gatewayId, circuit, times)),
  ]);
  await installEnergy(store, appliance, state, times);
  if (reportsMeasurements(appliance))
    await reportMeasurements(store, gatewayId, usableMeasurements(measured(state, atMs), atMs).usable, times);
  for (const [name, block] of Object.entries(state.blocks))
    await reportFacts(store, gatewayId, blockFacts(name as ApplianceFunction, block), times);
  return state;
};

const installCircuit = async (
  store: Store,
  gatewayId: string,
  { family, circuitId, reported, timePrograms }: CircuitState,
  times: FactTimes,
) => {
  await Promise.all([
    report(store, circuitItemKey(gatewayId, family, circuitId), { ids: { circuitId }, reported }, times),
    ...timePrograms.map(({ timeProgramId, content }) => {
      const key = timeProgramItemKey(gatewayId, family, circuitId, timeProgramId);
      return report(store, key, { ids: { timeProgramId }, reported: content }, times);
    }),
  ]);
};

/** Days of energy of a fleet home: few, so that hundreds of homes are installed quickly. */
const quietDays = 3;

/** Writes the days and hours of energy that the appliance has reported so far. */
const installEnergy = async (
  store: Store,
  { isQuiet, isEventful }: ApplianceProfile,
  state: ApplianceState,
  times: FactTimes,
): Promise<void> => {
  const { gatewayId } = state;
  const energyOf = (day: string) => energyOn(day, settingsOf(state, isEventful));
  const quietSince = addDays(toDate(times.atMs), -quietDays);
  const days = unreportedDays(isQuiet ? addDays(quietSince, -1) : '', times.atMs).map(energyOf);
  const months = [...Map.groupBy(days, ({ day }) => day.slice(0, 7)).values()];
  const items: Row[] = months.map((daysOfMonth) => energyOfMonth(gatewayId, daysOfMonth, times));
  if (state.hoursReportedUntilMs !== undefined) {
    const starts = unreportedHours(isQuiet ? Date.parse(quietSince) : 0, times.atMs);
    const byDay = [...Map.groupBy(starts, toDate).values()];
    const hoursOf = (startsOfDay: readonly number[]) => startsOfDay.map((startMs) => energyInHour(startMs, energyOf));
    items.push(...byDay.map((startsOfDay) => hoursOfDay(gatewayId, hoursOf(startsOfDay), times)));
    state.hoursReportedUntilMs = hourAt(times.atMs);
  }
  await putAll(store, 'Appliances', items);
};

export type Row = Record<string, unknown>;

/** Returns all rows of a gateway. */
export const readRows = async (store: Store, gatewayId: string): Promise<Row[]> => {
  const { Items = [] } = await store.send(
    new QueryCommand({
      TableName: store.tableName('Appliances'),
      ConsistentRead: true,
      KeyConditionExpression: 'gatewayId = :gatewayId',
      ExpressionAttributeValues: { ':gatewayId': gatewayId },
    }),
  );
  return Items;
};

/** DynamoDB's maximum for one BatchWriteItem call. */
const batchSize = 25;

/** Puts rows, overwriting any that exist. */
export const putAll = async (store: Store, table: TableName, rows: readonly Row[]): Promise<void> => {
  const name = store.tableName(table);
  const batches = Array.from({ length: Math.ceil(rows.length / batchSize) }, (_, batch) =>
    rows.slice(batch * batchSize, (batch + 1) * batchSize).map((Item) => ({ PutRequest: { Item } })),
  );
  // Sequential: with many concurrent calls, a slow DynamoDB Local times out waiting for its lock and fails the last ones.
  for (const requests of batches) {
    let left: typeof requests | undefined = requests;
    while (left) {
      const { UnprocessedItems } = await store.send(new BatchWriteCommand({ RequestItems: { [name]: left } }));
      left = UnprocessedItems?.[name] as typeof requests | undefined;
    }
  }
};

/** Returns the file where a run that keeps its data stores the states of the appliances. */
export const appliancesFileIn = (directory: string): string => join(directory, 'appliances.json');

/** Returns the appliances as the last run left them; an empty list if the file cannot be read. */
export const keptAppliancesIn = (directory: string): readonly ApplianceState[] =>
  (readJsonIfWhole<ApplianceState[]>(appliancesFileIn(directory)) ?? []).map(reconnectedAppliance);
