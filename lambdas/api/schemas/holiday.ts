import * as z from 'zod/mini';
import { maxHolidayDays } from '../limits.ts';
import {
  changeStatus,
  changeStatusDescriptions,
  changeStatusExample,
  changeTerms,
  changeTermsDescriptions,
} from './change-status.ts';
import { type Documentation, gatewayIdDescription, id, mayBeAbsent, timestamp, type Values } from './common.ts';
import { celsius, requestedCelsius } from './measurement.ts';

export const holidayUpdate = () =>
  z.strictObject({ from: timestamp(), to: timestamp(), roomSetpointCelsius: requestedCelsius(), ...changeTerms() });

/** A holiday as appliances have it. */
const period = () => ({ from: timestamp(), to: timestamp(), roomSetpointCelsius: celsius() });

/** The setting as it is desired: one holiday, or none. */
export const holidaySettings = () => ({ holiday: z.nullable(z.object(period())) });

/** The setting in a report. Null and absent both mean that there is no holiday. */
export const reportedHoliday = () => ({ holiday: mayBeAbsent(z.object(period())) });

export type HolidaySettings = Values<ReturnType<typeof holidaySettings>>;
export type HolidayPeriod = NonNullable<HolidaySettings['holiday']>;

export const holiday = () =>
  z.looseObject({ gatewayId: id(), ...changeStatus({ holiday: z.nullable(z.looseObject(period())) }) });

export const holidayUpdateDocs = (): Documentation<typeof holidayUpdate> => ({
  ...holidayPeriodDocs(),
  properties: { ...holidayPeriodDocs().properties, ...changeTermsDescriptions() },
});

export const holidayPeriodDocs = () => ({
  example: { from: '2026-12-24T12:00:00Z', to: '2027-01-02T16:00:00Z', roomSetpointCelsius: 16 },
  properties: {
    from: 'When the holiday begins, UTC. If this time is in the past, the holiday begins at once.',
    to: `When the holiday ends, UTC: after \`from\`, and at most ${maxHolidayDays} days ahead.`,
    roomSetpointCelsius: 'The room temperature of all heating circuits during the holiday, in degrees Celsius.',
  },
});

export const holidayDocs = (): Documentation<typeof holiday> => ({
  example: { gatewayId: 'gw-1001', ...changeStatusExample(), holiday: holidayPeriodDocs().example },
  properties: {
    gatewayId: gatewayIdDescription,
    holiday: {
      description:
        'The upcoming or current holiday; null if there is none. A holiday has ended when its `to` has passed.',
      properties: holidayPeriodDocs().properties,
    },
    ...changeStatusDescriptions(),
  },
});
