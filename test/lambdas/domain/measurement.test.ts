import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxMeasurements, measurementDays } from '../../../lambdas/api/limits.ts';
import {
  type KnownMeasurementName,
  knownMeasurementNames,
  knownMeasurements,
} from '../../../lambdas/api/schemas/known-measurements.ts';
import {
  measuredSince,
  measurementsIn,
  type StoredMeasurements,
  shownAt,
  usableMeasurements,
  withNewer,
} from '../../../lambdas/domain/measurement.ts';
import { inUnit } from '../../../lambdas/domain/measurement-units.ts';
import { seed } from '../../support/random.ts';

type ReportedMeasurement = Parameters<typeof usableMeasurements>[0][number];

const reportedAtMs = Date.parse('2036-03-10T12:00:00Z');
const timeOf = (ms: number) => new Date(ms).toISOString();
const weekMs = measurementDays * 86_400_000;

/** Returns what is shown of one reported measurement, or what was expected of it. */
const read = (reported: ReportedMeasurement) => {
  const { usable, faults } = usableMeasurements([reported], reportedAtMs);
  return { shown: measurementsIn(usable), faults };
};

describe('a measurement in any usual spelling has one normal form', () => {
  test.each<[what: string, reported: ReportedMeasurement, shown: object]>([
    ['a number', { name: 'outdoorTemperature', value: 4.5 }, { value: 4.5, unit: 'celsius', state: null }],
    ['noise', { name: 'outdoorTemperature', value: 20.299999999999997 }, { value: 20.3 }],
    ['minus zero', { name: 'outdoorTemperature', value: -0.001 }, { value: 0 }],
    ['an open sensor', { name: 'outdoorTemperature', value: -3276.8, unit: '°C' }, { value: null, unit: 'celsius' }],
    ['a shorted sensor', { name: 'flowTemperature', value: 3276.7 }, { value: null }],
    ['a number with a state', { name: 'flowTemperature', value: 34.1, state: 'ok' }, { value: 34.1, state: null }],
    ['no value', { name: 'waterPressure' }, { value: null, unit: 'bar', state: null }],
    ['a value of null of Go', { name: 'waterPressure', value: '', unit: '' }, { value: null, unit: 'bar' }],
    ['the coldest', { name: 'outdoorTemperature', value: -50 }, { value: -50 }],
    ['the hottest', { name: 'flowTemperature', value: 150 }, { value: 150 }],
    ['a pressure in mbar', { name: 'waterPressure', value: 1600, unit: 'mbar' }, { value: 1.6, unit: 'bar' }],
    ['a power in kW', { name: 'electricPower', value: 1.25, unit: 'kW' }, { value: 1250, unit: 'watt' }],
    ['a defrost', { name: 'heatOutput', value: -400, unit: 'W' }, { value: -400 }],
    ['a state', { name: 'compressor', state: 'on' }, { value: null, unit: null, state: 'on' }],
    ['a state as a boolean', { name: 'compressor', state: true }, { state: 'on' }],
    ['a state as a value', { name: 'circulationPump', value: false }, { value: null, state: 'off' }],
    ['a state as 1', { name: 'circulationPump', value: 1 }, { value: null, state: 'on' }],
    ['a state as 0', { name: 'burner', state: 0 }, { state: 'off' }],
    ['a state in capitals', { name: 'burner', state: 'OFF' }, { state: 'off' }],
    ['a state of Python', { name: 'burner', state: 'True' }, { state: 'on' }],
    ['a state of an installer', { name: 'heatingPump', value: 'no' }, { state: 'off' }],
    ['a state that only the appliance knows', { name: 'compressor', state: 'Standby' }, { state: 'Standby' }],
    ['an unknown state', { name: 'compressor', state: '' }, { value: null, state: null }],
    ['a name in capitals', { name: 'OUTDOOR_TEMPERATURE', value: 1 }, { name: 'outdoorTemperature', unit: 'celsius' }],
    ['a name with hyphens', { name: 'outdoor-temperature', value: 1 }, { name: 'outdoorTemperature' }],
    ['a name with blanks', { name: 'Outdoor Temperature', value: 1 }, { name: 'outdoorTemperature' }],
    ['another name', { name: 'fanSpeed', value: 620, unit: 'rpm' }, { name: 'fanSpeed', value: 620, unit: 'rpm' }],
    ['another name without a unit', { name: 'starts', value: 12 }, { value: 12, unit: null, state: null }],
    ['another name with a state', { name: 'defrost', value: true }, { value: null, unit: null, state: 'on' }],
    ['another name with a word', { name: 'phase', value: 'hot gas' }, { value: null, state: 'hot gas' }],
    ['another name with both', { name: 'fan', value: 620, state: 'on' }, { value: 620, state: 'on' }],
    ['another name without a value', { name: 'fan', unit: 'rpm' }, { value: null, unit: null, state: null }],
    ['another name with noise', { name: 'x', value: 0.30000000000000004 }, { value: 0.3 }],
    ['the smallest double', { name: 'x', value: -5e-324 }, { value: 0 }],
    ['the largest number', { name: 'x', value: 1e12 }, { value: 1e12 }],
    ['a property name of every object', { name: '__proto__', value: 1, unit: 'x' }, { name: '__proto__', unit: 'x' }],
    ['another one', { name: 'constructor', value: 1 }, { name: 'constructor', unit: null }],
    ['a component', { name: 'flowTemperature', componentId: '2', value: 1 }, { componentId: '2' }],
    ['an empty component', { name: 'flowTemperature', componentId: '', value: 1 }, { componentId: null }],
    ['no time', { name: 'burner' }, { atMs: reportedAtMs }],
    ['a time of Go that is missing', { name: 'burner', measuredAt: '' }, { atMs: reportedAtMs }],
    ['almost a week ago', { name: 'burner', measuredAt: timeOf(reportedAtMs - weekMs + 1) }, { state: null }],
    ['a time', { name: 'burner', measuredAt: timeOf(reportedAtMs - 1) }, { atMs: reportedAtMs - 1 }],
    ['a clock that is ahead', { name: 'burner', measuredAt: timeOf(reportedAtMs + 1) }, { atMs: reportedAtMs }],
  ])('%s', (_, reported, shown) => {
    expect(read(reported)).toMatchObject({ shown: [shown], faults: [] });
  });

  test.each<[what: string, reported: ReportedMeasurement, expected: string]>([
    ['a text', { name: 'flowTemperature', value: '34,1' }, 'Expected of flowTemperature a number.'],
    ['a boolean', { name: 'waterPressure', value: true }, 'Expected of waterPressure a number.'],
    [
      'another unit',
      { name: 'waterPressure', value: 1, unit: 'K' },
      'the unit bar, or one that can be converted to it.',
    ],
    ['an ambiguous unit', { name: 'waterPressure', value: 1, unit: 'MPa' }, 'Expected of waterPressure the unit bar'],
    [
      'a number as a state',
      { name: 'flowTemperature', state: 34.1 },
      'Expected of flowTemperature a number in `value`.',
    ],
    ['a text with a unit', { name: 'fanSpeed', value: '21,5', unit: 'rpm' }, 'Expected a number in `value`'],
    ['a text that is a number', { name: 'burner', state: '2' }, 'Expected of burner a word, a boolean, 0 or 1.'],
    ['a text that is a decimal', { name: 'mode', state: '2,5' }, 'Expected a word, a boolean, 0 or 1 as state.'],
    ['a speed as a state', { name: 'compressor', value: 35 }, 'Expected of compressor a word, a boolean, 0 or 1.'],
    ['a state of another name', { name: 'fan', state: 2 }, 'Expected a word, a boolean, 0 or 1 as state.'],
    ['an endless number', { name: 'x', value: 1.1e12 }, 'Expected a number of at most 1000000000000.'],
    ['an endless negative number', { name: 'x', value: -1e308 }, 'Expected a number of at most'],
    ['a week ago', { name: 'burner', measuredAt: timeOf(reportedAtMs - weekMs) }, 'within the last 7 days.'],
    ['a clock without battery', { name: 'burner', measuredAt: '1970-01-01T00:00:00Z' }, 'within the last 7 days.'],
  ])('but not %s', (_, reported, expected) => {
    expect(read(reported)).toEqual({ shown: [], faults: [expect.stringContaining(expected)] });
  });

  test.each([
    ['waterPressure', -0.01, 'a number from 0 to 25 bar.'],
    ['waterPressure', 25.01, 'a number from 0 to 25 bar.'],
    ['outdoorTemperature', 6553.5, 'a number from -50 to 150 celsius.'],
  ])('and a number outside its range is that of a broken sensor: %s %d', (name, value, expected) => {
    expect(read({ name, value })).toMatchObject({
      shown: [{ value: null }],
      faults: [`Expected of ${name} ${expected}`],
    });
  });

  test.each([
    ['celsius', 'celsius', 21, 21],
    ['celsius', '°C', 21, 21],
    ['celsius', 'º c', 21, 21],
    ['celsius', 'Degrees Celsius', 21, 21],
    ['celsius', 'K', 294.15, 21],
    ['celsius', '°F', 212, 100],
    ['celsius', 'fahrenheit', 32, 0],
    ['bar', 'hPa', 1013, 1.013],
    ['bar', 'kPa', 160, 1.6],
    ['bar', 'Pa', 160_000, 1.6],
    ['bar', 'psi', 14.5038, 1],
    ['celsius', 'DEGREES_CELSIUS', 20, 20],
    ['celsius', '˚\u00a0C', 20, 20],
    ['bar', 'kilopascal', 160, 1.6],
    ['litersPerHour', 'LITERS_PER_HOUR', 900, 900],
    ['watt', 'Watts', 800, 800],
    ['watt', 'kW', 0.8, 800],
    ['watt', 'kilowatt', 0.8, 800],
    ['litersPerHour', 'l/min', 20, 1200],
    ['litersPerHour', 'LPM', 20, 1200],
    ['litersPerHour', 'm3/h', 1.2, 1200],
    ['litersPerHour', 'l / s', 0.5, 1800],
    ['litersPerHour', 'm³/h', 1.2, 1200],
    ['percent', '%', 40, 40],
    ['bar', 'constructor', 1, undefined],
    ['watt', 'MW', 1, undefined],
    ['litersPerHour', 'gpm', 1, undefined],
  ] as const)('%s of a number in %s: %d → %s', (unit, written, value, expected) => {
    const converted = inUnit(unit, value, written);
    if (expected === undefined) expect(converted).toBeUndefined();
    else expect(converted).toBeCloseTo(expected, 3);
  });

  test('and whatever a report has, each of its measurements is in its normal form, in its range, or named', () => {
    const word = fc.oneof(
      fc.constantFrom('', 'on', 'OFF', 'kW', '°F', 'mbar', '1', '__proto__', 'standby'),
      fc.string(),
    );
    const reading = fc.option(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), word), {
      nil: undefined,
    });
    const name = fc.oneof(fc.constantFrom(...knownMeasurementNames), fc.string({ minLength: 1, maxLength: 8 }));
    const reported = fc.record({
      name: name.map((each) => each.replaceAll('\n', ' ')),
      value: reading,
      state: reading,
      unit: fc.option(word, { nil: undefined }),
    });
    fc.assert(
      fc.property(reported, (each) => {
        const { usable, faults } = usableMeasurements([each], reportedAtMs);
        const shown = measurementsIn(usable);
        expect(shown.length + faults.length).toBeGreaterThan(0);
        for (const { name: shownName, value, unit, state } of shown) {
          const row = knownMeasurementNames.some((known) => known === shownName)
            ? knownMeasurements[shownName as KnownMeasurementName]
            : undefined;
          if (row) expect(unit).toBe(row.unit);
          if (row?.unit) expect(value === null || (value >= row.minimum && value <= row.maximum)).toBe(true);
          if (row?.unit === null) expect(value).toBeNull();
          if (row?.unit) expect(state).toBeNull();
          // What is shown can be reported again, and is the same.
          const { usable: again } = usableMeasurements(
            [{ name: shownName, value: value ?? undefined, unit: unit ?? undefined, state: state ?? undefined }],
            reportedAtMs,
          );
          expect(again).toEqual(usable);
        }
      }),
      { seed },
    );
  });
});

test('of a report, the newest of a name and component counts, and of the same time the last', () => {
  const at = (ms: number) => timeOf(reportedAtMs - ms);
  const { usable } = usableMeasurements(
    [
      { name: 'flowTemperature', value: 1, measuredAt: at(1000) },
      { name: 'flowTemperature', value: 2, measuredAt: at(2000) },
      { name: 'flowTemperature', componentId: '1', value: 3 },
      { name: 'flow_temperature', componentId: '1', value: 4 },
    ],
    reportedAtMs,
  );
  expect(measurementsIn(usable)).toMatchObject([
    { componentId: null, value: 1, atMs: reportedAtMs - 1000 },
    { componentId: '1', value: 4 },
  ]);
});

test('a report has the first fifty measurements, and names the first five faults', () => {
  const number = (index: number): ReportedMeasurement => ({ name: `n${index}`, value: index });
  const most = Array.from({ length: maxMeasurements }, (_, index) => number(index));
  expect(usableMeasurements(most, reportedAtMs).faults).toEqual([]);
  const tooMany = usableMeasurements([...most, number(maxMeasurements)], reportedAtMs);
  expect(Object.keys(tooMany.usable)).toHaveLength(maxMeasurements);
  expect(tooMany.faults).toEqual(['Expected at most 50 measurements.']);
  const broken = Array.from({ length: 6 }, () => ({ name: 'waterPressure', value: 'x' }));
  expect(usableMeasurements(broken, reportedAtMs).faults).toHaveLength(5);
});

describe('the measurements of a gateway', () => {
  const nowMs = reportedAtMs;
  const bounds = { removedAtMs: 0, nowMs };
  const of = (entries: Readonly<Record<string, number>>): StoredMeasurements =>
    Object.fromEntries(Object.entries(entries).map(([name, atMs]) => [`${name}\n`, { value: atMs, atMs }]));

  test('are replaced by newer ones of the same name; the others stay', () => {
    const known = of({ one: nowMs - 20, other: nowMs - 30 });
    expect(withNewer(known, of({ one: nowMs - 10 }), bounds)).toEqual(of({ one: nowMs - 10, other: nowMs - 30 }));
    expect(withNewer(known, of({ one: nowMs - 20, third: nowMs - 40 }), bounds)).toEqual({
      ...known,
      ...of({ third: nowMs - 40 }),
    });
    expect(withNewer(known, of({ one: nowMs - 20, other: nowMs - 31 }), bounds)).toBeUndefined();
    expect(withNewer({}, {}, bounds)).toBeUndefined();
  });

  test('do not count if they are from before a removal, or older than a week', () => {
    expect(withNewer({}, of({ one: nowMs - 5 }), { nowMs, removedAtMs: nowMs - 5 })).toBeUndefined();
    expect(withNewer({}, of({ one: nowMs - 4 }), { nowMs, removedAtMs: nowMs - 5 })).toEqual(of({ one: nowMs - 4 }));
    expect(withNewer({}, of({ one: nowMs - weekMs }), bounds)).toBeUndefined();
    expect(withNewer({}, of({ one: nowMs - weekMs + 1 }), bounds)).toEqual(of({ one: nowMs - weekMs + 1 }));
  });

  test('are dropped after a week, and the oldest if there are more than fifty', () => {
    const old = of({ old: nowMs - weekMs, young: nowMs - weekMs + 1 });
    expect(Object.keys(shownAt(old, nowMs))).toEqual(['young\n']);
    expect(Object.keys(withNewer(old, of({ next: nowMs }), bounds) ?? {})).toEqual(['next\n', 'young\n']);
    const many = of(
      Object.fromEntries(Array.from({ length: maxMeasurements + 2 }, (_, index) => [`n${index}`, nowMs - index])),
    );
    const names = Object.keys(shownAt(many, nowMs));
    expect([names.length, names.at(-1)]).toEqual([maxMeasurements, 'n49\n']);
  });

  test('since a time are those after it', () => {
    expect(measuredSince(of({ one: 1, other: 2 }), 1)).toEqual(of({ other: 2 }));
  });

  test('are in the order of names and components', () => {
    const { usable } = usableMeasurements(
      [
        { name: 'b', value: 1 },
        { name: 'a', componentId: '2', value: 1 },
        { name: 'a', componentId: '1', value: 1 },
        { name: 'a', value: 1 },
      ],
      reportedAtMs,
    );
    expect(measurementsIn(usable).map(({ name, componentId }) => [name, componentId])).toEqual([
      ['a', null],
      ['a', '1'],
      ['a', '2'],
      ['b', null],
    ]);
  });
});
