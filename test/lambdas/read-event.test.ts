import { describe, expect, test } from 'vitest';
import { exampleOf } from '../../docs/generate/events-document.ts';
import {
  type InboundEvent,
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

const readAny = (
  type: InboundEventType,
  event: unknown,
): {
  readonly event?: InboundEvent | undefined;
  readonly unusable?: string | undefined;
  readonly refusal?: { readonly fault: string; readonly expected: string } | undefined;
} => read(type, event);

/** Returns all strings anywhere in a value. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(Object(value) as object).flatMap(textsIn);

/** The required properties of the data of any type, which identify the subject. */
const needed = [
  ...['userId', 'consentVersion', 'gatewayId', 'family', 'circuitId', 'timeProgramId'],
  ...['day', 'start', 'function', 'item', 'version', 'code'],
];

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
  ])('is read with a time in the format of libraries: %s', (time, instant) => {
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

  test.each(Object.keys(data))('without %s in its data, is refused only if that identifies its item', (name) => {
    for (const absent of [undefined, null]) {
      const { refusal, event, unusable } = readAny(type, { ...example, data: { ...data, [name]: absent } });
      if (needed.includes(name)) {
        expect(refusal?.fault).toBe('invalid');
        expect(refusal?.expected).toContain(`/data/${name}: `);
      } else {
        const { [name]: _, ...rest } = data as Record<string, unknown>;
        expect([event?.data, unusable]).toEqual([rest, undefined]);
      }
    }
  });

  test.each(Object.keys(data))('with a wrong type of %s in its data, loses only that', (name) => {
    for (const broken of [{ a: [] }, 'x'.repeat(2000), 1e300, true, ['x']]) {
      const { refusal, event, unusable } = readAny(type, { ...example, data: { ...data, [name]: broken } });
      if (needed.includes(name)) {
        // Any text may be a function of a later version, or a fault code.
        if (event) expect([['function', 'code'].includes(name), typeof broken]).toEqual([true, 'string']);
        else expect(refusal?.expected).toContain(`/data/${name}`);
      } else {
        const { [name]: used, ...others } = { ...event?.data } as Record<string, unknown>;
        const { [name]: _, ...rest } = data as Record<string, unknown>;
        expect(others).toEqual(rest);
        if (used === undefined) expect(unusable).toContain(`/data/${name}`);
      }
    }
  });

  test.each([
    ['id', ['', 'a b', 'x'.repeat(129), 'ä', 7]],
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

  test('is refused without a quotation of its text', () => {
    const texts = textsIn(example);
    const secret = 'xSECRETx';
    for (let index = 0; index < texts.length; index++) {
      let seen = -1;
      const spoilt = JSON.stringify(example, (_, value) =>
        typeof value === 'string' && ++seen === index ? `${secret} ${value}` : value,
      );
      const { refusal, labels, unusable } = { unusable: undefined, ...read(type, spoilt) };
      expect(JSON.stringify({ refusal, labels, unusable })).not.toContain(secret);
    }
  });
});

describe('the energy of an hour', () => {
  const time = '2026-11-20T11:00:00.000Z';
  const reportOf = (start: unknown, energy: object = {}) => {
    const example = exampleOf('hourly-energy.reported.v1');
    const { event, refusal } = {
      event: undefined,
      refusal: undefined,
      ...readEvent(
        'gatewayReports',
        JSON.stringify({ ...example, time, data: { start, ...energy } }),
        Date.parse(time),
      ),
    };
    return { data: event?.data as { start: string; heating?: object } | undefined, refusal };
  };

  test.each([
    ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z'],
    ['2026-11-20T10:00:00.000000000+00:00', '2026-11-20T10:00:00Z'],
    ['2026-11-20T11:00:00+01:00', '2026-11-20T10:00:00Z'],
    ['2026-11-20T15:00:00+05:30', '2026-11-20T09:30:00Z'],
    ['2026-11-20T15:00:00+05:45', '2026-11-20T09:15:00Z'],
    ['2026-11-19T23:00:00-09:30', '2026-11-20T08:30:00Z'],
    // The hour that ends the summer time of Berlin comes twice by the clock.
    ['2026-10-25T02:00:00+02:00', '2026-10-25T00:00:00Z'],
    ['2026-10-25T02:00:00+01:00', '2026-10-25T01:00:00Z'],
  ])('starts at any instant that begins an hour in some time zone: %s', (start, read) => {
    expect(reportOf(start)).toEqual({ data: { start: read }, refusal: undefined });
  });

  test('is refused if it has not begun', () => {
    expect(reportOf(time).data).toBeDefined();
    expect(reportOf('2026-11-20T11:15:00Z').refusal).toEqual({
      fault: 'future-time',
      expected: '/data/start: An hour that has begun at 2026-11-20T11:00:00Z.',
    });
  });

  test.each(['2026-11-20T10:05:00Z', '2026-11-20T10:00:01Z', '2026-11-20T10:00:00.001Z', '2026-11-20', '', 10, null])(
    'is refused for the start %j',
    (start) => {
      const { refusal } = reportOf(start);
      expect([refusal?.fault, refusal?.expected]).toEqual(['invalid', expect.stringContaining('/data/start: ')]);
    },
  );

  test('has at most 10 MWh of a quantity', () => {
    const heating = { electricityKwh: 10_000, heatKwh: -10_000 };
    expect(reportOf('2026-11-20T10:00:00Z', { heating }).data?.heating).toEqual(heating);
    const tooMuch = { electricityKwh: 10_000.1, heatKwh: -10_000.1, fuelKwh: 1 };
    expect(reportOf('2026-11-20T10:00:00Z', { heating: tooMuch }).data?.heating).toEqual({ fuelKwh: 1 });
  });
});

describe('the energy of a day', () => {
  const reportOf = (day: string, time: string, energy: object = {}) =>
    readEvent(
      'gatewayReports',
      JSON.stringify({ ...exampleOf('energy.reported.v1'), time, data: { day, ...energy } }),
      Date.parse(time),
    );

  test('is read if the day has begun in some time zone, and refused otherwise', () => {
    expect(reportOf('2026-11-21', '2026-11-20T10:00:00.000Z').event).toBeDefined();
    expect(reportOf('2026-11-21', '2026-11-20T09:59:59.999Z').refusal).toEqual({
      fault: 'future-time',
      expected: '/data/day: A day that has begun at 2026-11-20T09:59:59.999Z in some time zone.',
    });
  });

  test.each(['2026-02-30', '2026-1-1', '2026-11-20T00:00:00Z', '', 20261120, null])(
    'is refused for the day %j',
    (day) => {
      const { refusal } = reportOf(day as string, '2026-11-21T10:00:00.000Z');
      expect([refusal?.fault, refusal?.expected]).toEqual(['invalid', expect.stringContaining('/data/day: ')]);
    },
  );

  test('may omit what is not measured; an impossible amount is left out', () => {
    const time = '2026-11-21T10:00:00.000Z';
    const read = (heating: object) => {
      const { event, unusable } = { unusable: undefined, ...reportOf('2026-11-20', time, { heating }) };
      return { use: (event?.data as { heating?: object })?.heating, isWhole: unusable === undefined };
    };
    for (const heatKwh of [0, 100_000, -0.4, -100_000])
      expect(read({ heatKwh })).toEqual({ use: { heatKwh }, isWhole: true });
    expect(read({ heatKwh: null, electricityKwh: 3 })).toEqual({ use: { electricityKwh: 3 }, isWhole: true });
    for (const bad of [100_000.1, -100_000.1, '1', true, [1]])
      expect(read({ heatKwh: bad, fuelKwh: 3 }), String(bad)).toEqual({ use: { fuelKwh: 3 }, isWhole: false });
    for (const name of ['electricityKwh', 'fuelKwh'])
      expect(read({ [name]: -0.001, heatKwh: 1 })).toEqual({ use: { heatKwh: 1 }, isWhole: false });
  });
});

describe('a text that is not an event', () => {
  const example = exampleOf('circuit.reported.v1');
  const text = JSON.stringify(example);

  test('may be at most as long as a message', () => {
    const fill = maxMessageBytes - Buffer.byteLength(text);
    expect(read('circuit.reported.v1', text + ' '.repeat(fill)).event).toBeDefined();
    expect(read('circuit.reported.v1', `${text}${' '.repeat(fill + 1)}`).refusal).toEqual({
      fault: 'too-long',
      expected: 'At most 32768 bytes.',
    });
    // A character of two bytes counts as two.
    expect(read('circuit.reported.v1', `"${'ä'.repeat(maxMessageBytes / 2)}"`).refusal?.fault).toBe('too-long');
  });

  test.each(['', '{', 'null x', text.slice(1), `${text}${text}`])('is not JSON: %s', (broken) => {
    expect(read('circuit.reported.v1', broken)).toEqual({
      labels: {},
      refusal: { fault: 'not-json', expected: 'JSON.' },
    });
  });

  test.each(['null', '[]', '7', '"circuit.reported.v1"', '{}'])('is JSON, but not an event: %s', (json) => {
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

  test('has a property twice, at any depth', () => {
    for (const [once, twice] of [
      ['"subject":', '"subject":"gw-2","subject":'],
      ['"hc1"', '"hc1","circuitId":"hc2"'],
    ] as const)
      expect(read('circuit.reported.v1', text.replace(once, twice)).refusal?.fault).toBe('repeated-property');
  });

  test('is nested as deeply as its length allows', () => {
    const nested = `${text.slice(0, -1)},"x":${'['.repeat(16_000)}${']'.repeat(16_000)}}`;
    expect(read('circuit.reported.v1', nested).event).toBeDefined();
  });

  test('has labels that are not ids', () => {
    expect(read('circuit.reported.v1', { ...example, id: '\u001b[31m', subject: '{"a":1}' }).labels).toEqual({
      type: 'circuit.reported.v1',
    });
  });
});

describe('a part of the data', () => {
  const readWith = (type: InboundEventType, change: object) => {
    const example = exampleOf(type);
    const { event, unusable, refusal } = readAny(type, { ...example, data: { ...example.data, ...change } });
    return { data: event?.data as Record<string, unknown> | undefined, unusable, refusal };
  };
  const circuit = exampleOf('circuit.reported.v1').data as { reported: object };
  const reported = (values: object) => ({ reported: { ...circuit.reported, ...values } });

  test.each([
    ['circuit.reported.v1', reported({ roomTemperatureCelsius: 6553.5 }), '/data/reported/roomTemperatureCelsius'],
    ['circuit.reported.v1', reported({ roomTemperatureCelsius: -90.3 }), '/data/reported/roomTemperatureCelsius'],
    ['circuit.reported.v1', reported({ roomSetpointCelsius: 150.1 }), '/data/reported/roomSetpointCelsius'],
    ['circuit.reported.v1', reported({ roomSetpointCelsius: '21' }), '/data/reported/roomSetpointCelsius'],
    ['circuit.reported.v1', reported({ operationMode: 3 }), '/data/reported/operationMode'],
    ['circuit.reported.v1', reported({ operationMode: ' ' }), '/data/reported/operationMode'],
    ['circuit.reported.v1', reported({ activeTimeProgramId: 'a#b' }), '/data/reported/activeTimeProgramId'],
    [
      'circuit.reported.v1',
      reported({ override: { until: 'noon', roomSetpointCelsius: 20 } }),
      '/data/reported/override/until',
    ],
    ['circuit.reported.v1', { fulfilsVersion: 1.5 }, '/data/fulfilsVersion'],
    ['circuit.reported.v1', { reported: 'broken' }, '/data/reported'],
    [
      'time-program.reported.v1',
      { switchPoints: [{ dayOfWeek: 'noday', time: '12:00', setpoint: 'eco' }] },
      '/data/switchPoints/0/dayOfWeek',
    ],
    [
      'time-program.reported.v1',
      { switchPoints: [{ dayOfWeek: 'friday', time: '24:01', setpoint: 'eco' }] },
      '/data/switchPoints/0/time',
    ],
    ['holiday.reported.v1', { holiday: { from: 'now', to: 'then', roomSetpointCelsius: 16 } }, '/data/holiday/from'],
    ['change.refused.v1', { reason: 7 }, '/data/reason'],
    [
      'gateway.described.v1',
      { circuits: [{ family: 'dhw', circuitId: 'a', timeProgramIds: ['b#'] }] },
      '/data/circuits/0/timeProgramIds/0',
    ],
    [
      'gateway.described.v1',
      { limits: { maxSwitchPoints: 8, maxSwitchPointsPerDay: 8, switchPointRasterMinutes: 0 } },
      '/data/limits/switchPointRasterMinutes',
    ],
    ['gateway.connectivity.v1', { lastSeenAt: 'yesterday' }, '/data/lastSeenAt'],
    ['gateway.connectivity.v1', { connectivity: 'asleep' }, '/data/connectivity'],
    ['function.blocked.v1', { until: 'never' }, '/data/until'],
  ] as const)('%s with %o is read without it', (type, change, pointer) => {
    const { data, unusable, refusal } = readWith(type, change);
    expect(refusal).toBeUndefined();
    expect(unusable).toMatch(new RegExp(`^${pointer}: `));
    expect(data).toBeDefined();
  });

  test.each([
    ['circuit.reported.v1', { circuitId: 'hc1#x' }, '/data/circuitId'],
    ['circuit.reported.v1', { family: 'solar' }, '/data/family'],
    ['change.refused.v1', { item: { kind: 'circuit', family: 'heating' } }, '/data/item/circuitId'],
    ['change.refused.v1', { item: { kind: 'gateway' } }, '/data/item/kind'],
    ['portal.consent.accepted.v1', { consentVersion: -1 }, '/data/consentVersion'],
    ['portal.installation.added.v1', { gatewayId: 'a b' }, '/data/gatewayId'],
  ] as const)('%s with %o is refused, since its item is unknown', (type, change, place) => {
    const { refusal } = readWith(type, change);
    expect(refusal?.fault).toBe('invalid');
    expect(refusal?.expected).toMatch(new RegExp(`^${place}: `));
  });

  test('a broken sensor does not affect the other values of the report', () => {
    const { data } = readWith('circuit.reported.v1', reported({ roomTemperatureCelsius: 1e308 }));
    const { roomTemperatureCelsius: _, ...others } = circuit.reported as { roomTemperatureCelsius: number };
    expect(data?.reported).toEqual(others);
  });

  test('a broken switch point removes the schedule, which would be another one without it; the name stays', () => {
    const good = { dayOfWeek: 'monday', time: '06:00', setpoint: 'comfort' };
    const { data } = readWith('time-program.reported.v1', { name: 'Week', switchPoints: [good, { ...good, time: 6 }] });
    expect([data?.name, data?.switchPoints]).toEqual(['Week', undefined]);
  });

  test('a broken element of any other list removes only that element', () => {
    const circuits = [
      { family: 'heating', circuitId: 'hc1', timeProgramIds: ['1', 'b#', '2'] },
      { family: 'heating', circuitId: 'h c', timeProgramIds: [] },
      { family: 'solar', circuitId: 's1' },
      { family: 'dhw', circuitId: 'dhw1', timeProgramIds: null },
    ];
    const components = [
      { componentId: '1', type: 'boiler' },
      { componentId: '2', type: 'sensor', model: 'RS' },
    ];
    const { data } = readWith('gateway.described.v1', { circuits, components, features: ['holidays', 7] });
    expect(data).toMatchObject({
      circuits: [
        { family: 'heating', circuitId: 'hc1', timeProgramIds: ['1', '2'] },
        { family: 'dhw', circuitId: 'dhw1' },
      ],
      components: [{ componentId: '2', type: 'sensor', model: 'RS' }],
      features: ['holidays'],
    });
  });

  test.each([
    [
      { dayOfWeek: 'Monday', time: '7:00', setpoint: 'reduced' },
      { dayOfWeek: 'monday', time: '07:00', setpoint: 'reduced' },
    ],
    [
      { dayOfWeek: 'SUNDAY', time: '07:05:00', setpoint: ' eco ' },
      { dayOfWeek: 'sunday', time: '07:05', setpoint: 'eco' },
    ],
    [
      { dayOfWeek: 'friday', time: '24:00', setpoint: 'off' },
      { dayOfWeek: 'friday', time: '24:00', setpoint: 'off' },
    ],
  ])('the point %o is read as %o', (written, read) => {
    const { data, unusable } = readWith('time-program.reported.v1', { switchPoints: [written] });
    expect([data?.switchPoints, unusable]).toEqual([[read], undefined]);
  });

  test('of many faults, the first are named', () => {
    const points = Array.from({ length: 300 }, () => ({ dayOfWeek: 'noday', time: '1', setpoint: 7 }));
    expect(readWith('time-program.reported.v1', { switchPoints: points }).unusable?.length).toBeLessThan(700);
  });
});

test('the two queues belong to two neighbours', () => {
  expect([portalEvents.neighbour, gatewayReports.neighbour]).toEqual(['portal', 'gateway-backend']);
});
