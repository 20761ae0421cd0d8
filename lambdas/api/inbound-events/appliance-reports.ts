import * as z from 'zod/mini';
import { energyDays, openSensorCelsius, shortSensorCelsius } from '../limits.ts';
import {
  dhwMeasurements,
  dhwSettingDescriptions,
  dhwSettings,
  heatingMeasurements,
  heatingSettingDescriptions,
  heatingSettings,
  laterProperties,
} from '../schemas/circuit.ts';
import { count, date, id } from '../schemas/common.ts';
import { energyUseDescriptions, energyUseNames, kwh } from '../schemas/energy.ts';
import { holidaySettings, holidayUpdateDocs } from '../schemas/holiday.ts';
import { heatingOverrideDescription } from '../schemas/override.ts';
import { heatingTimeProgramUpdateDocs, reportedDhwProgram, reportedHeatingProgram } from '../schemas/time-program.ts';
import { changeItemDescriptions } from './inbound-event.ts';

/** What a circuit and a time program are reported as: always whole, since a report replaces the one before. */

/** A temperature of a sensor; null, or an end of its range, if the sensor is open or short. */
const measuredCelsius = () => z.nullable(z.number().check(z.minimum(openSensorCelsius), z.maximum(shortSensorCelsius)));

const measured = <Measurements extends object>(measurements: Measurements) =>
  Object.fromEntries(Object.keys(measurements).map((name) => [name, measuredCelsius()])) as {
    [Name in keyof Measurements]: ReturnType<typeof measuredCelsius>;
  };

/** All of a circuit, but for what an older sender cannot know. */
const reportedOf = <Shape extends z.core.$ZodShape, Later extends object>(shape: Shape, later: Later) =>
  z.object(
    Object.fromEntries(
      Object.entries(shape).map(([name, schema]) => [name, Object.hasOwn(later, name) ? z.optional(schema) : schema]),
    ) as { [Name in keyof Shape]: Name extends keyof Later ? z.ZodMiniOptional<Shape[Name]> : Shape[Name] },
  );

/** The version of the requested change that the report shows fulfilled. */
const fulfilsVersion = () => z.optional(count());

const heatingCircuitReport = () =>
  z.object({
    family: z.literal('heating'),
    circuitId: id(),
    reported: reportedOf({ ...heatingSettings(), ...measured(heatingMeasurements()) }, laterProperties.heating),
    fulfilsVersion: fulfilsVersion(),
  });

const dhwCircuitReport = () =>
  z.object({
    family: z.literal('dhw'),
    circuitId: id(),
    reported: reportedOf({ ...dhwSettings(), ...measured(dhwMeasurements()) }, laterProperties.dhw),
    fulfilsVersion: fulfilsVersion(),
  });

export const circuitReport = () => z.discriminatedUnion('family', [heatingCircuitReport(), dhwCircuitReport()]);

const programIds = () => ({ circuitId: id(), timeProgramId: id() });

export const timeProgramReport = () =>
  z.discriminatedUnion('family', [
    z.object({
      family: z.literal('heating'),
      ...programIds(),
      ...reportedHeatingProgram(),
      fulfilsVersion: fulfilsVersion(),
    }),
    z.object({ family: z.literal('dhw'), ...programIds(), ...reportedDhwProgram(), fulfilsVersion: fulfilsVersion() }),
  ]);

/** Energy for one purpose; what is not measured is null or left out. */
const reportedEnergy = () =>
  z.optional(
    z.object(
      Object.fromEntries(energyUseNames.map((name) => [name, z.optional(z.nullable(kwh()))])) as {
        [Name in (typeof energyUseNames)[number]]: z.ZodMiniOptional<z.ZodMiniNullable<ReturnType<typeof kwh>>>;
      },
    ),
  );

export const energyReport = () => z.object({ day: date(), heating: reportedEnergy(), dhw: reportedEnergy() });
export const holidayReport = () => z.object({ ...holidaySettings(), fulfilsVersion: fulfilsVersion() });

const fulfilsVersionDescription =
  'The highest version of a requested change that this report shows fulfilled. A gateway that echoes no version leaves it out: the change then counts as fulfilled once all settings that it desires are reported.';

export const circuitReportDocs = () => {
  const { family, circuitId } = changeItemDescriptions();
  const ofSensor = `null, ${openSensorCelsius} (open) or ${shortSensorCelsius} (short) if the sensor cannot be read`;
  return {
    summary: 'A circuit has these settings and measurements now. Always all of them: a report replaces the one before.',
    example: {
      subject: 'gw-1001',
      data: {
        family: 'heating',
        circuitId: 'hc1',
        fulfilsVersion: 2,
        reported: {
          operationMode: 'auto',
          roomSetpointCelsius: 21.5,
          activeTimeProgramId: '1',
          roomTemperatureCelsius: 20.3,
          supplyTemperatureCelsius: 34.1,
        },
      },
    } as const,
    properties: {
      family,
      circuitId,
      fulfilsVersion: fulfilsVersionDescription,
      reported: {
        description: 'All settings and measurements of the circuit.',
        properties: {
          ...dhwSettingDescriptions(),
          ...heatingSettingDescriptions(),
          override: {
            description:
              'The override that the appliance obeys; null once it has ended. Absent is null. Of hot water it has no setpoint.',
            properties: heatingOverrideDescription().properties,
          },
          roomTemperatureCelsius: `The measured room temperature in degrees Celsius; ${ofSensor}.`,
          supplyTemperatureCelsius: `The measured temperature in degrees Celsius of the water that flows to the radiators; ${ofSensor}.`,
          waterTemperatureCelsius: `The measured hot-water temperature in degrees Celsius; ${ofSensor}.`,
        },
      },
    },
  };
};

export const timeProgramReportDocs = () => {
  const { family, circuitId, timeProgramId } = changeItemDescriptions();
  const { example, properties } = heatingTimeProgramUpdateDocs();
  return {
    summary: 'A time program has this content now.',
    example: {
      subject: 'gw-1001',
      data: { family: 'heating', circuitId: 'hc1', timeProgramId: '1', fulfilsVersion: 2, ...example },
    } as const,
    properties: { family, circuitId, timeProgramId, ...properties, fulfilsVersion: fulfilsVersionDescription },
  };
};

/** A gap is a gap, which nobody is to take for 0. */
const notMeasured = 'null or absent, and never 0, if that is not measured';

export const energyReportDocs = () => ({
  summary: `What an appliance consumed and delivered on a day. Send it when the day is over. Of several reports of a day the one with the latest time counts, so a correction is another report; it replaces all values of its day. A day is kept for ${energyDays} days; a report of an older one changes nothing.`,
  example: {
    subject: 'gw-1001',
    data: {
      day: '2026-11-20',
      heating: { electricityKwh: 7.4, heatKwh: 27.9 },
      dhw: { electricityKwh: 2.1, heatKwh: 5.8 },
    },
  } as const,
  properties: {
    day: 'The day, by the calendar and the clock of the appliance. It has begun somewhere on earth at the time of the event.',
    heating: { description: 'Energy for the heating of rooms.', properties: energyUseDescriptions(notMeasured) },
    dhw: { description: 'Energy for hot water.', properties: energyUseDescriptions(notMeasured) },
  },
});
export const holidayReportDocs = () => {
  const { example, properties } = holidayUpdateDocs();
  return {
    summary:
      'A home has this holiday now, or none. A gateway whose features list `holidays` tells it once when it was described, and then on each change.',
    example: { subject: 'gw-1001', data: { holiday: example } } as const,
    properties: {
      holiday: {
        description: 'The holiday that is to come or lasts; null if there is none, and once it has ended.',
        properties,
      },
      fulfilsVersion: fulfilsVersionDescription,
    },
  };
};
