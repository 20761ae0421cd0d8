import { type Group, type Row, written } from './circuits.ts';

/** Each report also has a measurement that is usable and new. */
const of = (...measurements: unknown[]) => ({ measurements: [...measurements, { name: 'burner', state: 'on' }] });
const flow = (value: unknown, more: object = {}) => of({ name: 'flowTemperature', value, ...more });

/** What is read: the measurement without a component. */
const shown = (values: object) => ({ flowTemperature: { unit: 'celsius', state: null, ...values } });
const before = 34.1;

/** A flow temperature as it is reported, and the value that is shown. */
const row = (what: string, reported: object, value: number | null = before, unusable?: string): Row =>
  unusable === undefined ? [what, reported, shown({ value })] : [what, reported, shown({ value }), unusable];

/** Reports of measurements, in the form of `circuits.ts`. `lambdas/domain/measurement.ts` has the spellings of each value. */
export const measurementGroups: Readonly<Record<string, Group>> = {
  measurements: {
    type: 'measurements.reported.v1',
    about: {},
    before: flow(before),
    rows: [
      row('a usual one', flow(30.5), 30.5),
      row('an open sensor', flow(-3276.8), null),
      row('a shorted sensor', flow(3276.7), null),
      row('NaN of Python', flow(written('NaN')), null),
      row('noise', flow(20.299999999999997), 20.3),
      row('degrees of the USA', flow(93.2, { unit: '°F' }), 34),
      row('nulls', flow(30, { unit: null, state: null, componentId: null, measuredAt: null }), 30),
      row('empty texts of Go', flow(30, { unit: '', state: '', componentId: '', measuredAt: '' }), 30),
      row('a name of a Java enum', of({ name: 'FLOW_TEMPERATURE', value: 30 }), 30),
      row('a time before the last one', flow(30, { measuredAt: '2036-03-10T12:00:00.123456789Z' })),
      row('more properties', flow(30, { quality: 'good' }), 30),
      row('another component', flow(30, { componentId: '2' })),
      row('a measurement of null', of(null, { name: 'flowTemperature', value: 30 }), 30, '/measurements/0'),
      row('a broken sensor', flow(6553.5), null, '/measurements'),
      row('a disconnected sensor', flow(-127), null, '/measurements'),
      row('a text with a comma', flow('30,5'), before, '/measurements'),
      row('a unit of pressure', flow(1, { unit: 'bar' }), before, '/measurements'),
      row('a list of values', flow([30, 31]), before, '/measurements/0/value'),
      row('a number as component', flow(30, { componentId: 1 }), before, '/measurements/0/componentId'),
      row(
        'a time without offset',
        flow(30, { measuredAt: '2036-03-12T10:00:00' }),
        before,
        '/measurements/0/measuredAt',
      ),
      row('a clock without battery', flow(30, { measuredAt: '1970-01-01T00:00:00Z' }), before, '/measurements'),
    ],
  },
};
