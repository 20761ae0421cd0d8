import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OperationId } from '../../../../lambdas/api/endpoints/endpoints.ts';
import type { InboundEventType } from '../../../../lambdas/api/inbound-events/inbound-events.ts';
import { callsOf, type EquippedCompany, equipCompany } from '../../../support/call.ts';
import { eventLike, take } from '../../../support/messages.ts';
import { openWorld, startMs } from '../../../support/world.ts';
import { circuitGroups, type Group } from './circuits.ts';
import { homeGroups } from './homes.ts';
import { measurementGroups } from './measurements.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let company: EquippedCompany;
beforeAll(async () => {
  world = await openWorld();
  company = await equipCompany(world.store);
});

const minuteMs = 60_000;

/** Each row is later than the one before: after the grant of the gateway, and beyond the rate limits. */
let minutes = 3 * 24 * 60;
const nextMinute = () => startMs + minuteMs * ++minutes;

/** Returns the message, with the numbers and words of `written` in their original spelling. */
const messageOf = (type: InboundEventType, timeMs: number, data: object, others: object = {}) =>
  JSON.stringify({
    ...eventLike(type, { subject: company.gatewayId, id: randomUUID(), timeMs }),
    data,
    ...others,
  }).replace(/\{"written":"([^"]*)"\}/g, '$1');

const ask = async (operationId: OperationId, nowMs: number) => {
  const { status, body } = await callsOf(company)(operationId, { nowMs });
  expect(status).toBe(200);
  return body;
};

/** Returns what a partner reads after the report. */
const read = async ({ type, about }: Pick<Group, 'type' | 'about'>, nowMs: number) => {
  const { family, day, start } = about as Readonly<Record<string, string | undefined>>;
  if (type === 'circuit.reported.v1') return ask(family === 'dhw' ? 'getDhwCircuit' : 'getHeatingCircuit', nowMs);
  if (type === 'time-program.reported.v1') return ask('getHeatingTimeProgram', nowMs);
  if (type === 'holiday.reported.v1') return ask('getHoliday', nowMs);
  if (type === 'hourly-energy.reported.v1') {
    const { hours } = await ask('getHourlyEnergy', nowMs);
    return hours.find((each: { readonly start: string }) => each.start === start);
  }
  if (type === 'measurements.reported.v1') return readMeasurements(nowMs);
  if (type !== 'energy.reported.v1') return ask('getGateway', nowMs);
  const { days } = await ask('getEnergy', nowMs);
  return days.find((each: { readonly day: string }) => each.day === day);
};

/** Returns the measurements of the home as a whole, by their names. */
const readMeasurements = async (nowMs: number) => {
  const { measurements } = await ask('getMeasurements', nowMs);
  const ofHome = measurements.filter(({ componentId }: { componentId: string | null }) => componentId === null);
  return Object.fromEntries(ofHome.map((each: { name: string }) => [each.name, each]));
};

describe.each(Object.entries({ ...circuitGroups, ...homeGroups, ...measurementGroups }))('%s', (_, group) => {
  const { type, about, within, before, rows } = group;
  const dataOf = (values: object) => ({ ...about, ...(within ? { [within]: values } : values) });

  test.each(rows)('%s', async (__, reported, shown = reported, unusable) => {
    const nowMs = nextMinute();
    const messages = [messageOf(type, nowMs - 1, dataOf(before)), messageOf(type, nowMs, dataOf(reported))];
    const { logged, refused, failures } = await take('takeGatewayReports', messages, { arrivedAtMs: nowMs });
    expect([refused, failures]).toEqual([[], []]);
    const place = ['/data', ...(within ? [`/${within}`] : []), unusable].join('');
    expect(logged.map(({ outcome, expected }) => ({ outcome, expected }))).toEqual([
      { outcome: 'applied' },
      unusable
        ? { outcome: 'applied-in-part', expected: expect.stringMatching(new RegExp(`^${place}: `)) }
        : { outcome: 'applied' },
    ]);
    expect(await read(group, nowMs)).toMatchObject(shown);
  });
});

/** Times in the formats of libraries, starting at the second, and how each is shown. */
const times: readonly (readonly [what: string, written: string, shown: string])[] = [
  ['three digits', ':07.345Z', ':07.345Z'],
  ['a full second of Java', ':07Z', ':07Z'],
  ['six digits of a Java Instant', ':07.123456Z', ':07.123Z'],
  ['nine digits of a Java Instant', ':07.123456789Z', ':07.123Z'],
  ['a full second of Python', ':07+00:00', ':07Z'],
  ['isoformat() of Python', ':07.361592+00:00', ':07.361Z'],
  ['Go without trailing zeros', ':07.12Z', ':07.120Z'],
  ['Go with one digit', ':07.5Z', ':07.500Z'],
  ['seven digits of .NET', ':07.1234567Z', ':07.123Z'],
  ['a DateTimeOffset of .NET', ':07.1000000+01:00', ':07.100Z'],
  ['only zeros', ':07.000000000Z', ':07Z'],
  ['almost the next second', ':07.999999999Z', ':07.999Z'],
  ['Berlin', ':07+01:00', ':07Z'],
  ['Kathmandu', ':07.5+05:45', ':07.500Z'],
  ['Newfoundland', ':07-03:30', ':07Z'],
  ['the unknown offset of RFC 3339', ':07-00:00', ':07Z'],
];

const writtenAs = (ms: number, rest: string) => {
  const [, sign, hours = '0', minutesOf = '0'] = /([+-])(\d\d):(\d\d)$/.exec(rest) ?? [];
  const offsetMs = (Number(hours) * 60 + Number(minutesOf)) * minuteMs * (sign === '-' ? -1 : 1);
  return `${new Date(ms + offsetMs).toISOString().slice(0, 16)}${rest}`;
};

test.each(times)('a time is read in the envelope and in every property: %s', async (_, written, shown) => {
  const nowMs = nextMinute();
  const [time, until] = [0, 5 * 60].map((later) => writtenAs(nowMs + later * minuteMs, written)) as [string, string];
  const [shownTime, shownUntil] = [0, 5 * 60].map((later) => writtenAs(nowMs + later * minuteMs, shown));
  const circuit = { family: 'heating', circuitId: 'c1' };
  const override = { roomSetpointCelsius: 23, since: time, until };
  const messages = [
    messageOf('circuit.reported.v1', 0, { ...circuit, reported: { override } }, { time }),
    messageOf('gateway.connectivity.v1', 0, { lastSeenAt: time }, { time }),
    messageOf('function.blocked.v1', 0, { function: 'dhwCircuits', since: time, until }, { time }),
    messageOf('holiday.reported.v1', 0, { holiday: { from: time, to: until, roomSetpointCelsius: 16 } }, { time }),
  ];
  const { outcomes } = await take('takeGatewayReports', messages, { arrivedAtMs: nowMs + minuteMs });
  expect(outcomes).toEqual(messages.map(() => 'applied'));
  const readAll = (operations: readonly OperationId[]) =>
    Promise.all(operations.map((each) => ask(each, nowMs + minuteMs)));
  const [ofCircuit, ofGateway, ofHoliday] = await readAll(['getHeatingCircuit', 'getGateway', 'getHoliday']);
  expect(ofCircuit).toMatchObject({ reportedAt: shownTime, override: { since: shownTime, until: shownUntil } });
  expect(ofGateway).toMatchObject({
    lastSeenAt: shownTime,
    blockedFunctions: [{ function: 'dhwCircuits', blockedSince: shownTime, blockedUntil: shownUntil }],
  });
  expect(ofHoliday).toMatchObject({ holiday: { from: shownTime, to: shownUntil }, reportedAt: shownTime });
});

/** Property names of every object, and ids that resemble something else. */
const ids = ['constructor', '__proto__', 'toString', 'hasOwnProperty', '-1', '..', '0', 'null', 'x'.repeat(64)];

test.each(ids)('a circuit and its time program can have the id %s', async (name) => {
  const nowMs = nextMinute();
  const item = { family: 'heating', circuitId: name };
  const messages = [
    messageOf('circuit.reported.v1', nowMs, { ...item, reported: { operationMode: name, activeTimeProgramId: name } }),
    messageOf('time-program.reported.v1', nowMs, { ...item, timeProgramId: name, name, switchPoints: [] }),
  ];
  const { outcomes } = await take('takeGatewayReports', messages, { arrivedAtMs: nowMs });
  expect(outcomes).toEqual(['applied', 'applied']);
  const ofItem = { circuitId: name, timeProgramId: name };
  const [circuit, program] = [
    await callsOf(company)('getHeatingCircuit', { nowMs }, ofItem),
    await callsOf(company)('getHeatingTimeProgram', { nowMs }, ofItem),
  ];
  expect(circuit.body).toMatchObject({ circuitId: name, operationMode: name, activeTimeProgramId: name });
  expect(program.body).toMatchObject({ timeProgramId: name, name, switchPoints: [] });
});
