import { beforeEach, expect, test } from 'vitest';
import { heatingCircuitBody } from '../../lambdas/answers/appliances.ts';
import { circuitItemKey, readShadow } from '../../lambdas/data/appliances/appliances.ts';
import type { Circuit } from '../../lambdas/domain/appliance.ts';
import { reportedCircuits } from '../support/appliance.ts';
import { auditIn } from '../support/stage/rows.ts';
import { feedOf, openStage, type Stage } from '../support/stage/stage.ts';
import { type Home, homeOf, requestOf, sendEvent, settle } from '../support/stage/traffic.ts';

const home = homeOf(1);
/** Another company of the same owner. */
const other: Home = { ...homeOf(2), userId: home.userId, gatewayId: home.gatewayId };

const of = (level: string, setpointCelsius: number) => ({ level, setpointCelsius });
const levels = (...levelSetpoints: object[]) => ({ levelSetpoints });
const [eco, reduced] = [of('eco', 18), of('reduced', 16)];

let stage: Stage;
beforeEach(async () => {
  stage = openStage();
  await settle(stage, [home, other]);
  await report(levels(reduced, eco));
});

const report = async (reported: object, fulfilsVersion?: number) => {
  sendEvent(stage, 'circuit.reported.v1', home, {
    circuitId: 'hc1',
    reported: { ...reportedCircuits.heating, ...reported },
    fulfilsVersion,
  });
  await stage.pass();
};

const request = async (by: Home, ...each: object[]) => {
  const version = await requestOf(stage, by, levels(...each));
  await stage.pass();
  return version;
};

const stored = async () =>
  (await readShadow(stage.store, circuitItemKey(home.gatewayId, 'heating', 'hc1'))) as Circuit<'heating'>;
const shown = async () => heatingCircuitBody(await stored());

const sent = (): unknown[] =>
  stage.queues.requestedChanges.bodies().map((body) => JSON.parse(body).data.desired.levelSetpoints);

test('requests of different levels do not undo each other, and the backend is asked for both', async () => {
  await request(home, of('eco', 19));
  await request(other, of('reduced', 14));
  expect(await shown()).toMatchObject({ state: 'pending', ...levels(of('eco', 19), of('reduced', 14)) });
  expect(sent()).toEqual([[of('eco', 19)], [of('eco', 19), of('reduced', 14)]]);
  expect((await stored()).desiredBy).toMatchObject({
    'levelSetpoints.eco': { companyId: home.companyId },
    'levelSetpoints.reduced': { companyId: other.companyId },
  });
  const requests = auditIn(stage.memory.now()).filter(({ operation }) => operation === 'test');
  expect(requests).toMatchObject([
    { before: { 'levelSetpoints.eco': 18 }, after: { 'levelSetpoints.eco': 19 } },
    { before: { 'levelSetpoints.reduced': 16 }, after: { 'levelSetpoints.reduced': 14 } },
  ]);
  expect(feedOf(stage, other.companyId).at(-1)).toMatchObject({
    type: 'circuit.changed',
    data: levels(of('eco', 19), of('reduced', 14)),
  });
});

test('the end of the access of one company drops its level only, and the backend returns to what was reported', async () => {
  await request(home, of('eco', 19));
  await request(other, of('reduced', 14));
  sendEvent(stage, 'portal.consent.withdrawn.v1', home);
  await stage.pass();
  await stage.pass();
  expect(await shown()).toMatchObject({ state: 'pending', ...levels(eco, of('reduced', 14)) });
  expect(sent().at(-1)).toEqual([eco, of('reduced', 14)]);
  const dropped = auditIn(stage.memory.now()).filter(({ after }) => after?.dropped !== undefined);
  expect(dropped).toMatchObject([{ subject: home.companyId, before: { 'levelSetpoints.eco': 19 } }]);
});

test('a report confirms them in any order and rounding, and leaves nothing of the request', async () => {
  await request(home, of('eco', 19.5), of('reduced', 14));
  await report(levels(of('night', 12), of('reduced', 14.0000001), of('comfort', 21), of('eco', 19.499999999999996)));
  expect(await shown()).toMatchObject({
    state: 'confirmed',
    ...levels(of('eco', 19.5), of('night', 12), of('reduced', 14)),
  });
  for (const name of ['desired', 'desiredBy', 'desiresLevels']) expect(await stored()).not.toHaveProperty(name);
});

test.each([
  ['without one of them', levels(of('eco', 19))],
  ['with another setpoint of one', levels(of('eco', 19), of('reduced', 15))],
  ['without levels', {}],
])('a report %s confirms nothing', async (_, reported) => {
  await request(home, of('eco', 19), of('reduced', 14));
  await report(reported);
  expect(await shown()).toMatchObject({ state: 'pending', ...levels(of('eco', 19), of('reduced', 14)) });
});

test.each([
  ['nothing of levels', {}, levels(of('eco', 19), reduced)],
  ['another level only', levels(of('reduced', 15)), levels(of('eco', 19), of('reduced', 15))],
  ['an unreadable setpoint', levels(of('eco', '19 °C' as never), reduced), levels(of('eco', 19), reduced)],
  ['another setpoint', levels(of('eco', 20), reduced), levels(of('eco', 20), reduced)],
  ['no list', { levelSetpoints: 'eco=19' }, levels(of('eco', 19), reduced)],
])(
  'an answer with the version that says %s confirms the level, and what it does not say is as it was asked for',
  async (_, reported, expected) => {
    await report(reported, await request(home, of('eco', 19)));
    expect(await shown()).toMatchObject({ state: 'confirmed', ...expected });
  },
);

test.each([
  ['an unreadable list', { levelSetpoints: 'none' }, levels(of('eco', 20), reduced)],
  ['other levels', levels(of('night', 12)), levels(of('night', 12))],
  ['no levels', {}, { levelSetpoints: null }],
])(
  'an answer that is overtaken by a report of %s adds only what that report does not say',
  async (_, newer, expected) => {
    const version = await request(home, of('eco', 19));
    const answeredAtMs = stage.now();
    await stage.pass();
    await report(newer);
    const data = { circuitId: 'hc1', reported: { ...reportedCircuits.heating, ...levels(of('eco', 20)) } };
    sendEvent(stage, 'circuit.reported.v1', home, { ...data, fulfilsVersion: version }, answeredAtMs);
    await stage.pass();
    expect(await shown()).toMatchObject({ state: 'confirmed', ...expected });
  },
);

test('the target stays as reported while a change is pending, and is no event of its own', async () => {
  const target = { temperatureCelsius: 16, level: 'reduced' };
  await report({ ...levels(reduced), target });
  await request(home, of('reduced', 14));
  expect(await shown()).toMatchObject({ state: 'pending', ...levels(of('reduced', 14)), target });
  const before = feedOf(stage, home.companyId).length;
  await report({ ...levels(reduced), target: { temperatureCelsius: 21, level: 'comfort' } });
  expect(await shown()).toMatchObject({ target: { temperatureCelsius: 21, level: 'comfort' } });
  expect(feedOf(stage, home.companyId)).toHaveLength(before);
});
