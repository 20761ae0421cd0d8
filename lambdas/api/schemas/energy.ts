import * as z from 'zod/mini';
import {
  defaultEnergyDays,
  defaultEnergyHours,
  hourlyEnergyDays,
  maxEnergyDaysAtOnce,
  maxKwhOfDay,
  maxKwhOfHour,
} from '../limits.ts';
import { type Documentation, date, gatewayIdDescription, id, mayBeAbsent, timestamp, type Values } from './common.ts';

/** Energy in kilowatt-hours; no meter of a building counts more. */
const kwh = (maximum: number, minimum = 0) => z.number().check(z.minimum(minimum), z.maximum(maximum));

/**
 * What an appliance consumes and delivers for one purpose. A defrost takes heat from the house; cooling takes it from the house
 * instead of delivering it.
 */
const energies = (maxKwh: number) => ({
  electricityKwh: kwh(maxKwh),
  fuelKwh: kwh(maxKwh),
  heatKwh: kwh(maxKwh, -maxKwh),
  removedHeatKwh: kwh(maxKwh),
});

/** Null if it is not measured. */
const energyUse = (maxKwh: number) => {
  const { electricityKwh, fuelKwh, heatKwh } = energies(maxKwh);
  return { electricityKwh: z.nullable(electricityKwh), fuelKwh: z.nullable(fuelKwh), heatKwh: z.nullable(heatKwh) };
};

const coolingUse = (maxKwh: number) => {
  const { electricityKwh, fuelKwh, removedHeatKwh } = energies(maxKwh);
  return {
    electricityKwh: z.nullable(electricityKwh),
    fuelKwh: z.nullable(fuelKwh),
    removedHeatKwh: z.nullable(removedHeatKwh),
  };
};

export type EnergyUse = Values<ReturnType<typeof energyUse>>;
export type CoolingUse = Values<ReturnType<typeof coolingUse>>;

/** What was measured in a period in which no quantity can exceed the maximum. */
const energyUses = (maxKwh: number) => ({
  reportedAt: timestamp(),
  heating: z.looseObject(energyUse(maxKwh)),
  dhw: z.looseObject(energyUse(maxKwh)),
  cooling: z.nullable(z.looseObject(coolingUse(maxKwh))),
});

/** What a report of a period may have; null and absent are not measured. */
export const reportedEnergyUses = (maxKwh: number) => {
  const { electricityKwh, fuelKwh, heatKwh, removedHeatKwh } = energies(maxKwh);
  const consumed = { electricityKwh: mayBeAbsent(electricityKwh), fuelKwh: mayBeAbsent(fuelKwh) };
  const use = mayBeAbsent(z.object({ ...consumed, heatKwh: mayBeAbsent(heatKwh) }));
  const coolingUse = mayBeAbsent(z.object({ ...consumed, removedHeatKwh: mayBeAbsent(removedHeatKwh) }));
  return { heating: use, dhw: use, cooling: coolingUse };
};

export const energyOfDay = () => z.looseObject({ day: date(), ...energyUses(maxKwhOfDay) });

export const gatewayEnergy = () =>
  z.looseObject({
    gatewayId: id(),
    availableFrom: date(),
    days: z.array(energyOfDay()).check(z.maxLength(maxEnergyDaysAtOnce)),
  });

const quarterMs = 900_000;

/** The start of an hour by the clock of an appliance. All time zones differ from UTC by whole quarters of an hour. */
export const hourStart = () =>
  timestamp().check(
    z.refine((time) => Date.parse(time) % quarterMs === 0, {
      abort: true,
      error: 'Expected the start of an hour: 0, 15, 30 or 45 minutes past an hour of UTC.',
    }),
  );

export const energyOfHour = () => z.looseObject({ start: timestamp(), ...energyUses(maxKwhOfHour) });

/** All possible starts: an appliance whose clock is set to another time zone reports hours that overlap. */
const maxHours = hourlyEnergyDays * 24 * 4;

export const gatewayHourlyEnergy = () =>
  z.looseObject({
    gatewayId: id(),
    availableFrom: timestamp(),
    hours: z.array(energyOfHour()).check(z.maxLength(maxHours)),
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

/** In a query, a `+` that is not encoded is a space. */
const expectedTime = 'Expected a time with its offset, like 2026-03-31T12:00:00Z; write + as %2B.';

export const hourlyEnergyQuery = () =>
  z.object({ from: z.optional(timestamp(expectedTime)), to: z.optional(timestamp(expectedTime)) }).check(
    z.refine(({ from, to }) => !from || !to || Date.parse(from) <= Date.parse(to), {
      path: ['to'],
      error: 'Expected no time before `from`.',
    }),
  );

export const hourlyEnergyQueryDescriptions = () => ({
  from: `The earliest start of an hour, with any offset; encode \`+\` as \`%2B\`. If absent, it is ${defaultEnergyHours} hours before \`to\`.`,
  to: 'The end of the period: hours that begin before it are shown. If absent or in the future, it is now.',
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

/** The words about each purpose, and about the time of the report. */
const energyUsesDescriptions = (period: string) => ({
  heating: { description: 'Energy for room heating.', properties: energyUseDescriptions() },
  dhw: { description: 'Energy for hot water.', properties: energyUseDescriptions() },
  cooling: {
    description: 'Energy for cooling; null if the appliance reported none, as appliances do that cannot cool.',
    properties: coolingUseDescriptions(),
  },
  reportedAt: `The time of the report with these values, UTC. If there are several reports of ${period}, the report with the latest time counts.`,
});

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
    ...energyUsesDescriptions('a day'),
  },
});

export const gatewayEnergyDocs = (): Documentation<typeof gatewayEnergy> => ({
  example: { gatewayId: 'gw-1001', availableFrom: '2026-01-02', days: [energyOfDayDocs().example] },
  properties: {
    gatewayId: gatewayIdDescription,
    availableFrom:
      'The first day that you may read. Days that ended before your access began are not shown, and neither are days that are no longer kept. Access begins when the owner grants the gateway, and again when the owner gives consent after a withdrawal, or opens the contract after its end.',
    days: {
      description: 'The days of the period in order. Days that were not reported are left out.',
      properties: energyOfDayDocs().properties,
    },
  },
});

export const energyOfHourDocs = (): Documentation<typeof energyOfHour> => ({
  example: {
    start: '2026-11-20T05:00:00Z',
    reportedAt: '2026-11-20T06:02:40Z',
    heating: { electricityKwh: 0.412, fuelKwh: null, heatKwh: 1.553 },
    dhw: { electricityKwh: 0.31, fuelKwh: null, heatKwh: 0.856 },
    cooling: null,
  },
  properties: {
    start: 'The start of the hour, UTC.',
    ...energyUsesDescriptions('an hour'),
  },
});

export const gatewayHourlyEnergyDocs = (): Documentation<typeof gatewayHourlyEnergy> => ({
  example: { gatewayId: 'gw-1001', availableFrom: '2026-11-14T05:30:00Z', hours: [energyOfHourDocs().example] },
  properties: {
    gatewayId: gatewayIdDescription,
    availableFrom: `The earliest start of an hour that you may read, UTC. Hours that began before your access are not shown, and neither are hours that began more than ${hourlyEnergyDays} days ago. Access begins as for days.`,
    hours: {
      description: 'The hours of the period in order. Hours that were not reported are left out.',
      properties: energyOfHourDocs().properties,
    },
  },
});
