import { openSensorCelsius } from '../lambdas/api/limits.ts';
import type { DhwSettings, HeatingSettings, ReadOnlyProperties } from '../lambdas/api/schemas/circuit.ts';
import type { Target } from '../lambdas/api/schemas/level-setpoints.ts';
import type { RareSetpoint } from '../lambdas/api/schemas/setpoints.ts';
import type { SwitchPoint } from '../lambdas/domain/appliance.ts';

/**
 * The report of a heating circuit: its name and target, all settings that it has and all readings, as simulated appliances
 * always send.
 */
export type HeatingReport = ReadOnlyProperties &
  Known<Omit<HeatingSettings, RareSetting>> & {
    readonly [Name in RareSetting]: HeatingSettings[Name];
  } & {
    readonly roomTemperatureCelsius: number;
    readonly supplyTemperatureCelsius: number;
  };

type RareSetting = 'heatingCurve' | 'levelSetpoints' | RareSetpoint;

export type DhwReport = ReadOnlyProperties &
  Known<Omit<DhwSettings, 'levelSetpoints'>> &
  Pick<DhwSettings, 'levelSetpoints'> & {
    readonly waterTemperatureCelsius: number;
  };

type Known<Settings extends { readonly override: unknown }> = {
  readonly [Name in Exclude<keyof Settings, 'override'>]: NonNullable<Settings[Name]>;
} & Pick<Settings, 'override'>;

/** What a circuit aims for now: a level of its time program, or the room temperature of a holiday. */
export type Level = string | number | undefined;

/** The room temperature that a heating circuit keeps while it is off. */
export const frostProtectionCelsius = 5;
const ecoReductionKelvin = 3;
const supply = { minCelsius: 20, maxCelsius: 55, aboveRoomKelvin: 12, kelvinOfSlope: 10, perKelvinMissing: 10 };
const water = { ecoCelsius: 40, offCelsius: 20 };

/** The largest change of a reading in one interval: exaggerated, so that changes can be watched. */
const pace = {
  room: { riseKelvin: 0.2, fallKelvin: 0.1 },
  supply: { riseKelvin: 1.5, fallKelvin: 0.8 },
  water: { riseKelvin: 0.5, fallKelvin: 0.1 },
};

type Pace = (typeof pace)[keyof typeof pace];

/** Returns the report of a heating circuit after a number of intervals at a level. */
export const driftHeating = (before: HeatingReport, level: Level, intervals: number): HeatingReport => {
  const targetCelsius = roomTargetCelsius(before, level);
  const roomTemperatureCelsius = move(before.roomTemperatureCelsius, targetCelsius, pace.room, intervals);
  const supplyCelsius = supplyTargetCelsius(targetCelsius, roomTemperatureCelsius, before.heatingCurve);
  const supplyTemperatureCelsius = move(before.supplyTemperatureCelsius, supplyCelsius, pace.supply, intervals);
  return { ...before, roomTemperatureCelsius, supplyTemperatureCelsius };
};

/** Returns the report of a hot-water circuit after a number of intervals at a level. */
export const driftDhw = (before: DhwReport, level: Level, intervals: number): DhwReport => {
  const { waterTemperatureCelsius, ...settings } = before;
  const targetCelsius = waterTargetCelsius(before, level);
  return { ...settings, waterTemperatureCelsius: move(waterTemperatureCelsius, targetCelsius, pace.water, intervals) };
};

/** Returns what a heating circuit aims at. */
export const roomTarget = (report: HeatingReport, level: Level): Target => ({
  temperatureCelsius: roomTargetCelsius(report, level),
  level: levelOfTarget(report, level),
});

/** Returns what a hot-water circuit aims at. It aims at no temperature while it is off. */
export const waterTarget = (report: DhwReport, level: Level): Target => {
  const active = levelOfTarget(report, level);
  return { temperatureCelsius: active === 'off' ? null : waterTargetCelsius(report, level), level: active };
};

const levelOfTarget = ({ operationMode, override }: HeatingReport | DhwReport, level: Level): string | null => {
  if (override || typeof level === 'number') return null;
  if (operationMode === 'auto') return level ?? null;
  return modesOfLevels.includes(operationMode) ? operationMode : null;
};

const modesOfLevels: readonly string[] = ['off', 'eco', 'comfort'];

const roomTargetCelsius = (report: HeatingReport, level: Level) => {
  const { operationMode, roomSetpointCelsius, coolingSetpointCelsius, override } = report;
  if (override) return override.roomSetpointCelsius;
  if (typeof level === 'number') return level;
  switch (operationMode === 'auto' ? level : operationMode) {
    case 'off':
      return frostProtectionCelsius;
    case 'eco':
      return ecoSetpoint(report) ?? Math.max(frostProtectionCelsius, roomSetpointCelsius - ecoReductionKelvin);
    case 'cooling':
      return coolingSetpointCelsius ?? roomSetpointCelsius;
    default:
      return roomSetpointCelsius;
  }
};

const waterTargetCelsius = (report: DhwReport, level: Level) => {
  const { operationMode, waterSetpointCelsius, override } = report;
  const ecoCelsius = ecoSetpoint(report) ?? water.ecoCelsius;
  if (override) return waterSetpointCelsius;
  if (typeof level === 'number') return ecoCelsius;
  switch (operationMode === 'auto' ? level : operationMode) {
    case 'off':
      return water.offCelsius;
    case 'eco':
      return ecoCelsius;
    default:
      return waterSetpointCelsius;
  }
};

const ecoSetpoint = ({ levelSetpoints }: HeatingReport | DhwReport): number | undefined =>
  levelSetpoints?.find(({ level }) => level === 'eco')?.setpointCelsius;

/**
 * The supply is warmer the colder the room is, and at its minimum when the room is too warm. It is always as cold outside, so
 * that a changed heating curve is the only reason for another supply.
 */
const supplyTargetCelsius = (roomTarget: number, room: number, curve: HeatingReport['heatingCurve']): number => {
  const missingKelvin = room === openSensorCelsius ? 0 : roomTarget - room;
  if (missingKelvin < 0) return supply.minCelsius;
  const aboveRoomKelvin = curve ? curve.slope * supply.kelvinOfSlope + curve.shiftKelvin : supply.aboveRoomKelvin;
  const wanted = roomTarget + aboveRoomKelvin + supply.perKelvinMissing * missingKelvin;
  return Math.min(Math.max(wanted, supply.minCelsius), supply.maxCelsius);
};

/** Returns a sensor's next reading, rounded to 0.1 °C: it approaches the target at the given pace, never beyond it. */
const move = (celsius: number, target: number, { riseKelvin, fallKelvin }: Pace, intervals: number): number => {
  if (celsius === openSensorCelsius) return celsius;
  const change = Math.min(Math.max(target - celsius, -fallKelvin * intervals), riseKelvin * intervals);
  return Math.round((celsius + change) * 10) / 10;
};

const dayMs = 86_400_000;
const daysPerWeek = 7;

/**
 * Returns the level of a time program at a time: that of the latest switch point at or before it, if necessary of the week
 * before; undefined for a program without points. The simulated appliances' local time is UTC on every machine.
 */
export const levelAt = (switchPoints: readonly SwitchPoint[], nowMs: number): string | undefined => {
  for (let daysBack = 0; daysBack <= daysPerWeek; daysBack++) {
    const dayOfWeek = dayOfWeekAt(nowMs - daysBack * dayMs);
    const latest = switchPoints
      .filter((point) => point.dayOfWeek === dayOfWeek && (daysBack > 0 || point.time <= timeAt(nowMs)))
      .toSorted((one, other) => one.time.localeCompare(other.time))
      .at(-1);
    if (latest) return latest.setpoint;
  }
  return undefined;
};

/** Returns the time of a program's next switch point after a time; undefined for a program without points. */
export const nextSwitchMs = (switchPoints: readonly SwitchPoint[], afterMs: number): number | undefined => {
  for (let daysAhead = 0; daysAhead <= daysPerWeek; daysAhead++) {
    const [date] = new Date(afterMs + daysAhead * dayMs).toISOString().split('T');
    const next = switchPoints
      .filter(({ dayOfWeek }) => dayOfWeek === dayOfWeekAt(afterMs + daysAhead * dayMs))
      .map(({ time }) => Date.parse(`${date}T${time}Z`))
      .filter((switchesAtMs) => switchesAtMs > afterMs);
    if (next.length > 0) return Math.min(...next);
  }
  return undefined;
};

const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' });
const dayOfWeekAt = (epochMs: number) => weekday.format(epochMs).toLowerCase();

/** `HH:mm` */
const timeAt = (epochMs: number) => new Date(epochMs).toISOString().slice(11, 16);
