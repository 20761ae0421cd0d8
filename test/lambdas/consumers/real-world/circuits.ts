import type { InboundEventType } from '../../../../lambdas/api/inbound-events/inbound-events.ts';

/**
 * Reports as written by real appliances, owners and backend libraries. To add one, add a line: its name, the reported
 * values, what GET then shows (the same if omitted), and the unusable place if there is one.
 */
export type Row = [what: string, reported: object, shown?: object, unusable?: string];

export type Group = {
  readonly type: InboundEventType;
  /** The ids of the report's subject. */
  readonly about: object;
  /** The property of the data that contains the reported values; if absent, the data itself contains them. */
  readonly within?: string;
  /** Reported directly before each row. */
  readonly before: object;
  readonly rows: readonly Row[];
};

/** A number or a word in its original spelling, which JavaScript would write differently. */
export const written = (text: string): object => ({ written: text });

const room = (roomTemperatureCelsius: unknown) => ({ roomTemperatureCelsius });
const setpoint = (roomSetpointCelsius: unknown) => ({ roomSetpointCelsius });
const water = (waterSetpointCelsius: unknown) => ({ waterSetpointCelsius });
const mode = (operationMode: unknown) => ({ operationMode });
const program = (activeTimeProgramId: unknown) => ({ activeTimeProgramId });
const curve = (slope: unknown, shiftKelvin: unknown = 0) => ({ heatingCurve: { slope, shiftKelvin } });
const cooling = (coolingSetpointCelsius: unknown) => ({ coolingSetpointCelsius });
const levels = (...levelSetpoints: unknown[]) => ({ levelSetpoints });
const level = (word: unknown, setpointCelsius: unknown) => ({ level: word, setpointCelsius });
const [eco, night] = [level('eco', 17), level('night', 15)];
const target = (temperatureCelsius: unknown, word: unknown = null) => ({ target: { temperatureCelsius, level: word } });
const named = (displayName: unknown) => ({ displayName });
const override = (values: unknown) => ({ override: values });
const noPlace = ['/roomTemperatureCelsius', '/roomSetpointCelsius', '/operationMode', '/activeTimeProgramId'] as const;
const [ofRoom, ofSetpoint, ofMode, ofProgram] = noPlace;

const heatingCircuit = {
  type: 'circuit.reported.v1',
  about: { family: 'heating', circuitId: 'c1' },
  within: 'reported',
  before: { ...mode('auto'), ...setpoint(21), ...program('1'), ...room(20.5), supplyTemperatureCelsius: 38 },
} as const;
const dhwCircuit = {
  type: 'circuit.reported.v1',
  about: { family: 'dhw', circuitId: 'c1' },
  within: 'reported',
  before: { ...mode('auto'), ...water(55), ...program('1'), waterTemperatureCelsius: 52 },
} as const;

const warm = { roomSetpointCelsius: 23, until: '2036-03-20T08:00:00Z', since: '2036-03-13T08:00:00Z' };

export const circuitGroups: Readonly<Record<string, Group>> = {
  'temperatures of heating': {
    ...heatingCircuit,
    rows: [
      ['a home in frost protection', { ...mode('off'), ...setpoint(3), ...program('1'), ...room(12.5) }],
      ['frost protection at 5', setpoint(5)],
      ['frost protection of a garage at 0', setpoint(0)],
      ['comfort at 35', setpoint(35)],
      ['steps of 0.1', setpoint(21.3)],
      ['70 °F', setpoint(21.11)],
      ['a float of C', setpoint(21.299999237060547), setpoint(21.3)],
      ['noise below', setpoint(20.299999999999997), setpoint(20.3)],
      ['noise above', setpoint(21.500000000000004), setpoint(21.5)],
      ['a BigDecimal with its scale', setpoint(written('21.50')), setpoint(21.5)],
      ['a decimal of 30 digits', setpoint(written('21.499999999999999999999999999999')), setpoint(21.5)],
      ['an exponent', setpoint(written('2.15E+1')), setpoint(21.5)],
      ['minus zero', room(written('-0.0')), room(0)],
      ['just below zero', room(-0.001), room(0)],
      ['1e-7', room(1e-7), room(0)],
      ['a winter outside', room(-24.75)],
      ['a power-on value of 85', room(85)],
      ['a supply of 95.4', { supplyTemperatureCelsius: 95.4 }],
      ['the lower end', room(-50)],
      ['the upper end', room(150)],
      ['an open sensor', room(-3276.8), room(null)],
      ['a short sensor', room(3276.7), room(null)],
      ['a broken sensor', room(6553.5), room(null), ofRoom],
      ['another broken sensor', room(-90.3), room(null), ofRoom],
      ['a disconnected sensor', room(-127), room(null), ofRoom],
      ['absolute zero', room(-273.15), room(null), ofRoom],
      ['32767', room(32_767), room(null), ofRoom],
      ['the largest double', room(1.797e308), room(null), ofRoom],
      ['more than a double holds', room(written('1e999')), room(null), ofRoom],
      ['the smallest double', room(5e-324), room(0)],
      ['NaN of Python', { ...setpoint(19), ...room(written('NaN')) }, { ...setpoint(19), ...room(null) }],
      ['-Infinity of Python', room(written('-Infinity')), room(null)],
      ['NaN of C# as text', room('NaN'), room(null), ofRoom],
      ['a decimal as text', room('20.5'), room(null), ofRoom],
      ['a German decimal', setpoint('21,5'), setpoint(21), ofSetpoint],
      ['a temperature with its unit', setpoint('21 °C'), setpoint(21), ofSetpoint],
      ['a setpoint of 6553.5', { ...setpoint(6553.5), ...room(19.5) }, { ...setpoint(21), ...room(19.5) }, ofSetpoint],
      ['a list', room([20]), room(null), ofRoom],
      ['an object', room({ value: 20, unit: 'C' }), room(null), ofRoom],
      ['a boolean', room(false), room(null), ofRoom],
    ],
  },
  'heating curves and cooling': {
    ...heatingCircuit,
    before: { ...heatingCircuit.before, ...curve(1.2, -3), ...cooling(24) },
    rows: [
      ['a curve and a cooling setpoint', { ...curve(0.65, 4.5), ...cooling(21.3) }],
      ['a curve steeper than can be requested', { ...curve(8, -40), ...cooling(24) }],
      ['a constant supply', { ...curve(0), ...cooling(24) }],
      ['noise', curve(1.2000000000000002, 1e-7), { ...curve(1.2), ...cooling(null) }],
      ['a float of C', curve(1.399999976158142), curve(1.4)],
      ['a further number', { heatingCurve: { slope: 1.5, shiftKelvin: 2, endPoint: 60 } }, curve(1.5, 2)],
      ['neither', setpoint(20), { ...setpoint(20), heatingCurve: null, ...cooling(null) }],
      ['nulls', { heatingCurve: null, ...cooling(null) }],
      ['no shift', { heatingCurve: { slope: 1.5 } }, curve(1.2, -3), '/heatingCurve/shiftKelvin'],
      ['a slope of null', curve(null, 1), curve(1.2, -3), '/heatingCurve/slope'],
      [
        'an absurd slope',
        { ...curve(655.35), ...setpoint(20) },
        { ...curve(1.2, -3), ...setpoint(20) },
        '/heatingCurve/slope',
      ],
      ['a negative slope', curve(-0.1), curve(1.2, -3), '/heatingCurve/slope'],
      ['a shift of 101', curve(1, 101), curve(1.2, -3), '/heatingCurve/shiftKelvin'],
      ['a curve as text', { heatingCurve: '1.2/0' }, curve(1.2, -3), '/heatingCurve'],
      ['a cooling setpoint of 6553.5', cooling(6553.5), cooling(24), '/coolingSetpointCelsius'],
    ],
  },
  'temperatures of hot water': {
    ...dhwCircuit,
    rows: [
      ...[62, 50.5, 35, 70, 65, 10, 80, 0].map((celsius): Row => [`a setpoint of ${celsius}`, water(celsius)]),
      ['a legionella cycle', { ...mode('legionella'), ...water(65), waterTemperatureCelsius: 68.25 }],
      ['boiling', { waterTemperatureCelsius: 98.6 }],
      [
        'a broken sensor',
        { waterTemperatureCelsius: 6553.5 },
        { waterTemperatureCelsius: null },
        '/waterTemperatureCelsius',
      ],
      ['a setpoint as text', water('55'), water(55), '/waterSetpointCelsius'],
      ['a setpoint of null', water(null), water(55)],
      ['an empty override', override({}), override({ until: 'next-switch-point' })],
      ['values of heating', { ...setpoint(20), ...curve(1), ...water(45) }, water(45)],
    ],
  },
  names: {
    ...heatingCircuit,
    before: { ...heatingCircuit.before, ...named('Attic') },
    rows: [
      ['a name', named('Ground floor')],
      ['an emoji of several characters', named('👩‍👧 Room')],
      ['a name with blanks and a line break', named(' Ground\r\nfloor\t'), named('Ground floor')],
      ['control characters and a direction mark', named('\u0000Gr\u0007ound\u200f floor'), named('Ground floor')],
      ['a letter and its mark', named('Ku\u0308che'), named('Küche')],
      ['a name of 501 characters', named('x'.repeat(501)), named('x'.repeat(500))],
      ['a circuit without a name', named(null)],
      ['a name left out', setpoint(20), { ...named(null), ...setpoint(20) }],
      ['an empty name', named(''), named(null)],
      ['blanks', named(' \t\u200b'), named(null)],
      ['a number', { ...named(3), ...setpoint(20) }, { ...named('Attic'), ...setpoint(20) }, '/displayName'],
      ['names in two languages', named({ de: 'Bad', en: 'Bath' }), named('Attic'), '/displayName'],
    ],
  },
  'levels and targets': {
    ...heatingCircuit,
    before: { ...heatingCircuit.before, ...levels(eco), ...target(21, 'comfort') },
    rows: [
      ['a reduced temperature of 3 and the target', { ...levels(level('reduced', 3)), ...target(3, 'reduced') }],
      ['levels in another order', levels(night, eco), levels(eco, night)],
      ['a level twice', levels(level('eco', 16), eco), levels(eco)],
      ['the comfort level', levels(level('COMFORT', 22), eco), levels(eco)],
      ['an enum of Java, a float of C', levels(level('REDUCED', 17.299999237060547)), levels(level('reduced', 17.3))],
      ['levels called __proto__ and constructor', levels(level('__proto__', 16), level('constructor', 17))],
      ['no levels', levels()],
      ['neither', setpoint(20), { ...setpoint(20), levelSetpoints: null, target: null }],
      ['nulls', { levelSetpoints: null, target: null }],
      ['no temperature', levels(level('eco', null), night), levels(night), '/levelSetpoints/0/setpointCelsius'],
      ['a level of 6553.5', levels(level('eco', 6553.5)), levels(), '/levelSetpoints/0/setpointCelsius'],
      ['a level without a word', levels(level('', 17), night), levels(night), '/levelSetpoints/0/level'],
      ['a list of numbers', levels(17), levels(), '/levelSetpoints/0'],
      ['an object of levels', { levelSetpoints: { eco: 18 } }, levels(eco), '/levelSetpoints'],
      [
        '31 levels',
        levels(...Array.from({ length: 31 }, (_, n) => level(`l${n}`, 17))),
        levels(eco),
        '/levelSetpoints',
      ],
      ['a target with noise', target(17.299999999999997, 'Comfort'), target(17.3, 'comfort')],
      ['a target without its level', { target: { temperatureCelsius: 5 } }, target(5)],
      ['an unknown level without a temperature', { target: { level: 'Absenkbetrieb' } }, target(null, 'Absenkbetrieb')],
      ['a target of a broken sensor', target(-3276.8, 'eco'), target(null, 'eco'), '/target/temperatureCelsius'],
      ['a level by its number', target(17, 2), target(17), '/target/level'],
      ['an empty target', { target: {} }, { target: null }],
      ['a number', { target: 21, ...setpoint(20) }, { ...target(21, 'comfort'), ...setpoint(20) }, '/target'],
    ],
  },
  'levels of hot water': {
    ...dhwCircuit,
    rows: [['eco', { ...levels(level('eco', 42.5)), ...target(42.5, 'eco') }]],
  },
  'names of hot water': {
    ...dhwCircuit,
    before: { ...dhwCircuit.before, ...named('Tank') },
    rows: [
      ['a name', named('Cellar')],
      ['an empty name', named(''), named(null)],
      ['a list', { ...named(['Cellar']), ...water(50) }, { ...named('Tank'), ...water(50) }, '/displayName'],
    ],
  },
  modes: {
    ...heatingCircuit,
    rows: [
      ...['cooling', 'standby', 'reduced', 'HEAT', 'Frost protection', 'Schnellaufheizung', 'Ferien'],
      ...['אוטומטי', '自動', 'αυτόματο', 'تلقائي', 'constructor', '__proto__', '3', '🏖', 'aus/ein'],
    ]
      .map((word): Row => [`the mode ${word}`, { ...mode(word), ...setpoint(20.3) }])
      .concat([
        ['blanks around', mode(' manual '), mode('manual')],
        ['a known mode in capitals', mode('MANUAL'), mode('manual')],
        ['a known mode with one capital', mode('Off'), mode('off')],
        ['a line break behind', mode('manual\r\n'), mode('manual')],
        ['a direction mark', mode('\u200fאוטומטי'), mode('אוטומטי')],
        ['a mode of 65 characters', mode('x'.repeat(65)), mode('x'.repeat(64))],
        ['half of an emoji', mode('cool\ud83e'), mode('cool')],
        ['an empty mode', mode(''), mode('auto'), ofMode],
        ['invisible characters', mode('\u200b\u200e'), mode('auto'), ofMode],
        ['a number', { ...mode(3), ...setpoint(20) }, { ...mode('auto'), ...setpoint(20) }, ofMode],
        ['a list', mode(['auto']), mode('auto'), ofMode],
        ['a mode of null', { ...mode(null), ...setpoint(20) }, { ...mode('auto'), ...setpoint(20) }],
      ]),
  },
  'nulls and absences': {
    ...heatingCircuit,
    rows: [
      ['no program', program(null)],
      ['a program left out', setpoint(20), { ...program(null), ...setpoint(20) }],
      ['a program called __proto__', program('__proto__')],
      ['a program by its number', program(2), program('1'), ofProgram],
      ['a program by its name', program('Woche 1'), program('1'), ofProgram],
      ['no override', override(null)],
      ['a setpoint of null', setpoint(null), setpoint(21)],
      ['measurements of null', { ...room(null), supplyTemperatureCelsius: null }],
      ['measurements left out', mode('auto'), { ...room(null), supplyTemperatureCelsius: null }],
      [
        'everything null',
        { ...mode(null), ...setpoint(null), ...program(null), ...room(null), ...override(null) },
        mode('auto'),
      ],
      ['nothing at all', {}, { ...mode('auto'), ...setpoint(21), ...room(null) }],
      ['unknown properties', { ...setpoint(20), propertyOfAnotherVersion: -500, constructor: 1 }, setpoint(20)],
      ['an override', override(warm)],
      ['an override of 21.3', override({ ...warm, roomSetpointCelsius: 21.3 })],
      ['an override with nulls', override({ ...warm, until: null }), override({ ...warm, until: 'next-switch-point' })],
      ['an override without its start', override({ ...warm, since: null }), override({ until: warm.until })],
      [
        'an override until noon',
        { ...override({ ...warm, until: 'noon' }), ...setpoint(20) },
        { ...override(null), ...setpoint(20) },
        '/override/until',
      ],
      ['an override without setpoint', override({ until: null }), override(null), '/override/roomSetpointCelsius'],
      ['an override that is a list', { ...override([]), ...setpoint(20) }, setpoint(20), '/override'],
    ],
  },
};
