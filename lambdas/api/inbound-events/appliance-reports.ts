import * as z from 'zod/mini';
import { energyDays, openSensorCelsius, shortSensorCelsius } from '../limits.ts';
import {
  dhwSettingDescriptions,
  heatingSettingDescriptions,
  reportedDhwCircuit,
  reportedHeatingCircuit,
} from '../schemas/circuit.ts';
import { count, date, id, mayBeAbsent } from '../schemas/common.ts';
import { energyUseDescriptions, reportedEnergyUse } from '../schemas/energy.ts';
import { holidayUpdateDocs, reportedHoliday } from '../schemas/holiday.ts';
import { heatingOverrideDescription } from '../schemas/override.ts';
import { heatingTimeProgramUpdateDocs, reportedTimeProgram } from '../schemas/time-program.ts';
import { changeItemDescriptions, family } from './inbound-event.ts';

/** The version of the requested change that the report confirms as fulfilled. */
const fulfilsVersion = () => mayBeAbsent(count());

export const circuitReport = () =>
  z.discriminatedUnion('family', [
    z.object({
      family: z.literal('heating'),
      circuitId: id(),
      reported: mayBeAbsent(z.object(reportedHeatingCircuit())),
      fulfilsVersion: fulfilsVersion(),
    }),
    z.object({
      family: z.literal('dhw'),
      circuitId: id(),
      reported: mayBeAbsent(z.object(reportedDhwCircuit())),
      fulfilsVersion: fulfilsVersion(),
    }),
  ]);

export const timeProgramReport = () =>
  z.object({
    family: family(),
    circuitId: id(),
    timeProgramId: id(),
    ...reportedTimeProgram(),
    fulfilsVersion: fulfilsVersion(),
  });

/** Energy for one purpose. */
const reportedEnergy = () => mayBeAbsent(z.object(reportedEnergyUse()));

export const energyReport = () => z.object({ day: date(), heating: reportedEnergy(), dhw: reportedEnergy() });
export const holidayReport = () => z.object({ ...reportedHoliday(), fulfilsVersion: fulfilsVersion() });

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

/** A missing measurement must not be read as 0. */
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
