import * as z from 'zod/mini';
import {
  energyDays,
  hourlyEnergyDays,
  maxKwhOfDay,
  maxKwhOfHour,
  openSensorCelsius,
  shortSensorCelsius,
} from '../limits.ts';
import {
  circuitName,
  dhwSettingDescriptions,
  heatingSettingDescriptions,
  reportedDhwCircuit,
  reportedHeatingCircuit,
} from '../schemas/circuit.ts';
import { date, id, mapRows, mayBeAbsent, sentCount } from '../schemas/common.ts';
import { coolingUseDescriptions, energyUseDescriptions, hourStart, reportedEnergyUses } from '../schemas/energy.ts';
import { heatingCurveExample } from '../schemas/heating-curve.ts';
import { holidayPeriodDocs, reportedHoliday } from '../schemas/holiday.ts';
import { levelSetpointsExample, targetDescription } from '../schemas/level-setpoints.ts';
import { heatingOverrideDescription } from '../schemas/override.ts';
import { rareSetpoints } from '../schemas/setpoints.ts';
import { programContentDocs, reportedTimeProgram } from '../schemas/time-program.ts';
import {
  changeItemDescriptions,
  choiceBy,
  type EventDocs,
  family,
  type InboundEventRow,
  ofGateway,
} from './inbound-event.ts';
import { measurementReport, measurementReportDocs } from './measurement-reports.ts';

/** The version of the requested change that the report confirms as fulfilled. */
const fulfilsVersion = () => mayBeAbsent(sentCount());

const circuitReport = () =>
  choiceBy('family', [
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

const timeProgramReport = () =>
  z.object({
    family: family(),
    circuitId: id(),
    timeProgramId: id(),
    ...reportedTimeProgram(),
    fulfilsVersion: fulfilsVersion(),
  });

const energyReport = () => z.object({ day: date(), ...reportedEnergyUses(maxKwhOfDay) });

const hourlyEnergyReport = () => z.object({ start: hourStart(), ...reportedEnergyUses(maxKwhOfHour) });

const holidayReport = () => z.object({ ...reportedHoliday(), fulfilsVersion: fulfilsVersion() });

/** What appliances report regularly or when it has changed. */
export const applianceReports = {
  'circuit.reported.v1': { ...ofGateway, data: circuitReport },
  'time-program.reported.v1': { ...ofGateway, data: timeProgramReport },
  'energy.reported.v1': { ...ofGateway, data: energyReport },
  'hourly-energy.reported.v1': { ...ofGateway, data: hourlyEnergyReport },
  'measurements.reported.v1': { ...ofGateway, data: measurementReport },
  'holiday.reported.v1': { ...ofGateway, data: holidayReport },
} as const satisfies Record<string, InboundEventRow>;

type Rows = typeof applianceReports;

export const applianceReportDocs = (): { readonly [Type in keyof Rows]: EventDocs<Rows[Type]> } => ({
  'circuit.reported.v1': circuitReportDocs(),
  'time-program.reported.v1': timeProgramReportDocs(),
  'energy.reported.v1': energyReportDocs(),
  'hourly-energy.reported.v1': hourlyEnergyReportDocs(),
  'measurements.reported.v1': measurementReportDocs(),
  'holiday.reported.v1': holidayReportDocs(),
});

const fulfilsVersionDescription =
  'The highest version of a requested change that this report fulfills. A gateway that does not return versions omits it: the change then counts as fulfilled when the newest report has all of its settings.';

const circuitReportDocs = () => {
  const { family, circuitId } = changeItemDescriptions();
  const { heatingCurve: curve, levelSetpoints: levels, ...heatingSettings } = heatingSettingDescriptions();
  const { levelSetpoints: _, ...dhwSettings } = dhwSettingDescriptions();
  const target = targetDescription();
  const ofSensor = `null, ${openSensorCelsius} (open) or ${shortSensorCelsius} (short) if the sensor cannot be read`;
  return {
    summary:
      'The current name, settings and measurements of a circuit. Always send all of them: a report replaces the previous report.',
    example: {
      subject: 'gw-1001',
      data: {
        family: 'heating',
        circuitId: 'hc1',
        fulfilsVersion: 2,
        reported: {
          displayName: 'Ground floor',
          operationMode: 'auto',
          roomSetpointCelsius: 21.5,
          levelSetpoints: levelSetpointsExample(),
          heatingCurve: heatingCurveExample(),
          activeTimeProgramId: '1',
          target: { temperatureCelsius: 17, level: 'reduced' },
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
        description: 'The name, all settings and all measurements of the circuit.',
        properties: {
          displayName: `${circuitName}. Absent, null or empty if it has none.`,
          ...mapRows({ ...dhwSettings, ...heatingSettings }, (text, name) =>
            rareSetpoints().includes(name) ? `${text} Absent or null if the circuit has none.` : text,
          ),
          levelSetpoints: {
            description:
              'The setpoints of all levels that the circuit has. The level `comfort` is ignored: its setpoint is `roomSetpointCelsius` or `waterSetpointCelsius`. Absent or null if the circuit has no levels.',
            properties: levels.properties,
          },
          heatingCurve: { ...curve, description: `${curve.description} Absent or null if the circuit has none.` },
          override: {
            description:
              'The override that the appliance applies; null when it has ended. Absent means null, but in the report that fulfils a requested override the requested one. An override of hot water has no setpoint.',
            properties: heatingOverrideDescription().properties,
          },
          target: { ...target, description: `${target.description} Absent or null if it is not known.` },
          roomTemperatureCelsius: `The measured room temperature in degrees Celsius; ${ofSensor}.`,
          supplyTemperatureCelsius: `The measured temperature in degrees Celsius of the water that flows to the radiators; ${ofSensor}.`,
          waterTemperatureCelsius: `The measured hot-water temperature in degrees Celsius; ${ofSensor}.`,
        },
      },
    },
  };
};

const timeProgramReportDocs = () => {
  const { family, circuitId, timeProgramId } = changeItemDescriptions();
  const { example, properties } = programContentDocs();
  return {
    summary: 'The current content of a time program.',
    example: {
      subject: 'gw-1001',
      data: { family: 'heating', circuitId: 'hc1', timeProgramId: '1', fulfilsVersion: 2, ...example },
    } as const,
    properties: { family, circuitId, timeProgramId, ...properties, fulfilsVersion: fulfilsVersionDescription },
  };
};

/** A missing measurement must not be read as 0. */
const notMeasured = 'null or absent, and never 0, if that is not measured';

const reportedEnergyDescriptions = () => ({
  heating: { description: 'Energy for room heating.', properties: energyUseDescriptions(notMeasured) },
  dhw: { description: 'Energy for hot water.', properties: energyUseDescriptions(notMeasured) },
  cooling: {
    description: 'Energy for cooling; absent for an appliance that cannot cool.',
    properties: coolingUseDescriptions(notMeasured),
  },
});

const energyReportDocs = () => ({
  summary: `The energy that an appliance consumed and delivered on a day. Send it when the day is over. If there are several reports of a day, the report with the latest time counts. To correct a day, send another report, which replaces all values of the day; one that cannot be used keeps the stored value. A day is kept for ${energyDays} days; a report of an older day has no effect.`,
  example: {
    subject: 'gw-1001',
    data: {
      day: '2026-11-20',
      heating: { electricityKwh: 7.4, heatKwh: 27.9 },
      dhw: { electricityKwh: 2.1, heatKwh: 5.8 },
      cooling: { electricityKwh: 0, removedHeatKwh: 0 },
    },
  } as const,
  properties: {
    day: 'The day, according to the calendar and the clock of the appliance. It must have begun in at least one time zone at the time of the event.',
    ...reportedEnergyDescriptions(),
  },
});

const hourlyEnergyReportDocs = () => ({
  summary: `The energy that an appliance consumed and delivered in an hour, if the appliance measures hours. Send it when the hour is over, beside the event of each day. If there are several reports of an hour, the report with the latest time counts, and replaces all values of the hour; one that cannot be used keeps the stored value. An hour is kept for ${hourlyEnergyDays} days; a report of an older hour has no effect.`,
  example: {
    subject: 'gw-1001',
    data: {
      start: '2026-11-21T05:00:00Z',
      heating: { electricityKwh: 0.412, heatKwh: 1.553 },
      dhw: { electricityKwh: 0.31, heatKwh: 0.856 },
    },
  } as const,
  properties: {
    start:
      'The start of the hour by the clock of the appliance, with any offset: 0, 15, 30 or 45 minutes past an hour of UTC. It must not be after the time of the event.',
    ...reportedEnergyDescriptions(),
  },
});

const holidayReportDocs = () => {
  const { example, properties } = holidayPeriodDocs();
  return {
    summary:
      'The current holiday of a home, if any. A gateway with the feature `holidays` reports it once after it was described, and then on each change.',
    example: { subject: 'gw-1001', data: { holiday: example } } as const,
    properties: {
      holiday: {
        description:
          'The upcoming or current holiday; null if there is none, or if it has ended. Absent means null, but in the report that fulfils a requested holiday the requested one.',
        properties,
      },
      fulfilsVersion: fulfilsVersionDescription,
    },
  };
};
