import type { FamilyName } from '../api/endpoints/circuit-endpoints.ts';
import { cutText, maxComponents } from '../api/limits.ts';
import {
  type DhwMeasurements,
  dhwMeasurements,
  type HeatingMeasurements,
  type HeatingSettings,
  heatingMeasurements,
} from '../api/schemas/circuit.ts';
import type { LimitsOf } from '../api/schemas/circuit-limits.ts';
import type { Circulation } from '../api/schemas/circulation.ts';
import type { ApplianceFunction } from '../api/schemas/gateway.ts';
import { type LevelSetpoint, maxLevels, type Target } from '../api/schemas/level-setpoints.ts';
import { readingsOf } from '../api/schemas/measurement.ts';
import type { Override } from '../api/schemas/override.ts';
import {
  type Block,
  blockAt,
  type Circuit,
  entityTagOf,
  type Fault,
  type Gateway,
  type Holiday,
  isStale,
  type Refusal,
  type Shadow,
  type TimeProgram,
} from '../domain/appliance.ts';
import { limitsOf } from '../domain/circuit-limits.ts';
import { circulationOf } from '../domain/circulation.ts';
import type { EnergyOfDay, EnergyOfHour } from '../domain/energy.ts';
import { levelsTogether } from '../domain/level-setpoints.ts';
import type { Measurement } from '../domain/measurement.ts';
import { type Drop, firstExpiryOf } from '../domain/open-change.ts';
import { toTimestamp } from '../domain/time.ts';

// Bodies have their properties in the order of their schemas. The store returns those of a nested object in any order, so each is
// named here.

/** Returns a gateway with the functions that it blocks at `nowMs`. */
export const gatewayBody = (gateway: Gateway, nowMs: number) => {
  const { gatewayId, name, type, connectivity, lastSeenAtMs, components, blocks, faults } = gateway;
  const { limits, features, timeZone } = gateway;
  const blockedFunctions = (Object.keys(blocks) as ApplianceFunction[]).flatMap((name) => {
    const block = blockAt(gateway, name, nowMs);
    return block ? [{ function: name, ...blockMembers(block) }] : [];
  });
  const lastSeenAt = toTimestamp(lastSeenAtMs);
  return {
    gatewayId,
    name: cutText(name),
    type: cutText(type),
    connectivity,
    lastSeenAt,
    blockedFunctions,
    faults: faults.map(faultBody),
    components: components.slice(0, maxComponents).map(componentBody),
    limits: programLimitsBody(limits),
    features,
    timeZone,
  };
};

/** The texts come from the appliance, so their length is limited here. */
const componentBody = ({ componentId, type, model, serialNumber }: Gateway['components'][number]) => ({
  componentId: cutText(componentId),
  type: cutText(type),
  model: cutText(model),
  ...(serialNumber !== undefined && { serialNumber: cutText(serialNumber) }),
});

const faultBody = ({ code, componentId, severity, text, sinceMs }: Fault) => ({
  code,
  componentId,
  severity,
  text,
  since: toTimestamp(sinceMs),
});

const programLimitsBody = ({
  maxSwitchPoints,
  maxSwitchPointsPerDay,
  switchPointRasterMinutes,
}: Gateway['limits']) => ({ maxSwitchPoints, maxSwitchPointsPerDay, switchPointRasterMinutes });

export const blockMembers = ({ sinceMs, untilMs }: Block) => ({
  blockedSince: toTimestamp(sinceMs),
  blockedUntil: untilMs === null ? null : toTimestamp(untilMs),
});

export type GatewayPart<Family extends FamilyName> = {
  readonly connectivity: Gateway['connectivity'];
  readonly connectivitySince: string | null;
  readonly stale: boolean;
  readonly limits: LimitsOf[Family];
} & { readonly heating: object; readonly dhw: { readonly circulation: Circulation | null } }[Family];

/**
 * Returns what a gateway reports about a circuit: its connectivity, whether its state is stale, the limits of changes, and for
 * hot water the circulation pump.
 * Events about a circuit contain only the circuit itself, without this part: reading the gateway would cost a read unit for
 * each event. A copy of it in the circuits would have to be written every hour.
 */
export const gatewayPartOf = <Family extends FamilyName>(
  gateway: Gateway,
  family: Family,
  circuit: Pick<Circuit, 'circuitId' | 'reportedAtMs'>,
  nowMs: number,
): GatewayPart<Family> => {
  return {
    ...connectivityOf(gateway),
    stale: isStale(gateway, circuit, nowMs),
    limits: limitsOf(gateway, family, circuit.circuitId),
    ...(family === 'dhw' && { circulation: circulationOf(gateway, circuit.circuitId) }),
  } as GatewayPart<Family>;
};

export const connectivityOf = ({ connectivity, connectivitySinceMs: sinceMs }: Gateway) => ({
  connectivity,
  connectivitySince: sinceMs === null ? null : toTimestamp(sinceMs),
});

export const heatingCircuitBody = (circuit: Circuit<'heating'>) => {
  const settings = settingsOf(circuit);
  const { override, heatingCurve: curve } = settings;
  return {
    gatewayId: circuit.gatewayId,
    circuitId: circuit.circuitId,
    displayName: circuit.reported.displayName,
    ...statusOf(circuit),
    ...settings,
    levelSetpoints: levelsBody(settings),
    heatingCurve: curve && { slope: curve.slope, shiftKelvin: curve.shiftKelvin },
    override: override && { roomSetpointCelsius: override.roomSetpointCelsius, ...overrideEnds(override) },
    target: targetBody(circuit.reported.target),
    ...heatingReadings(circuit),
  };
};

const levelsBody = ({ levelSetpoints: levels }: Pick<HeatingSettings, 'levelSetpoints'>): LevelSetpoint[] | null =>
  levels?.slice(0, maxLevels).map(({ level, setpointCelsius }) => ({ level, setpointCelsius })) ?? null;

const targetBody = (target: Target | null) =>
  target && { temperatureCelsius: target.temperatureCelsius, level: target.level };

const overrideEnds = ({ until, since }: Override) => ({ until, since });

/**
 * Returns the sensors' measurements. A change of any other property of a circuit produces an event of the feed; a change of
 * these does not.
 */
export const heatingReadings = ({ reported }: Circuit<'heating'>): HeatingMeasurements =>
  readingsOf(heatingMeasurements, reported);

export const dhwCircuitBody = (circuit: Circuit<'dhw'>) => {
  const settings = settingsOf(circuit);
  return {
    gatewayId: circuit.gatewayId,
    circuitId: circuit.circuitId,
    displayName: circuit.reported.displayName,
    ...statusOf(circuit),
    ...settings,
    levelSetpoints: levelsBody(settings),
    override: settings.override && overrideEnds(settings.override),
    target: targetBody(circuit.reported.target),
    ...dhwReadings(circuit),
  };
};

export const dhwReadings = ({ reported }: Circuit<'dhw'>): DhwMeasurements => readingsOf(dhwMeasurements, reported);

/** Returns a time program of either family. */
export const timeProgramBody = (program: TimeProgram) => {
  const { name, switchPoints } = settingsOf(program);
  return {
    timeProgramId: program.timeProgramId,
    ...statusOf(program),
    name,
    switchPoints: switchPoints?.map(({ dayOfWeek, time, setpoint }) => ({ dayOfWeek, time, setpoint })) ?? null,
  };
};

export const energyOfDayBody = ({ day, reportedAtMs, heating, dhw, cooling }: EnergyOfDay) => ({
  day,
  reportedAt: toTimestamp(reportedAtMs),
  heating,
  dhw,
  cooling,
});

export const energyOfHourBody = ({ startMs, reportedAtMs, heating, dhw, cooling }: EnergyOfHour) => ({
  start: toTimestamp(startMs),
  reportedAt: toTimestamp(reportedAtMs),
  heating,
  dhw,
  cooling,
});

export const measurementBody = ({ name, componentId, value, unit, state, atMs }: Measurement) => ({
  name,
  componentId,
  value,
  unit,
  state,
  measuredAt: toTimestamp(atMs),
});

export const holidayBody = (body: Holiday) => {
  const { holiday } = settingsOf(body);
  return {
    gatewayId: body.gatewayId,
    ...statusOf(body),
    holiday: holiday && { from: holiday.from, to: holiday.to, roomSetpointCelsius: holiday.roomSetpointCelsius },
  };
};

/** Returns the settings that a partner sees: a desired value takes effect at once. */
const settingsOf = <Settings extends object>({ reported, desired }: Shadow<Settings>): Settings =>
  levelsTogether({ ...reported, ...desired }) as Settings;

const statusOf = ({ desired, desiredBy = {}, version, reportedAtMs, lastRefusal, lastDropped }: Shadow) => {
  const validUntilMs = firstExpiryOf(desiredBy);
  return {
    state: desired ? ('pending' as const) : ('confirmed' as const),
    version,
    reportedAt: toTimestamp(reportedAtMs),
    ...(validUntilMs !== undefined && { validUntil: toTimestamp(validUntilMs) }),
    ...(lastRefusal && { lastRefusal: refusalBody(lastRefusal) }),
    ...(lastDropped && { lastDropped: dropBody(lastDropped) }),
  };
};

const dropBody = ({ version, atMs, reason }: Drop) => ({ version, at: toTimestamp(atMs), reason });

/** The texts come from the appliance, so their length is limited here. */
const refusalBody = ({ atMs, reason, detail }: Refusal) => ({
  at: toTimestamp(atMs),
  reason: cutText(reason),
  detail: cutText(detail),
});

/** Returns an answer whose ETag is the version of the item. */
export const taggedAnswer = <Body>({ version }: Shadow, body: Body) => ({
  headers: { ETag: entityTagOf(version) },
  body,
});
