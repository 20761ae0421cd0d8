import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { exampleOf } from '../../docs/generate/events-document.ts';
import { type InboundEventType, inboundEvents } from '../../lambdas/api/inbound-events/inbound-events.ts';
import { heatingOverrideUpdate } from '../../lambdas/api/schemas/override.ts';
import { timeZone } from '../../lambdas/api/schemas/time-zone.ts';
import { readEvent } from '../../lambdas/inbound/read-event.ts';

const read = (type: InboundEventType, data: object, others: object = {}) => {
  const example = exampleOf(type);
  const text = JSON.stringify({ ...example, ...others, data: { ...example.data, ...data } });
  const reading = readEvent(inboundEvents[type].queue, text, Date.parse(example.time));
  return { event: reading.event, data: reading.event?.data, labels: reading.labels, refusal: reading.refusal };
};

const numbers = (number: unknown) => ({
  maxSwitchPoints: number,
  maxSwitchPointsPerDay: number,
  switchPointRasterMinutes: number,
});

describe('a whole number', () => {
  const places: readonly (readonly [InboundEventType, (number: unknown) => object])[] = [
    ['circuit.reported.v1', (fulfilsVersion) => ({ fulfilsVersion })],
    ['time-program.reported.v1', (fulfilsVersion) => ({ fulfilsVersion })],
    ['holiday.reported.v1', (fulfilsVersion) => ({ fulfilsVersion })],
    ['change.refused.v1', (version) => ({ version })],
    ['portal.consent.accepted.v1', (consentVersion) => ({ consentVersion })],
    ['gateway.described.v1', (number) => ({ limits: numbers(number) })],
  ];

  test.each(places)('of %s may be a text of digits', (type, dataOf) => {
    for (const [written, number] of [
      ['6', 6],
      ['007', 7],
      ['2147483647', 2_147_483_647],
    ] as const)
      expect(read(type, dataOf(written)).data).toMatchObject(dataOf(number));
  });

  test.each(places)('of %s is no other text', (type, dataOf) => {
    const [name = ''] = Object.keys(dataOf(0));
    for (const written of [
      '',
      ' ',
      ' 7 ',
      '7\n',
      '+7',
      '-7',
      '7.0',
      '7,0',
      '1e3',
      '0x10',
      '٧',
      '2147483648',
      'Infinity',
    ])
      expect(read(type, dataOf(written)).data?.[name as never], written).toBeUndefined();
  });
});

test('a measured decimal is no text', () => {
  for (const written of ['23,0', '23.0', '23'])
    expect(read('circuit.reported.v1', { reported: { roomSetpointCelsius: written } }).data).toMatchObject({
      reported: {},
    });
});

describe('a word of a closed or open list', () => {
  const circuit = (circuitData: object) => ({ circuits: [{ family: 'heating', circuitId: 'a', ...circuitData }] });
  const point = (setpoint: string) => ({ switchPoints: [{ dayOfWeek: 'friday', time: '06:00', setpoint }] });
  const places: readonly (readonly [InboundEventType, string, (word: string) => object])[] = [
    ['circuit.reported.v1', 'heating', (family) => ({ family })],
    ['circuit.reported.v1', 'manual', (operationMode) => ({ reported: { operationMode } })],
    [
      'circuit.reported.v1',
      'next-switch-point',
      (until) => ({ reported: { override: { until, roomSetpointCelsius: 20 } } }),
    ],
    ['time-program.reported.v1', 'dhw', (family) => ({ family })],
    [
      'time-program.reported.v1',
      'friday',
      (dayOfWeek) => ({ switchPoints: [{ dayOfWeek, time: '06:00', setpoint: 'eco' }] }),
    ],
    ...['eco', 'comfort', 'off', 'on'].map((level) => ['time-program.reported.v1', level, point] as const),
    ['gateway.described.v1', 'heating', (family) => circuit({ family })],
    ['gateway.described.v1', 'auto', (mode) => circuit({ limits: { operationModes: [mode] } })],
    ['gateway.described.v1', 'comfort', (level) => circuit({ limits: { levels: [level] } })],
    ['gateway.described.v1', 'on', (level) => circuit({ circulation: { timeProgramId: '1', levels: [level] } })],
    ['gateway.described.v1', 'heatingOverrides', (feature) => ({ features: [feature] })],
    ['gateway.connectivity.v1', 'offline', (connectivity) => ({ connectivity })],
    ['function.blocked.v1', 'dhwTimePrograms', (name) => ({ function: name })],
    ['function.unblocked.v1', 'heatingCircuits', (name) => ({ function: name })],
    ['fault.reported.v1', 'maintenance', (severity) => ({ severity })],
    ['change.refused.v1', 'circuit', (kind) => ({ item: { kind, family: 'dhw', circuitId: 'a' } })],
    [
      'change.refused.v1',
      'time-program',
      (kind) => ({ item: { kind, family: 'dhw', circuitId: 'a', timeProgramId: '1' } }),
    ],
    ['change.refused.v1', 'holiday', (kind) => ({ item: { kind } })],
    ['change.refused.v1', 'dhw', (family) => ({ item: { kind: 'circuit', family, circuitId: 'a' } })],
  ];

  /** `time-program` → `TIME_PROGRAM`. */
  const constant = (word: string) =>
    word
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
      .replaceAll('-', '_')
      .toUpperCase();

  test.each(places)('of %s is read as %s in any spelling', (type, word, dataOf) => {
    for (const written of [word, word.toUpperCase(), constant(word), word.charAt(0).toUpperCase() + word.slice(1)])
      expect(read(type, dataOf(written)).data, written).toMatchObject(dataOf(word));
  });

  test('that is not known keeps its spelling, or is refused', () => {
    expect(read('circuit.reported.v1', { reported: { operationMode: 'COOLING' } }).data).toMatchObject({
      reported: { operationMode: 'COOLING' },
    });
    expect(read('circuit.reported.v1', { family: 'SOLAR' }).refusal?.expected).toContain('/data/family: ');
    expect(read('change.refused.v1', { item: { kind: 'GATEWAY' } }).refusal?.expected).toContain('/data/item/kind: ');
  });
});

describe('a time with a small t or z', () => {
  const written = '2026-11-20t22:00:00.5z';
  const shown = '2026-11-20T22:00:00.500Z';

  test('is read as with capitals in the envelope and in each part', () => {
    for (const type of ['circuit.reported.v1', 'portal.consent.withdrawn.v1'] as const)
      expect(read(type, {}, { time: written }).event?.timeMs).toBe(Date.parse(shown));
    const places: readonly (readonly [InboundEventType, (time: string) => object])[] = [
      ['holiday.reported.v1', (time) => ({ holiday: { from: time, to: time, roomSetpointCelsius: 16 } })],
      ['circuit.reported.v1', (until) => ({ reported: { override: { until, roomSetpointCelsius: 20 } } })],
      ['function.blocked.v1', (until) => ({ until })],
      ['fault.reported.v1', (since) => ({ since })],
      ['gateway.connectivity.v1', (lastSeenAt) => ({ lastSeenAt })],
    ];
    for (const [type, dataOf] of places) expect(read(type, dataOf(written)).data).toMatchObject(dataOf(shown));
  });

  test('is read in a request', () => {
    const request = { roomSetpointCelsius: 21, until: '2026-12-01t12:00:00z' };
    expect(z.parse(heatingOverrideUpdate(), request)).toMatchObject({ until: '2026-12-01T12:00:00Z' });
  });
});

describe('the id of an event', () => {
  test.each(['urn:uuid:0b0f', 'partition:0/offset:42', '{"a":"b\\c"}', '#*|<>&%', "'", '!', '~', 'x'.repeat(128)])(
    'may be %s',
    (id) => {
      expect(read('portal.consent.withdrawn.v1', {}, { id })).toMatchObject({ event: { id }, labels: { eventId: id } });
    },
  );

  test.each(['', ' ', 'a b', 'a\n', '\u001b[31m', 'ä', '\u007f', 'x'.repeat(129), 7])('is not %j', (id) => {
    const { event, labels, refusal } = read('portal.consent.withdrawn.v1', {}, { id });
    expect([event, labels.eventId]).toEqual([undefined, undefined]);
    expect(refusal?.expected).toMatch(/^\/id: Expected /);
  });
});

describe('a time zone', () => {
  const others = [
    ...[
      'Europe/Kyiv',
      'Europe/Kiev',
      'CET',
      'EST5EDT',
      'Etc/UTC',
      'Etc/GMT-1',
      'Etc/GMT+0',
      'GMT0',
      'UTC',
      'Asia/Calcutta',
    ],
    ...['Asia/Kolkata', 'America/Argentina/Buenos_Aires', 'America/Argentina/ComodRivadavia', 'America/Knox_IN'],
    ...['Australia/ACT', 'Brazil/DeNoronha', 'Chile/EasterIsland', 'GB-Eire', 'NZ-CHAT', 'PRC', 'ROK', 'W-SU'],
    ...['US/East-Indiana', 'US/Pacific', 'Mexico/BajaNorte', 'Singapore', 'Zulu', 'America/Port_of_Spain'],
    ...['America/Port-au-Prince', 'Antarctica/DumontDUrville', 'Antarctica/McMurdo', 'Africa/Dar_es_Salaam'],
  ];

  test('is shown in the spelling of the database, and never by another name', () => {
    for (const name of [...Intl.supportedValuesOf('timeZone'), ...others])
      for (const written of [name, name.toLowerCase(), name.toUpperCase()])
        expect(z.parse(timeZone(), written)).toBe(name);
  });

  test.each(['Europe/Nowhere', 'CEST', '+01:00', 'W. Europe Standard Time', ' Europe/Berlin', ''])(
    'is not %j',
    (name) => {
      expect(z.safeParse(timeZone(), name).success).toBe(false);
    },
  );
});
