import type { InboundEvent } from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { addDays } from '../../../lambdas/domain/energy.ts';
import { toDate } from '../../../lambdas/domain/time.ts';
import type { HeatingReport } from './thermal-model.ts';

export type EnergyOfDay = InboundEvent<'energy.reported.v1'>['data'];

/** What a home consumes on a day follows from how it is set and from the weather. */
export type HomeSettings = {
  readonly heating: readonly HeatingReport[];
  readonly hasHotWater: boolean;
  /** Once a week, its defrosts take more heat from the house than it delivers. */
  readonly hasDefrostDays: boolean;
};

/** So many days are known of a home that was installed just now: it is an old one. */
export const historyDays = 35;

const frostProtectionCelsius = 5;
/** People, appliances and the sun do so much of the heating. */
const freeKelvin = 2;
/** A house of 100 W/K. */
const kwhPerKelvin = 2.4;
const hotWaterKwh = 5.8;
/** A Tuesday. */
const defrostDay = 2;

/** The energy of a home with a heat pump on a day; the same whenever it is asked for. */
export const energyOn = (day: string, { heating, hasHotWater, hasDefrostDays }: HomeSettings): EnergyOfDay => {
  const outside = outsideCelsius(day);
  const targets = heating.map(({ operationMode, roomSetpointCelsius }) =>
    operationMode === 'off' ? frostProtectionCelsius : roomSetpointCelsius,
  );
  const inside = targets.reduce((sum, each) => sum + each, 0) / Math.max(1, targets.length);
  const heatKwh = Math.max(0, inside - freeKelvin - outside) * kwhPerKelvin;
  // The milder it is, the less a heat pump has to lift.
  const heatOfElectricity = 3 + outside / 15;
  const isDefrostDay = hasDefrostDays && new Date(day).getUTCDay() === defrostDay;
  return {
    day,
    heating: isDefrostDay
      ? { electricityKwh: 3, heatKwh: -0.4 }
      : { electricityKwh: rounded(heatKwh / heatOfElectricity), heatKwh: rounded(heatKwh) },
    ...(hasHotWater && { dhw: { electricityKwh: rounded(hotWaterKwh / 2.8), heatKwh: rounded(hotWaterKwh) } }),
  };
};

/** The days from after the last one that was told until yesterday: the clock of all homes is UTC. */
export const daysToTell = (toldUntil: string, nowMs: number): string[] => {
  const yesterday = addDays(toDate(nowMs), -1);
  if (toldUntil >= yesterday) return [];
  return Array.from({ length: historyDays }, (_, index) => addDays(yesterday, index + 1 - historyDays)).filter(
    (day) => day > toldUntil,
  );
};

/** Cold in January, warm in July, and another weather every day. */
const outsideCelsius = (day: string): number => {
  const dayNumber = Date.parse(day) / 86_400_000;
  return 10 - 9 * Math.cos((2 * Math.PI * (dayNumber - 15)) / 365.25) + 3 * Math.sin(dayNumber * 1.7);
};

const rounded = (kwh: number): number => Math.round(kwh * 10) / 10;
