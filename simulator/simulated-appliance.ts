import { isDeepStrictEqual } from 'node:util';
import { maxOverrideDays } from '../lambdas/api/limits.ts';
import type { RequestedChangeEvent } from '../lambdas/api/requested-change.ts';
import type { ApplianceFunction } from '../lambdas/api/schemas/gateway.ts';
import { nextSwitchPoint } from '../lambdas/api/schemas/override.ts';
import { levelsApart, levelsTogether } from '../lambdas/domain/level-setpoints.ts';
import { toTimestamp } from '../lambdas/domain/time.ts';
import {
  type ApplianceState,
  blockDurationMs,
  type CircuitState,
  changedItemsOf,
  type ItemState,
  type TimeProgramState,
} from './appliance-state.ts';
import {
  type EnergyOfDay,
  energyInHour,
  energyOn,
  type HomeSettings,
  hourAt,
  reportsOfDay,
  unreportedDays,
  unreportedHours,
} from './energy-use.ts';
import { playEpisodes } from './episodes.ts';
import type { ApplianceProfile } from './factory-settings.ts';
import { type GatewayReport, gatewayReport } from './gateway-report.ts';
import { reportMeasured, reportsMeasurements } from './measured.ts';
import { activeLevel, activePoints, targetOf } from './targets.ts';
import {
  type DhwReport,
  driftDhw,
  driftHeating,
  type HeatingReport,
  type Level,
  nextSwitchMs,
} from './thermal-model.ts';

/** How long an appliance takes to apply a requested change. */
export const fulfilAfterMs = 1000;

/** How often an online appliance reads its sensors. */
const readingIntervalMs = 10_000;

/** A reading is reported when it differs by this much from the last reported one. */
const reportedDifferenceKelvin = 0.5;

/** How often a gateway reports that it is still online. */
export const onlineIntervalMs = 60 * 60_000;

/** How long a function stays free before it is blocked again. */
const blockPauseMs = 60_000;

/** An appliance with its gateway, as the gateway backend sees them. */
export type SimulatedAppliance = {
  readonly state: ApplianceState;
  /** Accepts a requested change; ignores one older than the applied version, and any change while offline. */
  readonly receive: (change: RequestedChangeEvent, nowMs: number) => void;
  /** Does what is due at `nowMs` and returns the reports. */
  readonly step: (nowMs: number) => GatewayReport[];
  /** Returns the energy use of its home on a day, with the current settings. */
  readonly energyOf: (day: string) => EnergyOfDay;
};

export const createSimulatedAppliance = (appliance: ApplianceProfile, state: ApplianceState): SimulatedAppliance => {
  const { isEventful = false, blocks = [] } = appliance;
  const { gatewayId, circuits } = state;
  const receive = ({ data: { item, version, desired, validUntil } }: RequestedChangeEvent, nowMs: number) => {
    const changed = itemIn(state, item);
    if (changed && !state.isOffline) begin(changed, { version, desired, validUntil, dueMs: nowMs + fulfilAfterMs });
  };
  const energyOf = (day: string) => energyOn(day, settingsOf(state, isEventful));
  const step = (nowMs: number) => [
    ...reportOnline(state, nowMs),
    ...reportDays(state, energyOf, nowMs),
    ...reportHours(state, energyOf, nowMs),
    ...(reportsMeasurements(appliance) ? reportMeasured(state, nowMs) : []),
    ...refuseChanges(state, nowMs),
    ...(isEventful ? playEpisodes(state, nowMs) : []),
    ...stepHoliday(state, nowMs),
    ...blocks.flatMap((name) => renewBlock(state, name, nowMs)),
    ...circuits.flatMap((circuit) => [
      ...circuit.timePrograms.flatMap((program) => stepTimeProgram(gatewayId, circuit, program, nowMs)),
      ...stepCircuit(state, circuit, nowMs),
    ]),
  ];
  return { state, receive, step: (nowMs) => (state.isOffline ? [] : step(nowMs)), energyOf };
};

/** Returns the item that a change refers to; undefined if the appliance does not have it. */
const itemIn = ({ circuits, holiday }: ApplianceState, item: RequestedChangeEvent['data']['item']) => {
  if (item.kind === 'holiday') return holiday;
  const circuit = circuits.find(({ family, circuitId }) => family === item.family && circuitId === item.circuitId);
  if (item.kind === 'circuit') return circuit;
  return circuit?.timePrograms.find(({ timeProgramId }) => timeProgramId === item.timeProgramId);
};

/** A repeat of the last applied change is only reported again, without effect: the first report may have been lost. */
const begin = (item: ItemState, change: NonNullable<ItemState['change']>) => {
  if (change.version < Math.max(item.appliedVersion, (item.change?.version ?? 0) + 1)) return;
  item.change = change.version === item.appliedVersion ? { ...change, desired: {} } : change;
};

/**
 * Applies the change if it is due and returns its version. If a value has expired, applies only the others, and returns
 * undefined: the version without that value follows.
 */
const fulfil = (item: ItemState, nowMs: number): number | undefined => {
  const { change } = item;
  if (!change || change.isRefused || nowMs < change.dueMs) return undefined;
  const { version, desired, validUntil = {} } = change;
  const wanted = Object.entries(levelsApart(desired));
  const applied = wanted.filter(([name]) => !(Date.parse(validUntil[name] ?? '') <= nowMs));
  item.content = levelsTogether({ ...item.content, ...Object.fromEntries(applied) });
  item.change = undefined;
  if (applied.length < wanted.length) return undefined;
  item.appliedVersion = version;
  return version;
};

/** Reports each change once as refused while the appliance refuses changes. */
const refuseChanges = (state: ApplianceState, nowMs: number): GatewayReport[] =>
  changedItemsOf(state).flatMap(({ item, change, key }) => {
    if (!state.isRefusing || change.isRefused || nowMs < change.dueMs) return [];
    item.change = { ...change, isRefused: true };
    return [
      gatewayReport('change.refused.v1', state.gatewayId, { item: key, version: change.version, ...refusal }, nowMs),
    ];
  });

const refusal = { reason: 'not-possible-now', detail: 'The appliance is set to refuse changes.' };

const reportOnline = (state: ApplianceState, nowMs: number) => {
  if (nowMs - state.reportedOnlineAtMs < onlineIntervalMs) return [];
  state.reportedOnlineAtMs = nowMs;
  const data = { connectivity: 'online', lastSeenAt: new Date(nowMs).toISOString() } as const;
  return [gatewayReport('gateway.connectivity.v1', state.gatewayId, data, nowMs)];
};

/** Reports each day when it is over; after a pause, reports the missed days. */
const reportDays = (state: ApplianceState, energyOf: SimulatedAppliance['energyOf'], nowMs: number) => {
  const days = unreportedDays(state.energyReportedUntil, nowMs);
  state.energyReportedUntil = days.at(-1) ?? state.energyReportedUntil;
  return days.flatMap((day) => reportsOfDay(state.gatewayId, energyOf(day), nowMs));
};

/** Reports the energy of each hour when it is over, if the appliance reports hours; after a pause, reports the missed hours. */
const reportHours = (state: ApplianceState, energyOf: SimulatedAppliance['energyOf'], nowMs: number) => {
  const { gatewayId, hoursReportedUntilMs } = state;
  if (hoursReportedUntilMs === undefined) return [];
  const starts = unreportedHours(hoursReportedUntilMs, nowMs);
  state.hoursReportedUntilMs = Math.max(hoursReportedUntilMs, hourAt(nowMs));
  return starts.map((startMs) =>
    gatewayReport('hourly-energy.reported.v1', gatewayId, energyInHour(startMs, energyOf), nowMs),
  );
};

/** Returns the settings of a home that determine its energy use. */
export const settingsOf = (
  { circuits }: Pick<ApplianceState, 'circuits'>,
  isEventful: boolean | undefined = false,
): HomeSettings => {
  const heating = circuits.flatMap(({ family, content }) => (family === 'heating' ? [content as HeatingReport] : []));
  return {
    heating,
    hasHotWater: circuits.some(({ family }) => family === 'dhw'),
    canCool: heating.some(({ coolingSetpointCelsius }) => typeof coolingSetpointCelsius === 'number'),
    hasDefrostDays: isEventful,
  };
};

const renewBlock = ({ gatewayId, blocks }: ApplianceState, name: ApplianceFunction, nowMs: number) => {
  if (nowMs < (blocks[name]?.untilMs ?? 0) + blockPauseMs) return [];
  const block = { sinceMs: nowMs, untilMs: nowMs + blockDurationMs };
  blocks[name] = block;
  const [since, until] = [block.sinceMs, block.untilMs].map((ms) => new Date(ms).toISOString()) as [string, string];
  return [gatewayReport('function.blocked.v1', gatewayId, { function: name, since, until }, nowMs)];
};

const stepTimeProgram = (gatewayId: string, circuit: CircuitState, program: TimeProgramState, nowMs: number) => {
  const fulfilsVersion = fulfil(program, nowMs);
  if (fulfilsVersion === undefined) return [];
  const { family, circuitId } = circuit;
  const data = { family, circuitId, timeProgramId: program.timeProgramId, ...program.content, fulfilsVersion };
  return [gatewayReport('time-program.reported.v1', gatewayId, data as never, nowMs)];
};

/** Removes a holiday that is over by the appliance's clock, even if it never began, and reports it. */
const stepHoliday = ({ gatewayId, holiday }: ApplianceState, nowMs: number) => {
  if (!holiday) return [];
  const fulfilsVersion = fulfil(holiday, nowMs);
  const isOver = holiday.content.holiday !== null && Date.parse(holiday.content.holiday.to) <= nowMs;
  if (isOver) holiday.content = { holiday: null };
  if (fulfilsVersion === undefined && !isOver) return [];
  return [gatewayReport('holiday.reported.v1', gatewayId, { ...holiday.content, fulfilsVersion }, nowMs)];
};

const stepCircuit = (state: ApplianceState, circuit: CircuitState, nowMs: number) => {
  const { gatewayId } = state;
  readSensors(state, circuit, nowMs);
  const fulfilsVersion = fulfil(circuit, nowMs);
  obeyOverride(circuit, nowMs);
  circuit.content = { ...circuit.content, target: targetOf(state, circuit, nowMs) };
  const { family, circuitId, content } = circuit;
  if (fulfilsVersion === undefined && !isWorthReporting(circuit)) return [];
  circuit.reported = content;
  const data = { family, circuitId, reported: content, fulfilsVersion };
  return [gatewayReport('circuit.reported.v1', gatewayId, data as never, nowMs)];
};

/** Sets the end time of an override that ends at the next switch point, and removes an override that is over. */
const obeyOverride = (circuit: CircuitState, nowMs: number) => {
  const { override } = circuit.content as HeatingReport | DhwReport;
  if (!override) return;
  const { until, since } = override;
  const untilMs = until === nextSwitchPoint ? switchesNextMs(circuit, Date.parse(since)) : Date.parse(until);
  const obeyed = untilMs > nowMs ? { ...override, until: toTimestamp(untilMs) } : null;
  circuit.content = { ...circuit.content, override: obeyed };
};

const switchesNextMs = (circuit: CircuitState, afterMs: number) =>
  nextSwitchMs(activePoints(circuit) ?? [], afterMs) ?? afterMs + maxOverrideDays * 86_400_000;

const readSensors = (state: ApplianceState, circuit: CircuitState, nowMs: number) => {
  const intervals = Math.floor((nowMs - circuit.readAtMs) / readingIntervalMs);
  if (intervals < 1) return;
  circuit.content = drift(circuit, activeLevel(state, circuit, nowMs), intervals);
  circuit.readAtMs = nowMs;
};

/** Whether a reading, the override, the target or a setting has changed since the last report. */
const isWorthReporting = ({ content, reported }: CircuitState): boolean =>
  Object.entries(content).some(([name, value]) => {
    const before = (reported as Readonly<Record<string, unknown>>)[name];
    if (name === 'override' || name === 'target') return !isDeepStrictEqual(value, before ?? null);
    if (typeof value === 'string') return value !== before;
    return typeof value === 'number' && Math.abs(value - Number(before)) > reportedDifferenceKelvin - 0.01;
  });

/** Computes the next readings. The casts hold because the content of a circuit has the type of its family. */
const drift = ({ family, content }: CircuitState, level: Level, intervals: number) =>
  family === 'heating'
    ? driftHeating(content as HeatingReport, level, intervals)
    : driftDhw(content as DhwReport, level, intervals);
