import type { OperationId } from '../../../../lambdas/api/endpoints/endpoints.ts';
import type { InboundEventType } from '../../../../lambdas/api/inbound-events/inbound-events.ts';

/** What an appliance may report instead of a value. `absent` leaves the setting out. */
export const absent = Symbol('absent');

const point = (dayOfWeek: unknown, time: unknown, setpoint: unknown = 'eco') => ({ dayOfWeek, time, setpoint });
export const until = '2036-03-14T08:00:00Z';
const away = { from: '2036-04-01T08:00:00Z', to: '2036-04-09T08:00:00Z', roomSetpointCelsius: 16 };

/** No number, no word and no id. */
const never = [[], {}, true, [23], { value: 23 }, absent, null];
const noNumber = ['23,0', '23', 'warm', '', 6553.5, ...never];
const noWord = [5, '', '\u200b', ...never];
const noEnd = ['2036-03-14T08:00:00', 'noon', 5, '14.03.2036', [], {}, true];

/** A setting: its value before the change, what is asked for, and what cannot be read, is absent, or is null without meaning none. */
export type Setting = { readonly before: unknown; readonly asked: unknown; readonly forms: readonly unknown[] };

const settings = {
  heating: {
    operationMode: { before: 'auto', asked: 'manual', forms: noWord },
    roomSetpointCelsius: { before: 17, asked: 23, forms: noNumber },
    coolingSetpointCelsius: { before: 26, asked: 24, forms: noNumber },
    heatingCurve: {
      before: { slope: 1, shiftKelvin: 0 },
      asked: { slope: 1.2, shiftKelvin: 2 },
      forms: ['1.2', 1.2, { slope: 1.2 }, { slope: '1,2', shiftKelvin: 2 }, { slope: 99, shiftKelvin: 2 }, ...never],
    },
    levelSetpoints: {
      before: [{ level: 'eco', setpointCelsius: 17 }],
      asked: [{ level: 'eco', setpointCelsius: 18 }],
      forms: ['eco=17', 17, {}, true, absent, null],
    },
    activeTimeProgramId: { before: '1', asked: '2', forms: [2, 'no id', '', ...never] },
  },
  dhw: {
    operationMode: { before: 'auto', asked: 'comfort', forms: noWord },
    waterSetpointCelsius: { before: 52, asked: 55, forms: noNumber },
    levelSetpoints: {
      before: [{ level: 'eco', setpointCelsius: 42 }],
      asked: [{ level: 'eco', setpointCelsius: 45 }],
      forms: ['eco=17', 17, {}, true, absent, null],
    },
    activeTimeProgramId: { before: '1', asked: '2', forms: [2, 'no id', '', ...never] },
  },
  heatingOverride: {
    override: {
      before: null,
      asked: { roomSetpointCelsius: 23, until },
      forms: [
        'boost',
        5,
        [],
        {},
        absent,
        { until },
        { roomSetpointCelsius: '22,0', until },
        { roomSetpointCelsius: 23 },
        ...noEnd.map((end) => ({ roomSetpointCelsius: 23, until: end })),
      ],
    },
  },
  dhwOverride: {
    override: {
      before: null,
      asked: { until },
      forms: ['boost', 5, [], {}, absent, ...noEnd.map((end) => ({ until: end }))],
    },
  },
  program: {
    name: { before: 'Week', asked: 'Küche', forms: [5, ...never] },
    switchPoints: {
      before: [point('monday', '06:00')],
      asked: [point('monday', '05:00'), point('sunday', '22:00', 'comfort')],
      forms: [
        5,
        'x',
        {},
        [{}],
        [5],
        [point('So', '05:00')],
        [point('monday', '05:00'), point('So', '22:00', 'comfort')],
        [point('monday', '25:00')],
        [point('monday', '5h')],
        [point('monday', '05:00', 5)],
        absent,
        null,
      ],
    },
  },
  holiday: {
    holiday: {
      before: null,
      asked: away,
      forms: [
        'soon',
        5,
        [],
        {},
        { from: 'now' },
        absent,
        { ...away, roomSetpointCelsius: '16,0' },
        ...noEnd.map((end) => ({ ...away, to: end })),
      ],
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Setting>>>>;

export type Item = {
  readonly type: InboundEventType;
  readonly about?: object;
  /** The property of the data that contains the reported values; if absent, the data itself contains them. */
  readonly within?: string;
  readonly change: OperationId;
  readonly get: OperationId;
  /** Returns the body of the change. */
  readonly bodyOf?: (asked: Readonly<Record<string, unknown>>) => unknown;
  readonly settings: Readonly<Record<string, Setting>>;
};

const circuit = (family: string) =>
  ({ type: 'circuit.reported.v1', about: { family, circuitId: 'c1' }, within: 'reported' }) as const;
const overrideOf = ({ override }: Readonly<Record<string, unknown>>) => override;

/** Each kind of items with its change, and the forms of each setting. */
export const items: Readonly<Record<string, Item>> = {
  'a heating circuit': {
    ...circuit('heating'),
    change: 'updateHeatingCircuit',
    get: 'getHeatingCircuit',
    settings: settings.heating,
  },
  'hot water': { ...circuit('dhw'), change: 'updateDhwCircuit', get: 'getDhwCircuit', settings: settings.dhw },
  'an override of heating': {
    ...circuit('heating'),
    change: 'setHeatingOverride',
    get: 'getHeatingCircuit',
    bodyOf: overrideOf,
    settings: settings.heatingOverride,
  },
  'an override of hot water': {
    ...circuit('dhw'),
    change: 'setDhwOverride',
    get: 'getDhwCircuit',
    bodyOf: overrideOf,
    settings: settings.dhwOverride,
  },
  'a time program': {
    type: 'time-program.reported.v1',
    about: { family: 'heating', circuitId: 'c1', timeProgramId: '1' },
    change: 'updateHeatingTimeProgram',
    get: 'getHeatingTimeProgram',
    settings: settings.program,
  },
  'a holiday': {
    type: 'holiday.reported.v1',
    change: 'setHoliday',
    get: 'getHoliday',
    bodyOf: ({ holiday }) => holiday,
    settings: settings.holiday,
  },
};

/** What a setting is after a report that confirms nothing: its value, none, or what it was before. */
export const meaningOf = (name: string, { forms }: Setting, form: unknown): 'said' | 'none' | 'kept' => {
  if (!forms.includes(form)) return 'said';
  return (form === absent || form === null) && mayBeLacking.includes(name) ? 'none' : 'kept';
};

const mayBeLacking = [
  'activeTimeProgramId',
  'coolingSetpointCelsius',
  'heatingCurve',
  'levelSetpoints',
  'override',
  'holiday',
];

/** Without an end, an override of a report that confirms nothing lasts until the next switch point. */
export const isWithoutEnd = (form: unknown): boolean =>
  JSON.stringify(form) === '{}' || JSON.stringify(form) === JSON.stringify({ roomSetpointCelsius: 23 });
