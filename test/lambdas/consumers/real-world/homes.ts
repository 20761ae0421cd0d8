import { type Group, written } from './circuits.ts';

const named = (name: unknown) => ({ name });
const heating = (values: unknown) => ({ heating: values });
const cooling = (use: unknown) => ({ cooling: use });
const holiday = (values: unknown) => ({ holiday: values });
const features = (names: unknown) => ({ features: names });
const points = (...switchPoints: unknown[]) => ({ switchPoints });
const point = (time: unknown, setpoint: unknown = 'eco', dayOfWeek: unknown = 'monday') => ({
  dayOfWeek,
  time,
  setpoint,
});

const timeProgram = {
  type: 'time-program.reported.v1',
  about: { family: 'heating', circuitId: 'c1', timeProgramId: '1' },
  before: { name: 'Week', switchPoints: [point('06:00', 'comfort')] },
} as const;
const description = { type: 'gateway.described.v1', about: {}, before: { name: 'Home', ...features([]) } } as const;

const away = { from: '2036-04-01T08:00:00Z', to: '2036-04-09T08:00:00Z', roomSetpointCelsius: 16 };
const none = { electricityKwh: null, fuelKwh: null, heatKwh: null };
const noCooling = { electricityKwh: null, fuelKwh: null, removedHeatKwh: null };

/** Reports on schedules, homes and energy, in the form of `circuits.ts`. */
export const homeGroups: Readonly<Record<string, Group>> = {
  'names of time programs': {
    ...timeProgram,
    rows: [
      ['61 characters', named('x'.repeat(61))],
      ['501 characters', named('x'.repeat(501)), named('x'.repeat(500))],
      ['no name', named(null), named('Week')],
      ['an empty name', named(''), named('1')],
      ['an invisible name', named('\u200b\ufeff'), named('1')],
      ['composed letters', named('Ku\u0308che'), named('Küche')],
      ['Greek', named('Εβδομάδα')],
      ['Arabic with a letter mark', named('\u061cأسبوع'), named('أسبوع')],
      ['Japanese with a wide blank', named('平日\u3000夜')],
      ['a number', named(7), named('Week'), '/name'],
    ],
  },
  schedules: {
    ...timeProgram,
    rows: [
      ['the end of a day', points(point('06:00'), point('24:00'))],
      ['23:59', points(point('23:59'))],
      ['one digit of the hour', points(point('7:00')), points(point('07:00'))],
      ['a time of Python', points(point('07:00:00')), points(point('07:00'))],
      ['an undocumented level', points(point('07:00', 'reduced'))],
      ['a level in words', points(point('07:00', 'Absenkbetrieb'))],
      ['a level as a digit', points(point('07:00', '2'))],
      ['a day of a Java enum', points(point('07:00', 'eco', 'MONDAY')), points(point('07:00'))],
      ['a day of C#', points(point('07:00', 'eco', 'Sunday')), points(point('07:00', 'eco', 'sunday'))],
      [
        'another order',
        points(point('22:00', 'eco', 'friday'), point('07:00'), point('05:00')),
        points(point('05:00'), point('07:00'), point('22:00', 'eco', 'friday')),
      ],
      ['a raster of a minute', points(point('06:07'))],
      ['no points', points()],
      ['points of null', { switchPoints: null }, timeProgram.before],
      ['more properties of a point', points({ ...point('07:00'), celsius: 18 }), points(point('07:00'))],
      ['a German day', points(point('07:00', 'eco', 'Montag')), timeProgram.before, '/switchPoints/0/dayOfWeek'],
      ['25:00', points(point('07:00'), point('25:00')), timeProgram.before, '/switchPoints/1/time'],
      ['24:01', points(point('24:01')), timeProgram.before, '/switchPoints/0/time'],
      ['minutes of the day', points(point(420)), timeProgram.before, '/switchPoints/0/time'],
      ['a level as a number', points(point('07:00', 2)), timeProgram.before, '/switchPoints/0/setpoint'],
      ['a point of null', points(null, point('07:00')), timeProgram.before, '/switchPoints/0'],
      ['a text instead of a list', { switchPoints: 'Mo 7:00' }, timeProgram.before, '/switchPoints'],
    ],
  },
  'names of homes': {
    ...description,
    rows: [
      ['Hebrew with a mark', named('בית\u200f'), named('בית')],
      ['isolates', named('\u2068Anna\u2069s Haus'), named('Annas Haus')],
      ['two lines', named('Haus\nAm See'), named('Haus Am See')],
      ['lines of Windows and a tab', named('Haus\r\nAm\tSee'), named('Haus Am See')],
      ['a line separator', named('Haus\u2028Am See'), named('Haus Am See')],
      ['501 characters', named('x'.repeat(501)), named('x'.repeat(500))],
      ['an emoji across the end', named(`${'x'.repeat(499)}🏠`), named('x'.repeat(499))],
      ['a family of emoji', named('👩‍👩‍👧 zu Hause')],
      ['blanks around', named('  Haus '), named('Haus')],
      ['a zero byte', named('Haus\u0000'), named('Haus')],
      ['an escape sequence', named('\u001b[31mHaus'), named('[31mHaus')],
      ['Persian with a joiner', named('خانه\u200cها')],
      ['half of a pair', named('Haus\udc00'), named('Haus')],
      ['JSON', named('{"a":"b"}')],
      ['a name of null', named(null), named('Home')],
      ['no name', named(''), named('')],
      ['a number', named(12), named('Home'), '/name'],
    ],
  },
  descriptions: {
    ...description,
    rows: [
      ['features of null', features(null), features([])],
      ['features of a later version', features(['holidays', 'poolHeating']), features(['holidays'])],
      ['a feature of null', features([null, 'holidays']), features(['holidays']), '/features/0'],
      [
        'a component without its number',
        { components: [{ componentId: '1', type: 'boiler', model: 'B', serialNumber: null }] },
        { components: [{ componentId: '1', type: 'boiler', model: 'B' }] },
      ],
      [
        'a serial number with a tab',
        { components: [{ componentId: '1', type: 'boiler', model: 'B', serialNumber: '7\t1' }] },
        { components: [{ serialNumber: '7 1' }] },
      ],
      ['a component that is a text', { components: ['boiler'] }, { components: [] }, '/components/0'],
      ['limits of null', { limits: null }, { limits: { maxSwitchPoints: 10 } }],
      [
        'limits of which one is missing',
        { limits: { maxSwitchPoints: 56, maxSwitchPointsPerDay: 8 } },
        { limits: { maxSwitchPoints: 10 } },
        '/limits/switchPointRasterMinutes',
      ],
      [
        'limits as text',
        { limits: { maxSwitchPoints: '56', maxSwitchPointsPerDay: '8', switchPointRasterMinutes: '10' } },
        { limits: { maxSwitchPoints: 56 } },
      ],
      ['circuits of null', { circuits: null }, named('Home')],
      ['a circuit of an unknown kind', { circuits: [{ family: 'solar', circuitId: 's1' }] }, {}, '/circuits/0/family'],
    ],
  },
  energies: {
    type: 'energy.reported.v1',
    about: { day: '2036-03-12' },
    before: { heating: { electricityKwh: 1 } },
    rows: [
      ['a defrost', heating({ electricityKwh: 3, heatKwh: -0.4 })],
      ['noise', heating({ electricityKwh: 0.30000000000000004 }), heating({ electricityKwh: 0.3 })],
      ['the smallest double', heating({ electricityKwh: 5e-324 }), heating({ electricityKwh: 0 })],
      ['1e-7', heating({ heatKwh: -1e-7 }), heating({ heatKwh: 0 })],
      ['nothing of heating', heating(null), heating(none)],
      ['nothing of hot water', { ...heating({ heatKwh: 2 }), dhw: null }, { ...heating({ heatKwh: 2 }), dhw: none }],
      ['one value of null', heating({ heatKwh: null, fuelKwh: 2 })],
      ['nothing at all', {}, { heating: none, dhw: none }],
      [
        'a counter that ran back',
        heating({ electricityKwh: -3, heatKwh: 1 }),
        heating({ ...none, electricityKwh: 1, heatKwh: 1 }),
        '/heating/electricityKwh',
      ],
      [
        'a counter since the factory',
        heating({ heatKwh: 4_294_967_295, fuelKwh: 2 }),
        heating({ ...none, fuelKwh: 2 }),
        '/heating/heatKwh',
      ],
      ['NaN of Python', heating({ heatKwh: written('NaN'), fuelKwh: 2 }), heating({ ...none, fuelKwh: 2 })],
      ['a text', heating({ heatKwh: '3,5', fuelKwh: 2 }), heating({ ...none, fuelKwh: 2 }), '/heating/heatKwh'],
      [
        'a list',
        { ...heating([]), dhw: { heatKwh: 1 } },
        { ...heating({ ...none, electricityKwh: 1 }), dhw: { ...none, heatKwh: 1 } },
        '/heating',
      ],
      ['energy of cooling', { ...heating({ heatKwh: 1 }), ...cooling({ electricityKwh: 1, removedHeatKwh: 3.5 }) }],
      ['noise of cooling', cooling({ removedHeatKwh: 0.30000000000000004 }), cooling({ removedHeatKwh: 0.3 })],
      [
        'a house that was heated by cooling',
        cooling({ removedHeatKwh: -1, electricityKwh: 1 }),
        cooling({ ...noCooling, electricityKwh: 1 }),
        '/cooling/removedHeatKwh',
      ],
      ['heat of cooling by the name of heating', cooling({ heatKwh: 3 }), cooling(noCooling)],
      ['no cooling', { ...heating({ heatKwh: 1 }), ...cooling(null) }],
      ['nothing of cooling', heating({ heatKwh: 1 }), { ...heating({ heatKwh: 1 }), ...cooling(null) }],
      ['cooling as a list', { ...heating({ heatKwh: 1 }), ...cooling([]) }, cooling(null), '/cooling'],
    ],
  },
  'energies of hours': {
    type: 'hourly-energy.reported.v1',
    about: { start: '2036-03-12T22:00:00Z' },
    before: { heating: { electricityKwh: 1 } },
    rows: [
      ['a defrost', heating({ electricityKwh: 0.8, heatKwh: -0.4 })],
      ['noise', heating({ electricityKwh: 0.30000000000000004 }), heating({ electricityKwh: 0.3 })],
      ['one value of null', heating({ heatKwh: null, fuelKwh: 2 })],
      ['nothing at all', {}, { heating: none, dhw: none, cooling: null }],
      [
        'a counter since the factory',
        heating({ heatKwh: 4_294_967_295, fuelKwh: 2 }),
        heating({ ...none, fuelKwh: 2 }),
        '/heating/heatKwh',
      ],
      ['cooling', { ...heating({ heatKwh: 1 }), ...cooling({ electricityKwh: 1, removedHeatKwh: 3.5 }) }],
      ['cooling without values', cooling({}), cooling(noCooling)],
      ['cooling as a list', { ...heating({ heatKwh: 1 }), ...cooling([]) }, cooling(null), '/cooling'],
      [
        'an offset of Berlin',
        { start: '2036-03-12T23:00:00+01:00', dhw: { heatKwh: 1 } },
        { dhw: { ...none, heatKwh: 1 } },
      ],
    ],
  },
  holidays: {
    type: 'holiday.reported.v1',
    about: {},
    before: { holiday: away },
    rows: [
      ['frost protection', holiday({ ...away, roomSetpointCelsius: 7.3 })],
      ['an end before its begin', holiday({ ...away, to: '2036-03-01T08:00:00Z' })],
      ['nanoseconds and an offset', holiday({ ...away, from: '2036-04-01T10:00:00.000000000+02:00' }), holiday(away)],
      ['none', holiday(null)],
      ['left out', {}, holiday(null)],
      ['a day without a time', holiday({ ...away, from: '2036-04-01' }), holiday(away), '/holiday/from'],
      ['an end of null', holiday({ ...away, to: null }), holiday(away), '/holiday/to'],
      ['no setpoint', holiday({ from: away.from, to: away.to }), holiday(away), '/holiday/roomSetpointCelsius'],
      ['a list', holiday([away]), holiday(away), '/holiday'],
    ],
  },
  connectivity: {
    type: 'gateway.connectivity.v1',
    about: {},
    before: { connectivity: 'online' },
    rows: [
      ['offline', { connectivity: 'offline' }],
      ['an unknown last-seen time', { connectivity: 'offline', lastSeenAt: null }, { connectivity: 'offline' }],
      [
        'a clock without battery',
        { connectivity: 'offline', lastSeenAt: '1970-01-01T00:00:00Z' },
        { connectivity: 'offline' },
      ],
      ['capital letters', { connectivity: 'OFFLINE' }, { connectivity: 'offline' }],
      [
        'a time without offset',
        { connectivity: 'offline', lastSeenAt: '2036-03-12T10:00:00' },
        { connectivity: 'offline' },
        '/lastSeenAt',
      ],
      ['no connectivity', { connectivity: null }, { connectivity: 'online' }],
    ],
  },
};
