import fc from 'fast-check';
import type { InboundEventType } from '../../../../lambdas/api/inbound-events/inbound-events.ts';
import { applianceFunctions } from '../../../../lambdas/api/schemas/gateway.ts';
import { anyText } from '../../../support/random.ts';
import { startMs } from '../../../support/world.ts';

export const minuteMs = 60_000;

export type GeneratedReport = {
  readonly type: InboundEventType;
  readonly data: object;
  /** The time of the envelope, in the format of some library. */
  readonly timeOf: (ms: number) => string;
  /** Unknown properties of the envelope. */
  readonly extras: object;
};

/** Names that no schema has, but every JavaScript object has. */
const strangeName = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'a/b~c'),
  anyText(5),
);

const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(0, -0, 1e-7, 5e-324, 1e308, -3276.8, 3276.7, 6553.5, -90.3, 2 ** 31, 2 ** 53, 20.299999999999997),
);

const text = fc.oneof(
  anyText(8),
  anyText(600),
  fc.constantFrom(
    '',
    ' ',
    '\u200f',
    'בית\u200f',
    'a\nb',
    '\u0000',
    '__proto__',
    'NaN',
    '21,5',
    '24:00',
    'null',
    'x'.repeat(1000),
  ),
);

const timeText = fc.constantFrom(
  ...['2036-03-10T12:00:00Z', '2036-03-10T12:00:00.123456789Z', '2036-03-10T13:00:00.5+01:00', '1970-01-01T00:00:00Z'],
  ...[
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '2036-02-30T00:00:00Z',
    '2036-03-10',
    '2036-03-10T12:00:00',
    'noon',
  ],
);

/** Any JSON value. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  ...[number, text, timeText, fc.boolean(), fc.constant(null)],
  fc.array(fc.oneof(number, text, fc.constant(null)), { maxLength: 4 }),
  fc.dictionary(strangeName, fc.oneof(number, text, fc.constant(null)), { maxKeys: 3 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Mostly a valid value, sometimes any value. */
const or = (usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { arbitrary: usual, weight: 3 },
    { arbitrary: fc.constant(null), weight: 1 },
    { arbitrary: anything, weight: 2 },
  );

/** Any of the properties, and some unknown ones. The data keeps the ids of its subject. */
const some = (properties: Readonly<Record<string, fc.Arbitrary<unknown>>>, about: object = {}): fc.Arbitrary<object> =>
  fc
    .tuple(fc.dictionary(strangeName, anything, { maxKeys: 2 }), fc.record(properties, { requiredKeys: [] }))
    .map(([strange, known]) => Object.fromEntries([strange, known, about].flatMap((each) => Object.entries(each))));

const celsius = or(fc.oneof(fc.integer({ min: -50, max: 150 }), fc.double({ min: -60, max: 160, noNaN: true })));
const word = or(fc.constantFrom('auto', 'off', 'cooling', 'Frost protection', 'אוטומטי\u200f', '自動'));
const id = or(fc.constantFrom('1', '2', '__proto__', 'prog-7.b'));
const time = or(timeText);
const listOf = (element: fc.Arbitrary<unknown>, maxLength = 6) => or(fc.array(or(element), { maxLength }));

const override = or(some({ roomSetpointCelsius: celsius, until: time, since: time }));
const settings = { operationMode: word, activeTimeProgramId: id, override };
const temperatures = {
  roomTemperatureCelsius: celsius,
  supplyTemperatureCelsius: celsius,
  waterTemperatureCelsius: celsius,
};
const target = or(some({ temperatureCelsius: celsius, level: word }));
const levelSetpoints = listOf(some({ level: word, setpointCelsius: celsius }));
const reported = or(
  some({
    displayName: or(text),
    ...settings,
    target,
    levelSetpoints,
    coolingSetpointCelsius: celsius,
    heatingCurve: or(some({ slope: celsius, shiftKelvin: celsius })),
    ...temperatures,
    roomSetpointCelsius: celsius,
    waterSetpointCelsius: celsius,
  }),
);

const switchPoint = some({
  dayOfWeek: or(fc.constantFrom('monday', 'FRIDAY', 'Sunday', 'Montag')),
  time: or(fc.constantFrom('06:00', '7:00', '07:00:00', '24:00', '24:01')),
  setpoint: word,
});
const energy = or(some({ electricityKwh: celsius, fuelKwh: or(number), heatKwh: or(number) }));
const cooling = or(some({ electricityKwh: celsius, fuelKwh: or(number), removedHeatKwh: or(number) }));
const reading = or(fc.oneof(number, text, fc.boolean(), fc.constantFrom('on', 'OFF', 'standby')));
const measurement = some({
  name: or(
    fc.oneof(fc.constantFrom('outdoorTemperature', 'WATER_PRESSURE', 'compressor', 'fanSpeed', '__proto__'), text),
  ),
  componentId: id,
  value: reading,
  unit: or(fc.constantFrom('celsius', '°F', 'kPa', 'rpm')),
  state: reading,
  measuredAt: time,
});
const component = some({ componentId: or(text), type: or(text), model: or(text), serialNumber: or(text) });
const limits = some({
  maxSwitchPoints: or(fc.nat()),
  maxSwitchPointsPerDay: or(fc.nat()),
  switchPointRasterMinutes: or(number),
});
const levelLimits = listOf(some({ level: word, minimum: celsius, maximum: celsius, step: celsius }));
const circuit = some({
  family: or(fc.constantFrom('heating', 'dhw')),
  circuitId: id,
  timeProgramIds: listOf(id),
  limits: or(some({ levelSetpoints: levelLimits })),
});

const fulfilsVersion = or(fc.integer({ min: 0, max: 5 }));
const ofHeating = { family: 'heating', circuitId: 'c1' };
const day = new Date(startMs).toISOString().slice(0, 10);
const start = new Date(startMs).toISOString();

const dataOf: readonly (readonly [type: InboundEventType, data: fc.Arbitrary<object>])[] = [
  ['circuit.reported.v1', some({ reported, fulfilsVersion }, ofHeating)],
  ['circuit.reported.v1', some({ reported, fulfilsVersion }, { ...ofHeating, family: 'dhw' })],
  [
    'time-program.reported.v1',
    some({ name: or(text), switchPoints: listOf(switchPoint), fulfilsVersion }, { ...ofHeating, timeProgramId: '1' }),
  ],
  [
    'holiday.reported.v1',
    some({ holiday: or(some({ from: time, to: time, roomSetpointCelsius: celsius })), fulfilsVersion }),
  ],
  ['measurements.reported.v1', some({ measurements: listOf(measurement) })],
  ['energy.reported.v1', some({ heating: energy, dhw: energy, cooling }, { day })],
  ['hourly-energy.reported.v1', some({ heating: energy, dhw: energy, cooling }, { start })],
  ['gateway.connectivity.v1', some({ connectivity: or(fc.constantFrom('online', 'offline')), lastSeenAt: time })],
  ...applianceFunctions.map(
    (name) => ['function.blocked.v1', some({ since: time, until: time }, { function: name })] as const,
  ),
  ['function.unblocked.v1', some({}, { function: 'poolHeating' })],
  [
    'gateway.described.v1',
    some({
      name: or(text),
      type: or(text),
      components: listOf(component),
      limits: or(limits),
      features: listOf(id),
      circuits: listOf(circuit),
    }),
  ],
];

/** The number of digits of the second, and the offset. */
const timeOf = fc
  .tuple(fc.constantFrom('', '.000', '.5', '.123456', '.1234567', '.123456789'), fc.constantFrom(0, 60, 345, -210))
  .map(([fraction, offset]) => (ms: number) => {
    const local = new Date(ms + offset * minuteMs).toISOString().slice(0, 19);
    const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
    const twoDigits = (value: number) => String(value).padStart(2, '0');
    return `${local}${fraction}${offset === 0 ? 'Z' : `${offset < 0 ? '-' : '+'}${twoDigits(hours)}:${twoDigits(minutes)}`}`;
  });

/** Any report of a company's gateway, about an existing item. */
export const anyReport: fc.Arbitrary<GeneratedReport> = fc
  .oneof(...dataOf.map(([type, data]) => data.map((each) => ({ type, data: each }))))
  .chain((report) =>
    fc
      .record({
        timeOf,
        extras: fc.dictionary(
          strangeName.map((name) => `x-${name}`),
          anything,
          { maxKeys: 2 },
        ),
      })
      .map((envelope) => ({ ...report, ...envelope })),
  );

/** Returns the values of a change as an appliance reports them: with another order, rounding and spelling. */
export const likeReported = (values: object, seed: number): object =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const [spelled] = fc.sample(spellingsOf(name, value), { numRuns: 1, seed });
      return [name, spelled];
    }),
  );

const spellingsOf = (name: string, value: unknown): fc.Arbitrary<unknown> => {
  if (typeof value === 'number')
    return fc.double({ min: -0.004, max: 0.004, noNaN: true }).map((noise) => value + noise);
  if (Array.isArray(value)) return fc.shuffledSubarray(value, { minLength: value.length });
  const written = String(value);
  if (name === 'from' || name === 'to')
    return fc.constantFrom(
      written,
      `${written.slice(0, 16)}:00Z`,
      written.replace('T08', 'T10').replace('Z', '+02:00'),
    );
  if (name === 'name') return fc.constantFrom(written, written.normalize('NFD'), ` ${written}\u200f`, '', null);
  return fc.constantFrom(written, ` ${written}`, `${written}\r\n`);
};
