import { maxMeasurements, measurementDays } from '../api/limits.ts';
import { knownWord } from '../api/schemas/common.ts';
import {
  type KnownMeasurementName,
  knownMeasurementNames,
  knownMeasurements,
  type MeasurementUnit,
} from '../api/schemas/known-measurements.ts';
import { type Measurement as Range, toHundredths } from '../api/schemas/measurement.ts';
import { inUnit } from './measurement-units.ts';

/**
 * A measurement as it is stored: a number or a state, and neither if the sensor cannot be read. Only a measurement whose name
 * is not known has its unit.
 */
export type StoredMeasurement = {
  readonly value?: number;
  readonly unit?: string | undefined;
  readonly state?: string;
  readonly atMs: number;
};

/** The newest measurements of a gateway, by name and component. */
export type StoredMeasurements = Readonly<Record<string, StoredMeasurement>>;

/** A measurement as a gateway backend reports it: in any usual spelling, and without what is null. An empty text is absent. */
type ReportedMeasurement = {
  readonly name: string;
  readonly componentId?: string | undefined;
  readonly value?: Reading | undefined;
  readonly unit?: string | undefined;
  readonly state?: Reading | undefined;
  readonly measuredAt?: string | undefined;
};

type Reading = number | boolean | string;

type UsableMeasurements = {
  readonly usable: StoredMeasurements;
  /** What was expected of the first measurements that cannot be used. */
  readonly faults: readonly string[];
};

const maxFaults = 5;

/** Returns the usable measurements of a report of that time, in their normal form. */
export const usableMeasurements = (
  reported: readonly ReportedMeasurement[],
  reportedAtMs: number,
): UsableMeasurements => {
  const faults: string[] = [];
  const found: [key: string, measurement: StoredMeasurement][] = [];
  for (const each of reported.slice(0, maxMeasurements)) {
    const name = knownNameOf(each.name);
    const atMs = timeOf(each, reportedAtMs);
    const { read, fault } = atMs > oldestAt(reportedAtMs) ? readingOf(name, each) : tooOld;
    if (fault !== undefined) faults.push(fault);
    if (read) found.push([keyOf(name ?? each.name, each.componentId), { ...read, atMs }]);
  }
  if (reported.length > maxMeasurements) faults.push(`Expected at most ${maxMeasurements} measurements.`);
  // Of several with one key, the newest one counts, and of the same time the last one.
  const oldestFirst = found.toSorted(([, one], [, other]) => one.atMs - other.atMs);
  return { usable: Object.fromEntries(oldestFirst), faults: faults.slice(0, maxFaults) };
};

/** What was measured, if it can be used, and what was expected of it otherwise. */
type Outcome = { readonly read?: Omit<StoredMeasurement, 'atMs'>; readonly fault?: string };

const tooOld: Outcome = { fault: `Expected a time within the last ${measurementDays} days.` };

/** A measurement cannot have been made after its report: with a clock that is ahead, it would outlast all later ones. */
const timeOf = ({ measuredAt }: ReportedMeasurement, reportedAtMs: number): number =>
  Math.min(measuredAt ? Date.parse(measuredAt) : reportedAtMs, reportedAtMs);

/** No name or id has a line break. With one, no key is the name of a property of every object. */
const keyOf = (name: string, componentId = ''): string => `${name}\n${componentId}`;

/** `OUTDOOR_TEMPERATURE` → `outdoorTemperature`; undefined for a name that this version does not know. */
const knownNameOf = (written: string): KnownMeasurementName | undefined => knownWord(knownMeasurementNames, written);

const readingOf = (name: KnownMeasurementName | undefined, { value, unit, state }: ReportedMeasurement): Outcome => {
  const given = { value: present(value), unit: present(unit), state: present(state) };
  if (name === undefined) return readUnknown(given);
  const row = knownMeasurements[name];
  return row.unit === null ? readState(name, given) : readNumber(name, row, given);
};

const present = <Value>(value: Value): Value | undefined => (value === '' ? undefined : value);

type Given = Pick<ReportedMeasurement, 'value' | 'unit' | 'state'>;

const readState = (name: KnownMeasurementName, { value, state = value }: Given): Outcome => {
  const read = state === undefined ? {} : stateOf(state);
  return read ? { read } : { fault: `Expected of ${name} a word, a boolean, 0 or 1.` };
};

const readNumber = (
  name: KnownMeasurementName,
  { unit: own, minimum, maximum, faultValues = [] }: Range & { readonly unit: MeasurementUnit },
  { value, unit, state }: Given,
): Outcome => {
  if (value === undefined && state !== undefined) return { fault: `Expected of ${name} a number in \`value\`.` };
  if (value === undefined || faultValues.some((each) => each === value)) return { read: {} };
  if (typeof value !== 'number') return { fault: `Expected of ${name} a number.` };
  const converted = inUnit(own, value, unit);
  if (converted === undefined)
    return { fault: `Expected of ${name} the unit ${own}, or one that can be converted to it.` };
  const rounded = toHundredths(converted);
  if (rounded >= minimum && rounded <= maximum) return { read: { value: rounded } };
  // As in a report of a circuit: a sensor with such a value is broken.
  return { read: {}, fault: `Expected of ${name} a number from ${minimum} to ${maximum} ${own}.` };
};

/** The largest number of a measurement that is not known. The store accepts only numbers of limited length. */
const maxUnknown = 1e12;

/** Returns what another measurement read: a number with its unit as it is written, a state, or both. */
const readUnknown = ({ value, unit, state = typeof value === 'number' ? undefined : value }: Given): Outcome => {
  if (typeof value === 'string' && unit !== undefined)
    return { fault: 'Expected a number in `value`, since it has a unit.' };
  const read = state === undefined ? {} : stateOf(state);
  if (!read) return { fault: 'Expected a word, a boolean, 0 or 1 as state.' };
  if (typeof value !== 'number') return { read };
  if (Math.abs(value) > maxUnknown) return { fault: `Expected a number of at most ${maxUnknown}.` };
  return { read: { ...read, value: toThousandths(value), unit } };
};

const toThousandths = (value: number): number => Math.round(value * 1000) / 1000 + 0;

/** The spellings of a switched state, in lower case. */
const spellings: ReadonlyMap<string, string> = new Map(
  Object.entries({ on: ['on', '1', 'true', 'yes'], off: ['off', '0', 'false', 'no'] }).flatMap(([state, words]) =>
    words.map((word) => [word, state] as const),
  ),
);

/** Returns a state in its normal form: `on`, `off`, or the word of the appliance; undefined for other numbers than 0 and 1. */
const stateOf = (reading: Reading): Pick<StoredMeasurement, 'state'> | undefined => {
  const state = spellings.get(String(reading).toLowerCase()) ?? String(reading);
  return Number.isNaN(Number(state.replace(',', '.'))) ? { state } : undefined;
};

type Bounds = { readonly removedAtMs: number; readonly nowMs: number };

/**
 * Returns the measurements of a gateway after a report. Each counts if it is newer than the known one of its name and component
 * and than the last removal of the gateway, and is not too old to be shown. Returns undefined if none counts.
 */
export const withNewer = (
  known: StoredMeasurements,
  reported: StoredMeasurements,
  { removedAtMs, nowMs }: Bounds,
): StoredMeasurements | undefined => {
  const since = Math.max(removedAtMs, oldestAt(nowMs));
  const isNewer = (key: string, { atMs }: StoredMeasurement) => !known[key] || known[key].atMs < atMs;
  const newer = entriesSince(reported, since).filter(([key, each]) => isNewer(key, each));
  return newer.length > 0 ? shownAt({ ...known, ...Object.fromEntries(newer) }, nowMs) : undefined;
};

/** Returns the measurements that are shown at a time: the newest, and none that is too old. */
export const shownAt = (measurements: StoredMeasurements, nowMs: number): StoredMeasurements =>
  Object.fromEntries(
    entriesSince(measurements, oldestAt(nowMs))
      .toSorted(([, one], [, other]) => other.atMs - one.atMs)
      .slice(0, maxMeasurements),
  );

/** Returns the measurements that were made after a time. */
export const measuredSince = (measurements: StoredMeasurements, sinceMs: number): StoredMeasurements =>
  Object.fromEntries(entriesSince(measurements, sinceMs));

const entriesSince = (measurements: StoredMeasurements, sinceMs: number) =>
  Object.entries(measurements).filter(([, { atMs }]) => atMs > sinceMs);

/** How long a measurement is kept if nothing newer is reported. */
export const measurementLifetimeMs = measurementDays * 86_400_000;

const oldestAt = (nowMs: number): number => nowMs - measurementLifetimeMs;

/** A measurement as it is shown, by its name and component; null where it has nothing. */
export type Measurement = {
  readonly name: string;
  readonly componentId: string | null;
  readonly value: number | null;
  readonly unit: string | null;
  readonly state: string | null;
  readonly atMs: number;
};

/** Returns measurements in the order of their names and components. */
export const measurementsIn = (measurements: StoredMeasurements): Measurement[] =>
  Object.keys(measurements)
    .toSorted()
    .map((key) => {
      const { value = null, state = null, unit, atMs } = measurements[key] as StoredMeasurement;
      const [name = '', componentId = ''] = key.split('\n');
      return { name, componentId: componentId || null, value, unit: unit ?? unitOf(name), state, atMs };
    });

const unitOf = (name: string): MeasurementUnit | null =>
  Object.hasOwn(knownMeasurements, name) ? knownMeasurements[name as KnownMeasurementName].unit : null;
