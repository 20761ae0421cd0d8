import type { ApplianceFunction } from '../lambdas/api/schemas/gateway.ts';
import { toDate, toTimestamp } from '../lambdas/domain/time.ts';
import { type ApplianceState, blockDurationMs, changedItemsOf } from './appliance-state.ts';
import { type EnergyOfDay, energyInHour, hourAt, hourMs, reportsOfDay } from './energy-use.ts';
import { type GatewayReport, gatewayReport } from './gateway-report.ts';
import { targetOf } from './targets.ts';
import type { HeatingReport } from './thermal-model.ts';

/** The parts of an appliance that a command needs. */
type Commanded = { readonly state: ApplianceState; readonly energyOf: (day: string) => EnergyOfDay };

/**
 * `already`: the command would change nothing. `unreachable`: the gateway is offline, so its backend gets no report.
 * `unsupported`: the appliance is too old.
 */
export type CommandRefusal = 'already' | 'unreachable' | 'unsupported';

/** Changes the state of an appliance at once and returns the reports of its gateway. */
export type ApplianceCommand = (appliance: Commanded, nowMs: number) => GatewayReport[] | CommandRefusal;

export const goOffline: ApplianceCommand = ({ state }, nowMs) => {
  if (state.isOffline) return 'already';
  state.isOffline = true;
  return [connectivityReport(state, 'offline', nowMs)];
};

/** Puts the gateway back online and reports it. */
export const goOnline: ApplianceCommand = ({ state }, nowMs) => {
  if (!state.isOffline) return 'already';
  state.isOffline = false;
  state.reportedOnlineAtMs = nowMs;
  return [connectivityReport(state, 'online', nowMs)];
};

const connectivityReport = ({ gatewayId }: ApplianceState, connectivity: 'online' | 'offline', nowMs: number) =>
  gatewayReport(
    'gateway.connectivity.v1',
    gatewayId,
    { connectivity, lastSeenAt: new Date(nowMs).toISOString() },
    nowMs,
  );

/** Makes the appliance refuse every change that it has not applied yet. */
export const refuseChanges: ApplianceCommand = ({ state }) => {
  if (state.isRefusing) return 'already';
  state.isRefusing = true;
  return [];
};

/** Makes the appliance apply changes again, including the refused ones. */
export const acceptChanges: ApplianceCommand = ({ state }, nowMs) => {
  if (!state.isRefusing) return 'already';
  state.isRefusing = false;
  for (const { item, change } of changedItemsOf(state)) item.change = { ...change, isRefused: false, dueMs: nowMs };
  return [];
};

/** Wraps a command that needs an online gateway. */
const whileOnline =
  (command: ApplianceCommand): ApplianceCommand =>
  (appliance, nowMs) =>
    appliance.state.isOffline ? 'unreachable' : command(appliance, nowMs);

export const blockFunction = (name: ApplianceFunction): ApplianceCommand =>
  whileOnline(({ state: { gatewayId, blocks } }, nowMs) => {
    const untilMs = nowMs + blockDurationMs;
    blocks[name] = { sinceMs: nowMs, untilMs };
    const [since, until] = [new Date(nowMs).toISOString(), new Date(untilMs).toISOString()];
    return [gatewayReport('function.blocked.v1', gatewayId, { function: name, since, until }, nowMs)];
  });

export const unblockFunction = (name: ApplianceFunction): ApplianceCommand =>
  whileOnline(({ state: { gatewayId, blocks } }, nowMs) => {
    const block = blocks[name];
    if (!block || block.untilMs <= nowMs) return 'already';
    // Keeps the block with its new end: if the appliance blocks this function repeatedly, its pause starts at that end.
    blocks[name] = { ...block, untilMs: nowMs };
    return [gatewayReport('function.unblocked.v1', gatewayId, { function: name }, nowMs)];
  });

/** The component that has the faults of a simulated appliance. */
const componentId = '1';

export const reportFault = (code: string): ApplianceCommand =>
  whileOnline(({ state }, nowMs) => {
    const { faultCodes = [], gatewayId } = state;
    if (faultCodes.includes(code)) return 'already';
    state.faultCodes = [...faultCodes, code];
    const said = { severity: 'fault', text: 'A simulated fault.', since: toTimestamp(nowMs) };
    return [gatewayReport('fault.reported.v1', gatewayId, { code, componentId, ...said }, nowMs)];
  });

export const clearFault = (code: string): ApplianceCommand =>
  whileOnline(({ state }, nowMs) => {
    const { faultCodes = [], gatewayId } = state;
    if (!faultCodes.includes(code)) return 'already';
    state.faultCodes = faultCodes.filter((each) => each !== code);
    return [gatewayReport('fault.cleared.v1', gatewayId, { code, componentId }, nowMs)];
  });

/** The owner sets the room temperature of the first heating circuit at the appliance. */
export const setByOwner = (roomSetpointCelsius: number): ApplianceCommand =>
  whileOnline(({ state }, nowMs) => {
    const { gatewayId, circuits } = state;
    const circuit = circuits.find(({ family }) => family === 'heating');
    const content = circuit?.content as HeatingReport | undefined;
    if (!circuit || !content || content.roomSetpointCelsius === roomSetpointCelsius) return 'already';
    const changed = { ...content, roomSetpointCelsius };
    const reported = { ...changed, target: targetOf(state, { ...circuit, content: changed }, nowMs) };
    circuit.content = reported;
    circuit.reported = reported;
    const { circuitId } = circuit;
    return [gatewayReport('circuit.reported.v1', gatewayId, { family: 'heating', circuitId, reported }, nowMs)];
  });

/** Reports today as if the day were over; returns `already` if today was reported. */
export const endDay: ApplianceCommand = whileOnline(({ state, energyOf }, nowMs) => {
  const today = toDate(nowMs);
  if (state.energyReportedUntil >= today) return 'already';
  state.energyReportedUntil = today;
  state.corrections = 0;
  return reportsOfDay(state.gatewayId, energyOf(today), nowMs);
});

/** Reports the energy of the current hour as if the hour were over; returns `already` if the hour was reported. */
export const endHour: ApplianceCommand = whileOnline(({ state, energyOf }, nowMs) => {
  if (state.hoursReportedUntilMs === undefined) return 'unsupported';
  const startMs = hourAt(nowMs);
  if (state.hoursReportedUntilMs > startMs) return 'already';
  state.hoursReportedUntilMs = startMs + hourMs;
  return [gatewayReport('hourly-energy.reported.v1', state.gatewayId, energyInHour(startMs, energyOf), nowMs)];
});

/** Reports the last reported day again, with more heat each time. */
export const correctDay: ApplianceCommand = whileOnline(({ state, energyOf }, nowMs) => {
  const { energyReportedUntil: day, corrections = 0 } = state;
  state.corrections = corrections + 1;
  const energy = energyOf(day);
  const heatKwh = Math.round(((energy.heating?.heatKwh ?? 0) + state.corrections / 10) * 10) / 10;
  const corrected = { ...energy, heating: { ...energy.heating, heatKwh } };
  return [gatewayReport('energy.reported.v1', state.gatewayId, corrected, nowMs)];
});
