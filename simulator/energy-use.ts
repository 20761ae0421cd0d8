import type { InboundEvent } from '../lambdas/api/inbound-events/inbound-events.ts';
import { addDays, oldestHourAt } from '../lambdas/domain/energy.ts';
import { toDate, toTimestamp } from '../lambdas/domain/time.ts';
import { type GatewayReport, gatewayReport } from './gateway-report.ts';
import { frostProtectionCelsius, type HeatingReport } from './thermal-model.ts';

export type EnergyOfDay = InboundEvent<'energy.reported.v1'>['data'];
type EnergyOfHour = InboundEvent<'hourly-energy.reported.v1'>['data'];

/** The settings that, with the weather, determine the energy use of a home. */
export type HomeSettings = {
  readonly heating: readonly HeatingReport[];
  readonly hasHotWater: boolean;
  /** Whether the appliance can cool, so that it reports the energy for it. */
  readonly canCool: boolean;
  /** Once a week, defrosting takes more heat from the house than the heat pump delivers. */
  readonly hasDefrostDays: boolean;
};

/** How many days of energy a newly installed home has already reported. */
const historyDays = 35;

/** How much people, appliances and the sun heat a home. */
const freeKelvin = 2;
/** How much the sun heats closed rooms on a summer day. */
const sunKelvin = 8;
/** Per day, for a house that loses 100 W/K. */
const kwhPerKelvin = 2.4;
const hotWaterKwh = 5.8;
/** The heat that a kilowatt-hour of electricity takes from the house. */
const heatOfCooling = 3.5;
/** Tuesday, as `getUTCDay` counts. */
const defrostDay = 2;

/** Returns the energy of a home with a heat pump on a day. Deterministic: the same input gives the same result. */
export const energyOn = (day: string, { heating, hasHotWater, canCool, hasDefrostDays }: HomeSettings): EnergyOfDay => {
  const outside = outsideCelsius(day);
  const targets = heating.map(({ operationMode, roomSetpointCelsius }) =>
    operationMode === 'off' || operationMode === 'cooling' ? frostProtectionCelsius : roomSetpointCelsius,
  );
  const inside = targets.reduce((sum, each) => sum + each, 0) / Math.max(1, targets.length);
  const heatKwh = Math.max(0, inside - freeKelvin - outside) * kwhPerKelvin;
  // A heat pump is more efficient the milder it is outside.
  const heatOfElectricity = 3 + outside / 15;
  const removedHeatKwh = Math.max(0, ...heating.map((circuit) => coolingKelvin(circuit, outside))) * kwhPerKelvin;
  const isDefrostDay = hasDefrostDays && new Date(day).getUTCDay() === defrostDay;
  return {
    day,
    heating: isDefrostDay
      ? { electricityKwh: 3, heatKwh: -0.4 }
      : { electricityKwh: rounded(heatKwh / heatOfElectricity), heatKwh: rounded(heatKwh) },
    ...(hasHotWater && { dhw: { electricityKwh: rounded(hotWaterKwh / 2.8), heatKwh: rounded(hotWaterKwh) } }),
    ...(canCool && {
      cooling: { electricityKwh: rounded(removedHeatKwh / heatOfCooling), removedHeatKwh: rounded(removedHeatKwh) },
    }),
  };
};

/** Returns what an appliance reports of a day that is over. */
export const reportsOfDay = (gatewayId: string, energy: EnergyOfDay, nowMs: number): GatewayReport[] => [
  gatewayReport('energy.reported.v1', gatewayId, energy, nowMs),
];

/** By how much a circuit in the mode `cooling` keeps its rooms cooler than the sun and the people would make them. */
const coolingKelvin = ({ operationMode, coolingSetpointCelsius }: HeatingReport, outside: number): number =>
  operationMode === 'cooling' && typeof coolingSetpointCelsius === 'number'
    ? outside + sunKelvin - coolingSetpointCelsius
    : 0;

/** Returns the unreported days after `reportedUntil` up to yesterday, at most the last 35. All homes use UTC. */
export const unreportedDays = (reportedUntil: string, nowMs: number): string[] => {
  const yesterday = addDays(toDate(nowMs), -1);
  if (reportedUntil >= yesterday) return [];
  return Array.from({ length: historyDays }, (_, index) => addDays(yesterday, index + 1 - historyDays)).filter(
    (day) => day > reportedUntil,
  );
};

export const hourMs = 3_600_000;

/** Returns the start of the hour at a time. */
export const hourAt = (nowMs: number): number => nowMs - (nowMs % hourMs);

/** Returns the starts of the unreported hours that are over, from `reportedUntilMs` on, at most those of the last seven days. */
export const unreportedHours = (reportedUntilMs: number, nowMs: number): number[] => {
  const firstMs = Math.max(reportedUntilMs, hourAt(oldestHourAt(nowMs)) + hourMs);
  const count = Math.max(0, (hourAt(nowMs) - firstMs) / hourMs);
  return Array.from({ length: count }, (_, index) => firstMs + index * hourMs);
};

/** Returns the energy of an hour: a share of its day, so that the 24 hours of a day add up to the day. */
export const energyInHour = (startMs: number, energyOf: (day: string) => EnergyOfDay): EnergyOfHour => {
  const { heating, dhw, cooling } = energyOf(toDate(startMs));
  const shareOf = (purpose: keyof typeof profiles, use: object = {}) =>
    Object.fromEntries(Object.entries(use).map(([name, kwh]) => [name, kwhInHour(kwh, profiles[purpose], startMs)]));
  return {
    start: toTimestamp(startMs),
    heating: shareOf('heating', heating),
    ...(dhw && { dhw: shareOf('dhw', dhw) }),
    ...(cooling && { cooling: shareOf('cooling', cooling) }),
  };
};

/**
 * The share of each hour of a day, in percent: rooms and water are heated most in the morning and in the evening, and rooms
 * are cooled while the sun shines.
 */
const profiles = {
  heating: [3, 3, 3, 3, 4, 6, 7, 6, 5, 4, 4, 3, 3, 3, 4, 4, 5, 6, 6, 5, 4, 4, 3, 2],
  dhw: [0, 0, 0, 0, 2, 14, 18, 10, 4, 2, 2, 2, 4, 2, 0, 0, 2, 6, 12, 10, 6, 4, 0, 0],
  cooling: [0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 6, 9, 12, 14, 15, 14, 11, 8, 5, 2, 0, 0, 0, 0],
} as const;

/** In whole watt-hours: the difference between two rounded sums, so that all hours together have exactly the kWh of the day. */
const kwhInHour = (kwhOfDay: number, profile: readonly number[], startMs: number): number => {
  const hour = new Date(startMs).getUTCHours();
  const wattHoursUntil = (end: number) =>
    Math.round(kwhOfDay * 10 * profile.slice(0, end).reduce((sum, each) => sum + each, 0));
  return (wattHoursUntil(hour + 1) - wattHoursUntil(hour)) / 1000;
};

/** Cold in January, warm in July, and different every day. */
export const outsideCelsius = (day: string): number => {
  const dayNumber = Date.parse(day) / 86_400_000;
  return 10 - 9 * Math.cos((2 * Math.PI * (dayNumber - 15)) / 365.25) + 3 * Math.sin(dayNumber * 1.7);
};

const rounded = (kwh: number): number => Math.round(kwh * 10) / 10;
