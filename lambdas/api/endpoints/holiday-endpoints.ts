import { holiday, holidayUpdate } from '../schemas/holiday.ts';
import { ofChanges } from './circuit-endpoints.ts';
import type { Endpoint } from './endpoint.ts';

const ofHoliday = {
  path: '/hvacs/{gatewayId}/holiday',
  ratePolicy: 'gateway',
  onBehalfOfUser: true,
} as const;

const change = {
  ...ofHoliday,
  ...ofChanges,
  preloads: ['gateway', 'holiday'],
  success: { status: 202, body: holiday, headers: ['ETag'] },
} as const;

/** The rows of the holiday of a home: a period in which all its heating circuits hold one temperature. */
export const holidayEndpoints = {
  getHoliday: {
    ...ofHoliday,
    summary: 'Get the holiday',
    description: 'Shows the holiday of a home.',
    method: 'GET',
    preloads: ['holiday'],
    success: { status: 200, body: holiday, headers: ['ETag'] },
  },
  setHoliday: {
    ...change,
    summary: 'Set the holiday',
    description: 'Sets one temperature for all heating circuits of a home between two times.',
    method: 'PUT',
    body: holidayUpdate,
  },
  deleteHoliday: {
    ...change,
    summary: 'End the holiday',
    description: 'Ends the holiday of a home, or cancels it before it begins.',
    method: 'DELETE',
  },
} as const satisfies Record<string, Endpoint>;
