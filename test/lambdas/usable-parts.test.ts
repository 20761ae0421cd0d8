import { describe, expect, test } from 'vitest';
import { exampleOf } from '../../docs/generate/events-document.ts';
import { type InboundEventType, inboundEventSchema } from '../../lambdas/api/inbound-events/inbound-events.ts';
import { readEvent } from '../../lambdas/inbound/read-event.ts';
import { usableReader } from '../../lambdas/inbound/usable-parts.ts';

const readText = (text: string) => {
  const arrivedAtMs = Date.parse(exampleOf('gateway.removed.v1').time);
  const { event, refusal } = {
    event: undefined,
    refusal: undefined,
    ...readEvent('gatewayReports', text, arrivedAtMs),
  };
  return { refusal, unusable: event?.unusable, data: event?.data as object | undefined };
};

const textOf = (type: InboundEventType, data: object) => {
  const example = exampleOf(type);
  return JSON.stringify({ ...example, data: { ...example.data, ...data } });
};

const read = (type: InboundEventType, data: object) => readText(textOf(type, data));

describe('a part that cannot be used', () => {
  test('is named by its place in the sent value, even after elements that are left out', () => {
    const circuits = [
      'broken',
      { family: 'dhw', circuitId: 'first' },
      { family: 'dhw', circuitId: 7 },
      { family: 'dhw', circuitId: 'last', timeProgramIds: [null, '1', 2] },
    ];
    const { data, unusable } = read('gateway.described.v1', { circuits });
    expect(data).toMatchObject({
      circuits: [
        { family: 'dhw', circuitId: 'first' },
        { family: 'dhw', circuitId: 'last', timeProgramIds: ['1'] },
      ],
    });
    expect(unusable?.toSorted()).toEqual([
      '/data/circuits/0',
      '/data/circuits/2/circuitId',
      '/data/circuits/3/timeProgramIds/0',
      '/data/circuits/3/timeProgramIds/2',
    ]);
  });

  test('of a measurement costs the measurement, since one without its value would mean that it cannot be read', () => {
    const measurements = [{ name: 'a', value: [] }, { name: 'b', value: 1, unit: 7 }, 'c', { name: 'd', value: 2 }];
    const { data, unusable } = read('measurements.reported.v1', { measurements });
    expect(data).toEqual({ measurements: [{ name: 'd', value: 2 }] });
    expect(unusable?.toSorted()).toEqual([
      ...['/data/measurements/0/value', '/data/measurements/1/unit', '/data/measurements/2'],
    ]);
    expect(read('measurements.reported.v1', { measurements: 'none' })).toMatchObject({
      data: {},
      unusable: ['/data/measurements'],
    });
  });

  test('is named once, without the faults that follow from it', () => {
    const { refusal } = read('circuit.reported.v1', { circuitId: 7 });
    expect(refusal?.expected.match(/\/data\S*/g)).toEqual(['/data/circuitId:']);
    const withoutTime = textOf('circuit.reported.v1', {}).replace(/"time":"[^"]*"/, '"time":"noon"');
    expect(readText(withoutTime).refusal?.expected.match(/\/time/g)).toEqual(['/time']);
  });

  test.each([
    ['features', 1],
    ['circuits', {}],
    ['circuits', { family: 'dhw', circuitId: 1 }],
    ['components', {}],
    ['components', { componentId: 1, type: 1, model: 1 }],
  ])('may be a list of %s as long as a message, with each element %j', (name, element) => {
    const count = Math.floor(31_000 / (JSON.stringify(element).length + 1));
    const { unusable } = read('gateway.described.v1', { [name]: Array.from({ length: count }, () => element) });
    expect(unusable).toContain(`/data/${name}`);
  });
});

describe('each part is read once, however many cannot be used', () => {
  /** Returns a value that counts how often its parts are read. */
  const counted = (value: unknown, count: () => void): unknown =>
    typeof value !== 'object' || value === null
      ? value
      : new Proxy(value, {
          get: (target, name) => {
            count();
            return counted(Reflect.get(target, name), count);
          },
        });

  /** Returns how often the parts of an event with this list are read. */
  const readsOf = (type: InboundEventType, data: object): number => {
    let reads = 0;
    const example = exampleOf(type);
    const event = { ...example, data: { ...example.data, ...data } };
    usableReader(inboundEventSchema(type))(counted(event, () => reads++));
    return reads;
  };

  const brokenPoint = { dayOfWeek: 'noday', time: 6, setpoint: [] };
  const goodPoint = { dayOfWeek: 'monday', time: '06:00', setpoint: 'eco' };
  const brokenCircuit = {
    family: 'dhw',
    circuitId: 1,
    timeProgramIds: [1, 2],
    limits: { levels: [1], heatingCurve: 1 },
  };

  test.each<[InboundEventType, string, number, unknown]>([
    ['gateway.described.v1', 'circuits', 40, {}],
    ['gateway.described.v1', 'circuits', 40, brokenCircuit],
    ['gateway.described.v1', 'components', 100, { componentId: 1, type: 1, model: 1 }],
    ['gateway.described.v1', 'features', 50, 1],
    ['time-program.reported.v1', 'switchPoints', 500, goodPoint],
    ['time-program.reported.v1', 'switchPoints', 500, brokenPoint],
    ['measurements.reported.v1', 'measurements', 500, { name: 'a', value: [], unit: 7 }],
    ['measurements.reported.v1', 'measurements', 500, 'broken'],
  ])('%s with %s', (type, name, most, element) => {
    const [none = 0, some = 0, all = 0] = [0, most / 10, most].map((length) =>
      readsOf(type, { [name]: Array.from({ length }, () => element) }),
    );
    expect(all - none).toBeLessThanOrEqual(10 * (some - none));
    // A list is also counted when it is checked and walked; an element has no more parts than its schema names.
    expect(all - none).toBeLessThanOrEqual(30 * most);
  });
});

describe('a text of a library', () => {
  const text = textOf('circuit.reported.v1', { reported: { operationMode: 'NaN', roomTemperatureCelsius: 20 } });

  test('may begin with a byte order mark', () => {
    expect(readText(`\ufeff${text}`).data).toMatchObject({ reported: { roomTemperatureCelsius: 20 } });
    expect(readText(`\ufeff\ufeff${text}`).refusal?.fault).toBe('not-json');
  });

  test.each(['NaN', 'Infinity', '-Infinity'])(
    'may have %s as a number, which is read as null; in a string it stays',
    (written) => {
      const { data, unusable } = readText(text.replace(/20(?=\})/, written));
      expect([data, unusable]).toMatchObject([{ reported: { operationMode: 'NaN' } }, undefined]);
      expect(data).not.toHaveProperty('reported.roomTemperatureCelsius');
    },
  );

  test.each(['nan', 'NaN1', 'xNaN', 'undefined', 'None', "'NaN'", '+Infinity'])('may not have %s', (written) => {
    expect(readText(text.replace(/20(?=\})/, written)).refusal?.fault).toBe('not-json');
  });

  test.each(['"', '"\\', '\\"', '"\\"', 'NaN '])('is not JSON if it repeats %j', (part) => {
    expect(readText(`{"a":${part.repeat(30_000 / part.length)}`).refusal?.fault).toBe('not-json');
  });

  test('may have names of JavaScript object properties, which are ignored', () => {
    const strange = '"__proto__":{"operationMode":"off"},"constructor":1,"toString":null,';
    for (const place of ['"reported":{', '"data":{', '{'])
      expect(readText(text.replace(place, `${place}${strange}`)).data).toEqual(readText(text).data);
  });
});
