import * as z from 'zod/mini';
import { defaultEnergyDays, maxEnergyDaysAtOnce, maxKwhOfDay } from '../limits.ts';
import { type Documentation, date, gatewayIdDescription, id, mayBeAbsent, timestamp, type Values } from './common.ts';

/** Energy of a day in kilowatt-hours; no meter of a building counts more. */
const kwh = (minimum = 0) => z.number().check(z.minimum(minimum), z.maximum(maxKwhOfDay));

/** What an appliance consumes and delivers for one purpose. A defrost takes heat from the house. */
const energies = () => ({ electricityKwh: kwh(), fuelKwh: kwh(), heatKwh: kwh(-maxKwhOfDay) });

/** The same for cooling, which takes heat from the house instead of delivering it. */
const coolingEnergies = () => ({ electricityKwh: kwh(), fuelKwh: kwh(), removedHeatKwh: kwh() });

/** Null if it is not measured. */
const energyUse = () => {
  const { electricityKwh, fuelKwh, heatKwh } = energies();
  return { electricityKwh: z.nullable(electricityKwh), fuelKwh: z.nullable(fuelKwh), heatKwh: z.nullable(heatKwh) };
};

const coolingUse = () => {
  const { electricityKwh, fuelKwh, removedHeatKwh } = coolingEnergies();
  return {
    electricityKwh: z.nullable(electricityKwh),
    fuelKwh: z.nullable(fuelKwh),
    removedHeatKwh: z.nullable(removedHeatKwh),
  };
};

/** What a report may have; null and absent are not measured. */
export const reportedEnergyUse = () => {
  const { electricityKwh, fuelKwh, heatKwh } = energies();
  return { electricityKwh: mayBeAbsent(electricityKwh), fuelKwh: mayBeAbsent(fuelKwh), heatKwh: mayBeAbsent(heatKwh) };
};

export const reportedCoolingUse = () => {
  const { electricityKwh, fuelKwh, removedHeatKwh } = coolingEnergies();
  return {
    electricityKwh: mayBeAbsent(electricityKwh),
    fuelKwh: mayBeAbsent(fuelKwh),
    removedHeatKwh: mayBeAbsent(removedHeatKwh),
  };
};

export type EnergyUse = Values<ReturnType<typeof energyUse>>;
export type CoolingUse = Values<ReturnType<typeof coolingUse>>;

export const energyOfDay = () =>
  z.looseObject({
    day: date(),
    reportedAt: timestamp(),
    heating: z.looseObject(energyUse()),
    dhw: z.looseObject(energyUse()),
    cooling: z.nullable(z.looseObject(coolingUse())),
  });

export const gatewayEnergy = () =>
  z.looseObject({
    gatewayId: id(),
    availableFrom: date(),
    days: z.array(energyOfDay()).check(z.maxLength(maxEnergyDaysAtOnce)),
  });

const dayMs = 86_400_000;

export const energyQuery = () =>
  z.object({ from: z.optional(date()), to: z.optional(date()) }).check(
    z.refine(({ from, to }) => !from || !to || from <= to, { path: ['to'], error: 'Expected no day before `from`.' }),
    z.refine(({ from, to }) => !from || !to || Date.parse(to) - Date.parse(from) < maxEnergyDaysAtOnce * dayMs, {
      path: ['to'],
      error: `Expected at most ${maxEnergyDaysAtOnce} days, the first and the last included.`,
    }),
  );

export const energyQueryDescriptions = () => ({
  from: `The first day. If absent, the period has ${defaultEnergyDays} days up to \`to\`.`,
  to: `The last day. The period, including both days, has at most ${maxEnergyDaysAtOnce} days. If absent, it is today or the last day of the longest period from \`from\`, whichever is earlier.`,
});

/** The words about what an appliance consumed and delivered, in answers and in reports. */
export const energyUseDescriptions = (notMeasured = 'null if it is not measured') => ({
  electricityKwh: `The electricity that the appliance consumed, in kilowatt-hours; ${notMeasured}.`,
  fuelKwh: `The gas, oil or wood that the appliance consumed, in kilowatt-hours by the gross calorific value; ${notMeasured}.`,
  heatKwh: `The heat that the appliance delivered, in kilowatt-hours; negative if a defrost took more heat from the house than was delivered; ${notMeasured}.`,
});

/** The words about what an appliance consumed to cool, and the heat that it took from the house. */
export const coolingUseDescriptions = (notMeasured = 'null if it is not measured') => {
  const { electricityKwh, fuelKwh } = energyUseDescriptions(notMeasured);
  return {
    electricityKwh,
    fuelKwh,
    removedHeatKwh: `The heat that the appliance took from the house, in kilowatt-hours; ${notMeasured}.`,
  };
};

export const energyOfDayDocs = (): Documentation<typeof energyOfDay> => ({
  example: {
    day: '2026-11-20',
    reportedAt: '2026-11-21T00:04:11Z',
    heating: { electricityKwh: 7.4, fuelKwh: null, heatKwh: 27.9 },
    dhw: { electricityKwh: 2.1, fuelKwh: null, heatKwh: 5.8 },
    cooling: null,
  },
  properties: {
    day: 'The day, according to the calendar and the clock of the appliance.',
    heating: { description: 'Energy for room heating.', properties: energyUseDescriptions() },
    dhw: { description: 'Energy for hot water.', properties: energyUseDescriptions() },
    cooling: {
      description: 'Energy for cooling; null if the appliance reported none, as appliances do that cannot cool.',
      properties: coolingUseDescriptions(),
    },
    reportedAt:
      'The time of the report with these values, UTC. If there are several reports of a day, the report with the latest time counts.',
  },
});

export const gatewayEnergyDocs = (): Documentation<typeof gatewayEnergy> => ({
  example: { gatewayId: 'gw-1001', availableFrom: '2026-01-02', days: [energyOfDayDocs().example] },
  properties: {
    gatewayId: gatewayIdDescription,
    availableFrom:
      'The first day that you may read. Days before the owner granted access to the gateway are not shown, and neither are days that are no longer kept.',
    days: {
      description: 'The days of the period in order. Days that were not reported are left out.',
      properties: energyOfDayDocs().properties,
    },
  },
});
