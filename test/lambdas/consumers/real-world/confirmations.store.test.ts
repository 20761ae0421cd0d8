import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OperationId } from '../../../../lambdas/api/endpoints/endpoints.ts';
import type { InboundEventType } from '../../../../lambdas/api/inbound-events/inbound-events.ts';
import { applianceFeatures } from '../../../../lambdas/api/schemas/gateway.ts';
import { callsOf, type EquippedCompany, equipCompany } from '../../../support/call.ts';
import { eventLike, take } from '../../../support/messages.ts';
import { openWorld, startMs } from '../../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let company: EquippedCompany;
beforeAll(async () => {
  world = await openWorld();
  company = await equipCompany(world.store);
  const limits = { heatingCurve: { slope: { step: 0.05 } }, coolingSetpointCelsius: {} };
  const circuits = [
    { family: 'heating', circuitId: 'c1', limits },
    { family: 'dhw', circuitId: 'c1' },
  ];
  const data = { features: applianceFeatures, circuits };
  const described = eventLike('gateway.described.v1', { subject: company.gatewayId, timeMs: startMs, data });
  await take('takeGatewayReports', [described], { arrivedAtMs: startMs });
});

type Subject = {
  readonly type: InboundEventType;
  readonly about: object;
  /** The property of the data that contains the reported values; if absent, the data itself contains them. */
  readonly within?: string;
  readonly get: OperationId;
};

const heating: Subject = {
  type: 'circuit.reported.v1',
  about: { family: 'heating', circuitId: 'c1' },
  within: 'reported',
  get: 'getHeatingCircuit',
};
const holiday: Subject = { type: 'holiday.reported.v1', about: {}, get: 'getHoliday' };

/** The subject of each change. */
const subjects = {
  updateHeatingCircuit: heating,
  setHeatingOverride: heating,
  deleteHeatingOverride: heating,
  updateDhwCircuit: { ...heating, about: { family: 'dhw', circuitId: 'c1' }, get: 'getDhwCircuit' },
  updateHeatingTimeProgram: {
    type: 'time-program.reported.v1',
    about: { family: 'heating', circuitId: 'c1', timeProgramId: '1' },
    get: 'getHeatingTimeProgram',
  },
  setHoliday: holiday,
  deleteHoliday: holiday,
} as const satisfies Partial<Record<OperationId, Subject>>;

type Change = keyof typeof subjects;
type State = 'confirmed' | 'pending';

/**
 * A partner's request, the appliance's report afterwards without a version, and whether the report confirms the change (the
 * default). To add one, add a line.
 */
type Row = [what: string, change: Change, body: object | undefined, reported: unknown, state?: State];

const setpoint = (roomSetpointCelsius: unknown) => ({ roomSetpointCelsius });
const curve = (slope: number, shiftKelvin = 0) => ({ heatingCurve: { slope, shiftKelvin } });
const point = (dayOfWeek: string, time: string, setpoint = 'eco') => ({ dayOfWeek, time, setpoint });
const [early, late, end] = [point('monday', '05:00'), point('monday', '06:30', 'comfort'), point('friday', '22:00')];
const week = { name: 'Küche', switchPoints: [end, late, early] };
const warm = { roomSetpointCelsius: 23, until: '2036-03-17T10:08:31.301Z' };
const untilSwitch = { ...warm, until: 'next-switch-point' };
const hourBefore = '2036-03-10T11:00:00Z';
const away = { from: '2036-04-01T08:00:31.301Z', to: '2036-04-09T08:00:00Z', roomSetpointCelsius: 16 };

const rows: readonly Row[] = [
  ['a setpoint with noise above', 'updateHeatingCircuit', setpoint(21.500000000000004), setpoint(21.5)],
  ['a setpoint with noise below', 'updateHeatingCircuit', setpoint(20.499999999999996), setpoint(20.5)],
  ['a setpoint reported with noise', 'updateHeatingCircuit', setpoint(21.5), setpoint(21.499999999999996)],
  ['a setpoint reported as a short float', 'updateHeatingCircuit', setpoint(21.5), setpoint(21.5000019)],
  ['another setpoint', 'updateHeatingCircuit', setpoint(21.5), setpoint(21.4), 'pending'],
  ['a setpoint as text', 'updateHeatingCircuit', setpoint(22.5), setpoint('22.5'), 'pending'],
  ['a mode with a line break', 'updateHeatingCircuit', { operationMode: 'off' }, { operationMode: ' off\r\n' }],
  ['another mode', 'updateHeatingCircuit', { operationMode: 'off' }, { operationMode: 'standby' }, 'pending'],
  [
    'a program by its number',
    'updateHeatingCircuit',
    { activeTimeProgramId: '2' },
    { activeTimeProgramId: 2 },
    'pending',
  ],
  [
    'one of two settings',
    'updateHeatingCircuit',
    { operationMode: 'manual', ...setpoint(19) },
    setpoint(19),
    'pending',
  ],
  ['a curve', 'updateHeatingCircuit', curve(1.35, -2), curve(1.35, -2)],
  ['a curve with noise', 'updateHeatingCircuit', curve(1.3500000000000001), curve(1.3499999046325684, 1e-9)],
  ['a curve of other order', 'updateHeatingCircuit', curve(1), { heatingCurve: { shiftKelvin: 0, slope: 1 } }],
  ['another slope', 'updateHeatingCircuit', curve(1.35), curve(1.3), 'pending'],
  ['another shift', 'updateHeatingCircuit', curve(1.35), curve(1.35, 1), 'pending'],
  ['a curve without shift', 'updateHeatingCircuit', curve(1.35), { heatingCurve: { slope: 1.35 } }, 'pending'],
  ['no curve', 'updateHeatingCircuit', curve(1.35), setpoint(21), 'pending'],
  ['cooling', 'updateHeatingCircuit', { coolingSetpointCelsius: 24 }, { coolingSetpointCelsius: 24.000002 }],
  ['other cooling', 'updateHeatingCircuit', { coolingSetpointCelsius: 24 }, { coolingSetpointCelsius: 25 }, 'pending'],
  ['hot water with noise', 'updateDhwCircuit', { waterSetpointCelsius: 48 }, { waterSetpointCelsius: 48.0000001 }],
  ['points in another order', 'updateHeatingTimeProgram', week, { ...week, switchPoints: [late, early, end] }],
  ['points in the order of the week', 'updateHeatingTimeProgram', week, { ...week, switchPoints: [early, late, end] }],
  ['requested as decomposed letters', 'updateHeatingTimeProgram', { ...week, name: 'Ku\u0308che' }, week],
  ['reported as decomposed letters', 'updateHeatingTimeProgram', week, { ...week, name: 'Ku\u0308che' }],
  ['a name with blanks around', 'updateHeatingTimeProgram', { ...week, name: ' Küche ' }, week],
  [
    'a name with a soft hyphen',
    'updateHeatingTimeProgram',
    { ...week, name: 'Kü\u00adche' },
    { ...week, name: 'Kü\u00adche' },
  ],
  ['the flag of Wales', 'updateHeatingTimeProgram', { ...week, name: '🏴󠁧󠁢󠁷󠁬󠁳󠁿' }, { ...week, name: '🏴󠁧󠁢󠁷󠁬󠁳󠁿' }],
  ['another name', 'updateHeatingTimeProgram', week, { ...week, name: 'Bad' }, 'pending'],
  [
    'days and times of Java',
    'updateHeatingTimeProgram',
    { ...week, switchPoints: [early] },
    { ...week, switchPoints: [point('MONDAY', '05:00:00')] },
  ],
  [
    'times of one digit',
    'updateHeatingTimeProgram',
    { ...week, switchPoints: [early] },
    { ...week, switchPoints: [point('Monday', '5:00')] },
  ],
  [
    'another level',
    'updateHeatingTimeProgram',
    { ...week, switchPoints: [early] },
    { switchPoints: [point('monday', '05:00', 'reduced')] },
    'pending',
  ],
  ['a missing point', 'updateHeatingTimeProgram', week, { ...week, switchPoints: [early, late] }, 'pending'],
  ['a broken point', 'updateHeatingTimeProgram', week, { ...week, switchPoints: [early, late, end, {}] }, 'pending'],
  ['an end to the minute', 'setHeatingOverride', warm, { override: { ...warm, until: '2036-03-17T10:08:00Z' } }],
  [
    'an end with an offset',
    'setHeatingOverride',
    warm,
    { override: { ...warm, until: '2036-03-17T12:08:31.301000000+02:00' } },
  ],
  ['a start of null', 'setHeatingOverride', warm, { override: { ...warm, since: null } }],
  ['a switch point without a start', 'setHeatingOverride', untilSwitch, { override: setpoint(23) }],
  ['the time of a switch point', 'setHeatingOverride', untilSwitch, { override: warm }],
  [
    'an earlier override',
    'setHeatingOverride',
    untilSwitch,
    { override: { ...untilSwitch, since: hourBefore } },
    'pending',
  ],
  ['another end', 'setHeatingOverride', warm, { override: { ...warm, until: '2036-03-17T11:08:00Z' } }, 'pending'],
  [
    'another setpoint of an override',
    'setHeatingOverride',
    warm,
    { override: { ...warm, ...setpoint(22) } },
    'pending',
  ],
  ['no override', 'setHeatingOverride', warm, { override: null }, 'pending'],
  ['no override any more', 'deleteHeatingOverride', undefined, { override: null }],
  ['an override left out', 'deleteHeatingOverride', undefined, setpoint(20)],
  ['an override that cannot be read', 'deleteHeatingOverride', undefined, { override: { until: 'noon' } }, 'pending'],
  ['a report without values', 'deleteHeatingOverride', undefined, null, 'pending'],
  ['a report that is a list', 'deleteHeatingOverride', undefined, [], 'pending'],
  ['a holiday to the minute', 'setHoliday', away, { holiday: { ...away, from: '2036-04-01T08:00:00Z' } }],
  [
    'a holiday with an offset and noise',
    'setHoliday',
    away,
    { holiday: { ...away, to: '2036-04-09T10:00:00+02:00', ...setpoint(16.0000001) } },
  ],
  ['another holiday', 'setHoliday', away, { holiday: { ...away, to: '2036-04-10T08:00:00Z' } }, 'pending'],
  ['no holiday', 'setHoliday', away, { holiday: null }, 'pending'],
  ['no holiday any more', 'deleteHoliday', undefined, {}],
  ['a holiday that cannot be read', 'deleteHoliday', undefined, { holiday: { from: 'now' } }, 'pending'],
];

/**
 * A report of another version with the requested values, the state of the change, and whether a part of the report is
 * unusable.
 */
const versions: readonly (readonly [
  what: string,
  of: (version: number) => unknown,
  state: State,
  isUnusable: boolean,
])[] = [
  ['its version', (version) => version, 'confirmed', false],
  ['null', () => null, 'confirmed', false],
  ['a version of 0, as a backend in Go writes an absent one', () => 0, 'confirmed', false],
  ['a version as text', String, 'confirmed', false],
  ['a version of -1', () => -1, 'confirmed', true],
  ['half a version', (version) => version - 0.5, 'confirmed', true],
  ['the version before', (version) => version - 1, 'pending', false],
  ['the version after', (version) => version + 1, 'pending', true],
  ['the highest version', () => 2 ** 31 - 1, 'pending', true],
];

let minutes = 0;
const nextMinute = () => startMs + 60_000 * ++minutes;

const request = (change: OperationId, body: object | undefined, nowMs: number) =>
  callsOf(company)(change, { nowMs, ...(body && { body }) });

const send = async ({ type, about, within }: Subject, reported: unknown, fulfilsVersion: unknown, timeMs: number) => {
  const values = within ? { [within]: reported } : (reported as object);
  const event = eventLike(type, { subject: company.gatewayId, id: randomUUID(), timeMs });
  const data = { ...about, ...values, ...(fulfilsVersion !== undefined && { fulfilsVersion }) };
  const { logged, refused } = await take('takeGatewayReports', [{ ...event, data }], { arrivedAtMs: timeMs });
  expect(refused).toEqual([]);
  return logged[0]?.outcome;
};

const stateOf = async ({ get }: Subject, nowMs: number) => (await callsOf(company)(get, { nowMs })).body.state;

/** Confirms the open change of a subject, if there is one. */
const settle = async (subject: Subject, nowMs: number) => {
  const { version } = (await callsOf(company)(subject.get, { nowMs })).body;
  await send(subject, subject.within ? null : {}, version, nowMs);
};

describe('a report without a version', () => {
  test.each(rows)('%s: %s', async (_, change, body, reported, state = 'confirmed') => {
    const nowMs = nextMinute();
    const subject: Subject = subjects[change];
    await settle(subject, nowMs);
    expect((await request(change, body, nowMs + 10_000)).body).toMatchObject({ state: 'pending' });
    await send(subject, reported, undefined, nowMs + 20_000);
    expect(await stateOf(subject, nowMs + 30_000)).toBe(state);
  });
});

test.each([
  ['no name', null],
  ['an empty name', ''],
])('a report without a version and with %s confirms once no answer with another name is expected', async (_, name) => {
  const nowMs = nextMinute();
  const subject = subjects.updateHeatingTimeProgram;
  await settle(subject, nowMs);
  expect((await request('updateHeatingTimeProgram', week, nowMs)).body).toMatchObject({ state: 'pending' });
  await send(subject, { ...week, name }, undefined, nowMs + 59_999);
  expect(await stateOf(subject, nowMs + 60_000)).toBe('pending');
  await send(subject, { ...week, name }, undefined, nextMinute());
  expect(await stateOf(subject, nowMs + 60_000)).toBe('confirmed');
});

describe('a report of all that is requested', () => {
  test.each(versions)('with %s', async (_, of, state, isUnusable) => {
    for (const [change, body] of [
      ['updateHeatingCircuit', setpoint(21.5)],
      ['setHoliday', away],
    ] as const) {
      const nowMs = nextMinute();
      const subject: Subject = subjects[change];
      await settle(subject, nowMs);
      const { version } = (await request(change, body, nowMs + 10_000)).body;
      const values = change === 'setHoliday' ? { holiday: body } : body;
      const outcome = await send(subject, values, of(version), nowMs + 20_000);
      expect(outcome).toBe(isUnusable ? 'applied-in-part' : 'applied');
      expect(await stateOf(subject, nowMs + 30_000)).toBe(state);
    }
  });
});

test.each(['updateHeatingCircuit', 'updateHeatingTimeProgram', 'setHoliday'] as const)(
  'a version from before its change was requested confirms nothing later: %s',
  async (change) => {
    const nowMs = nextMinute();
    const subject: Subject = subjects[change];
    await settle(subject, nowMs);
    const { version } = (await callsOf(company)(subject.get, { nowMs: nowMs + 5000 })).body;
    expect(await send(subject, {}, version + 1, nowMs + 10_000)).toBe('applied-in-part');
    const body = { updateHeatingCircuit: setpoint(20), updateHeatingTimeProgram: week, setHoliday: away }[change];
    expect((await request(change, body, nowMs + 20_000)).body).toMatchObject({
      state: 'pending',
      version: version + 1,
    });
    expect(await stateOf(subject, nowMs + 30_000)).toBe('pending');
  },
);

test.each([warm, untilSwitch])(
  'a reported override without a start has the start of the requested one: %o',
  async (body) => {
    const nowMs = nextMinute();
    await settle(heating, nowMs);
    const { since } = (await request('setHeatingOverride', body, nowMs + 10_000)).body.override;
    const reads = [];
    for (const later of [2, 3]) {
      const { since: _, ...override } = { since, ...body };
      await send(heating, { override }, undefined, nowMs + later * 60_000);
      reads.push((await callsOf(company)(heating.get, { nowMs: nowMs + later * 60_000 + 10_000 })).body);
    }
    const confirmed = { state: 'confirmed', override: { ...body, since } };
    expect(reads).toMatchObject([confirmed, confirmed]);
    minutes += 3;
  },
);
