import { cleanText } from '../api/schemas/common.ts';
import { toHundredths } from '../api/schemas/measurement.ts';
import { daysOfWeek } from '../api/schemas/time-program.ts';

/**
 * Returns settings in the form in which they are stored, shown and compared: numbers to a hundredth, names in NFC, switch
 * points in the order of the week. Appliances report them in an order and a spelling of their own.
 */
export const inNormalForm = <Settings extends object>(settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, normalValue(name, value)])) as Settings;

const normalValue = (name: string, value: unknown): unknown => {
  if (typeof value === 'number') return toHundredths(value);
  if (name === 'name') return String(value).normalize('NFC');
  if (name === 'switchPoints') return inWeekOrder(value as SwitchPoint[]);
  return value;
};

type SwitchPoint = { readonly dayOfWeek: (typeof daysOfWeek)[number]; readonly time: string };

const inWeekOrder = (points: readonly SwitchPoint[]): SwitchPoint[] =>
  points.toSorted((one, other) => orderOf(one).localeCompare(orderOf(other)));

const orderOf = ({ dayOfWeek, time }: SwitchPoint): string => `${daysOfWeek.indexOf(dayOfWeek)} ${time}`;

/** Whether two texts look the same: an appliance may drop invisible characters, as this service does in reports. */
export const isSameText = (one: string, other: string): boolean => cleanText(one) === cleanText(other);

/** Whether two times are the same to an appliance, which stores them to the minute and may round up or down. */
export const isSameMinute = (one: string, other: string): boolean =>
  Math.abs(Date.parse(one) - Date.parse(other)) < 60_000;
