import { describe, expect, test } from 'vitest';
import { exampleOf } from '../../docs/generate/events-document.ts';
import {
  type InboundEventType,
  inboundEvents,
  inboundEventTypes,
} from '../../lambdas/api/inbound-events/inbound-events.ts';
import { maxMessageBytes } from '../../lambdas/api/limits.ts';
import { type InboundQueueName, queues } from '../../lambdas/api/queues.ts';
import { readEvent } from '../../lambdas/inbound/read-event.ts';

const { portalEvents, gatewayReports } = queues;
const otherQueue = (queue: InboundQueueName): InboundQueueName =>
  queue === 'portalEvents' ? 'gatewayReports' : 'portalEvents';

const timeMs = Date.parse(exampleOf('gateway.removed.v1').time);
const read = (type: InboundEventType, event: unknown, arrivedAtMs = timeMs) =>
  readEvent(inboundEvents[type].queue, typeof event === 'string' ? event : JSON.stringify(event), arrivedAtMs);

/** All texts that stand anywhere in a value. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(Object(value) as object).flatMap(textsIn);

/** What a sender may leave out of the data of some type. */
const mayBeAbsent = ['fulfilsVersion', 'features', 'heating', 'dhw'];

describe.each(inboundEventTypes)('%s', (type) => {
  const example = exampleOf(type);
  const { id, subject, data } = example;

  test('is read from its example', () => {
    expect(read(type, example)).toEqual({
      labels: { type, eventId: id, subject },
      event: { type, id, subject, timeMs, arrivedAtMs: timeMs, data },
    });
  });

  test('is read without the properties that it does not know', () => {
    const more = { ...example, traceparent: '00-1', data: { ...data, colour: 'red' } };
    expect(read(type, more).event).toEqual({ type, id, subject, timeMs, arrivedAtMs: timeMs, data });
  });

  test.each([
    ['2026-11-21T10:16:02Z', '2026-11-21T10:16:02.000Z'],
    ['2026-11-21T10:16:02.5Z', '2026-11-21T10:16:02.500Z'],
    ['2026-11-21T10:16:01.999999999Z', '2026-11-21T10:16:01.999Z'],
    ['2026-11-21T10:16:00.361592+00:00', '2026-11-21T10:16:00.361Z'],
    ['2026-11-21T11:16:02.004+01:00', '2026-11-21T10:16:02.004Z'],
  ])('is read with the time as a library writes it: %s', (time, instant) => {
    expect(read(type, { ...example, time }).event?.timeMs).toBe(Date.parse(instant));
  });

  test('is refused in the other queue', () => {
    const { event, refusal } = readEvent(otherQueue(inboundEvents[type].queue), JSON.stringify(example), timeMs);
    expect(event).toBeUndefined();
    expect(refusal?.fault).toBe('wrong-queue');
    expect(refusal?.expected).toContain(queues[otherQueue(inboundEvents[type].queue)].neighbour);
  });

  test('may be 60 s ahead of its arrival, and no further', () => {
    expect(read(type, example, timeMs - 60_000).event).toBeDefined();
    expect(read(type, example, timeMs - 60_001).refusal?.fault).toBe('future-time');
  });

  test.each(Object.keys(example))('is refused without %s', (name) => {
    const { refusal } = read(type, { ...example, [name]: undefined });
    expect(refusal?.fault).toBe(name === 'type' ? 'unknown-type' : 'invalid');
    expect(refusal?.expected).toContain(name);
  });

  test.each(Object.keys(data).filter((name) => !mayBeAbsent.includes(name)))(
    'is refused without %s in its data',
    (name) => {
      const { refusal } = read(type, { ...example, data: { ...data, [name]: undefined } });
      expect(refusal?.fault).toBe('invalid');
      expect(refusal?.expected).toContain(`/data/${name}: `);
    },
  );

  test.each([
    ['id', ['', 'a b', 'x'.repeat(65), 'ä', 7]],
    ['subject', ['', 'a#b', '../x', 'x'.repeat(65), null]],
    ['source', ['somebody', portalEvents.neighbour.toUpperCase()]],
    ['specversion', ['0.3', 1]],
    ['time', ['2026-11-21T10:16:02.004', '2026-11-21 10:16:02.004Z', '2026-02-30T10:16:02.004Z', 0]],
    ['data', [null, [], 'text']],
  ] as const)('is refused with another %s', (name, values) => {
    for (const value of values) {
      const { refusal, event } = read(type, { ...example, [name]: value });
      expect(event, String(value)).toBeUndefined();
      expect(refusal?.fault).toBe('invalid');
      expect(refusal?.expected).toMatch(new RegExp(`^/${name}`));
    }
  });

  test('says nothing of the text that it refuses', () => {
    const texts = textsIn(example);
    const secret = 'xSECRETx';
    for (let index = 0; index < texts.length; index++) {
      let seen = -1;
      const spoilt = JSON.stringify(example, (_, value) =>
        typeof value === 'string' && ++seen === index ? `${secret} ${value}` : value,
      );
      const { refusal, labels } = read(type, spoilt);
      expect(JSON.stringify({ refusal, labels })).not.toContain(secret);
    }
  });
});

describe('the energy of a day', () => {
  const reportOf = (day: string, time: string, energy: object = {}) =>
    readEvent(
      'gatewayReports',
      JSON.stringify({ ...exampleOf('energy.reported.v1'), time, data: { day, ...energy } }),
      Date.parse(time),
    );

  test('is read if the day has begun somewhere, and refused if it has not', () => {
    expect(reportOf('2026-11-21', '2026-11-20T10:00:00.000Z').event).toBeDefined();
    expect(reportOf('2026-11-21', '2026-11-20T09:59:59.999Z').refusal).toEqual({
      fault: 'future-time',
      expected: '/data/day: A day that has begun at 2026-11-20T09:59:59.999Z in some time zone.',
    });
  });

  test.each(['2026-02-30', '2026-1-1', '2026-11-20T00:00:00Z', '', 20261120, null])('is of no day %j', (day) => {
    const { refusal } = reportOf(day as string, '2026-11-21T10:00:00.000Z');
    expect([refusal?.fault, refusal?.expected]).toEqual(['invalid', expect.stringContaining('/data/day: ')]);
  });

  test('may leave out what is not measured, and is refused if it is negative or more than any appliance has', () => {
    const time = '2026-11-21T10:00:00.000Z';
    const heat = (heatKwh: unknown) => reportOf('2026-11-20', time, { heating: { heatKwh } });
    for (const good of [0, 100_000, null, undefined]) expect(heat(good).event, String(good)).toBeDefined();
    for (const bad of [-0.001, 100_000.1, '1', true, [1]])
      expect(heat(bad).refusal?.fault, String(bad)).toBe('invalid');
  });
});

describe('a text that is no event', () => {
  const example = exampleOf('circuit.reported.v1');
  const text = JSON.stringify(example);

  test('may be as long as a message, and no longer', () => {
    const fill = maxMessageBytes - Buffer.byteLength(text);
    expect(read('circuit.reported.v1', text + ' '.repeat(fill)).event).toBeDefined();
    expect(read('circuit.reported.v1', `${text}${' '.repeat(fill + 1)}`).refusal).toEqual({
      fault: 'too-long',
      expected: 'At most 32768 bytes.',
    });
    // Characters of two bytes count as two.
    expect(read('circuit.reported.v1', `"${'ä'.repeat(maxMessageBytes / 2)}"`).refusal?.fault).toBe('too-long');
  });

  test.each(['', '{', 'null x', text.slice(1), `${text}${text}`])('is no JSON: %s', (broken) => {
    expect(read('circuit.reported.v1', broken)).toEqual({
      labels: {},
      refusal: { fault: 'not-json', expected: 'JSON.' },
    });
  });

  test.each(['null', '[]', '7', '"circuit.reported.v1"', '{}'])('is JSON, but no event: %s', (json) => {
    expect(read('circuit.reported.v1', json).refusal?.fault).toBe('unknown-type');
  });

  test.each(['circuit.reported.v2', 'constructor', '__proto__', 'CIRCUIT.REPORTED.V1', ''])(
    'has the type %j',
    (type) => {
      const { refusal, labels } = read('circuit.reported.v1', { ...example, type });
      expect(refusal?.fault).toBe('unknown-type');
      expect(refusal?.expected).toContain('circuit.reported.v1');
      expect(labels.type).toBeUndefined();
    },
  );

  test('gives a property twice, wherever', () => {
    for (const [once, twice] of [
      ['"subject":', '"subject":"gw-2","subject":'],
      ['"hc1"', '"hc1","circuitId":"hc2"'],
    ] as const)
      expect(read('circuit.reported.v1', text.replace(once, twice)).refusal?.fault).toBe('repeated-property');
  });

  test('is nested as deep as its length allows', () => {
    const nested = `${text.slice(0, -1)},"x":${'['.repeat(16_000)}${']'.repeat(16_000)}}`;
    expect(read('circuit.reported.v1', nested).event).toBeDefined();
  });

  test('has labels that are no ids', () => {
    expect(read('circuit.reported.v1', { ...example, id: '\u001b[31m', subject: '{"a":1}' }).labels).toEqual({
      type: 'circuit.reported.v1',
    });
  });
});

describe('data out of bounds', () => {
  const fault = (type: InboundEventType, change: object) => {
    const example = exampleOf(type);
    return read(type, { ...example, data: { ...example.data, ...change } }).refusal?.expected;
  };
  const circuit = exampleOf('circuit.reported.v1').data as { reported: object };
  const reported = (values: object) => ({ reported: { ...circuit.reported, ...values } });

  test('a sensor reads within its range, ends included, or null', () => {
    for (const value of [null, -3276.8, 3276.7, 20.3])
      expect(fault('circuit.reported.v1', reported({ roomTemperatureCelsius: value }))).toBeUndefined();
    for (const value of [-3276.9, 3276.8, 1e308, '20', undefined])
      expect(fault('circuit.reported.v1', reported({ roomTemperatureCelsius: value }))).toMatch(
        /^\/data\/reported\/roomTemperatureCelsius: /,
      );
  });

  test.each([
    [{ roomSetpointCelsius: 4.5 }, 'roomSetpointCelsius'],
    [{ roomSetpointCelsius: 21.3 }, 'roomSetpointCelsius'],
    [{ operationMode: 'eco' }, 'operationMode'],
    [{ activeTimeProgramId: 'a#b' }, 'activeTimeProgramId'],
  ])('a setting is one that the API shows: %o', (values, name) => {
    expect(fault('circuit.reported.v1', reported(values))).toMatch(new RegExp(`^/data/reported/${name}: `));
  });

  test('the settings are those of the family', () => {
    expect(fault('circuit.reported.v1', { family: 'dhw' })).toContain('/data/reported/waterSetpointCelsius');
    expect(fault('circuit.reported.v1', { family: 'solar' })).toMatch(/^\/data\/family: /);
  });

  test.each([
    ['circuit.reported.v1', { circuitId: 'hc1#x' }, '/data/circuitId'],
    ['circuit.reported.v1', { fulfilsVersion: 1.5 }, '/data/fulfilsVersion'],
    ['time-program.reported.v1', { name: 'two\nlines' }, '/data/name'],
    [
      'time-program.reported.v1',
      { switchPoints: [{ dayOfWeek: 'friday', time: '24:00', setpoint: 'eco' }] },
      '/data/switchPoints/0/time',
    ],
    ['change.refused.v1', { item: { kind: 'circuit', family: 'heating' } }, '/data/item/circuitId'],
    ['change.refused.v1', { item: { kind: 'gateway' } }, '/data/item/kind'],
    ['change.refused.v1', { reason: 'Not now' }, '/data/reason'],
    ['change.refused.v1', { detail: 'x'.repeat(501) }, '/data/detail'],
    [
      'gateway.described.v1',
      { circuits: [{ family: 'dhw', circuitId: 'a', timeProgramIds: ['b#'] }] },
      '/data/circuits/0/timeProgramIds/0',
    ],
    ['gateway.described.v1', { name: '\u202ename' }, '/data/name'],
    ['gateway.described.v1', { name: 'name\uffff' }, '/data/name'],
    ['time-program.reported.v1', { name: '\ufffe' }, '/data/name'],
    ['gateway.connectivity.v1', { lastSeenAt: 'yesterday' }, '/data/lastSeenAt'],
    ['function.blocked.v1', { function: 'everything' }, '/data/function'],
    ['function.blocked.v1', { until: undefined }, '/data/until'],
    ['portal.consent.accepted.v1', { consentVersion: -1 }, '/data/consentVersion'],
    ['portal.installation.added.v1', { gatewayId: 'a b' }, '/data/gatewayId'],
  ] as const)('%s with %o', (type, change, place) => {
    expect(fault(type, change)).toMatch(new RegExp(`^${place}: `));
  });

  test('many faults are told by their first', () => {
    const points = Array.from({ length: 300 }, () => ({ dayOfWeek: 'noday', time: '1', setpoint: 'hot' }));
    expect(fault('time-program.reported.v1', { switchPoints: points })?.length).toBeLessThan(1000);
  });
});

test('the two queues are those of two neighbours', () => {
  expect([portalEvents.neighbour, gatewayReports.neighbour]).toEqual(['portal', 'gateway-backend']);
});
