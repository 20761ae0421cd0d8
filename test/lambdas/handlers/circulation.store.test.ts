import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { OperationId } from '../../../lambdas/api/endpoints/endpoints.ts';
import { callsOf, equipCompany } from '../../support/call.ts';
import { eventLike, take } from '../../support/messages.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const minuteMs = 60_000;

/** Returns a company whose gateway is described with a circulation of its first hot-water circuit, and calls in turn. */
const openScene = async (circulation: unknown = { timeProgramId: '3' }) => {
  const company = await equipCompany(world.store);
  let nowMs = startMs;
  const send = async (data: object, type: 'gateway.described.v1' | 'time-program.reported.v1') => {
    nowMs += minuteMs;
    const event = eventLike(type, { subject: company.gatewayId, id: randomUUID(), timeMs: nowMs });
    return (await take('takeGatewayReports', [{ ...event, data }], { arrivedAtMs: nowMs })).logged[0];
  };
  const circuits = [
    { family: 'heating', circuitId: 'c1', timeProgramIds: ['1'], circulation },
    { family: 'dhw', circuitId: 'c1', timeProgramIds: ['1', '2'], circulation },
    { family: 'dhw', circuitId: 'c2', timeProgramIds: ['1'] },
  ];
  const described = await send({ circuits }, 'gateway.described.v1');
  const program = { family: 'dhw', circuitId: 'c1', timeProgramId: '3', name: 'Circulation', switchPoints: [] };
  await send(program, 'time-program.reported.v1');
  const ask = (operationId: OperationId, body?: object, ids: Readonly<Record<string, string>> = {}) => {
    nowMs += minuteMs;
    return callsOf(company)(operationId, { nowMs, ...(body && { body }) }, ids);
  };
  return { described, describe: (data: object) => send(data, 'gateway.described.v1'), ask };
};

const switchPointAt = (setpoint: string) => ({
  name: 'Circulation',
  switchPoints: [{ dayOfWeek: 'monday', time: '06:00', setpoint }],
});

test('a hot-water circuit has the circulation that its gateway describes, wherever it is shown', async () => {
  const { described, ask } = await openScene();
  expect(described).toMatchObject({ outcome: 'applied' });
  const circulation = { timeProgramId: '3', levels: ['on', 'off'] };
  expect((await ask('getDhwCircuit')).body).toMatchObject({ circulation });
  expect((await ask('listDhwCircuits')).body.items).toMatchObject([{ circulation }, { circulation: null }]);
  const home = await ask('getGateway');
  expect(home.body).not.toHaveProperty('circulation');
  expect((await ask('updateDhwCircuit', { activeTimeProgramId: '2' })).body).toMatchObject({ circulation });
  expect((await ask('getHeatingCircuit')).body).not.toHaveProperty('circulation');
});

test('its time program exists without being listed, is changed like others, with the levels of the circulation', async () => {
  const { ask } = await openScene({ timeProgramId: '3', levels: ['on', '5/25-cycles'] });
  const ids = { timeProgramId: '3' };
  expect((await ask('getDhwTimeProgram', undefined, ids)).body).toMatchObject({ name: 'Circulation' });
  expect((await ask('updateDhwTimeProgram', switchPointAt('5/25-cycles'), ids)).status).toBe(202);
  expect((await ask('updateDhwTimeProgram', switchPointAt('comfort'), ids)).body).toMatchObject({
    status: 400,
    errors: [{ pointer: '/body/switchPoints/0/setpoint', detail: 'Expected one of on, 5/25-cycles.' }],
  });
  expect((await ask('updateDhwTimeProgram', switchPointAt('on'))).status).toBe(400);
  expect((await ask('updateDhwTimeProgram', switchPointAt('comfort'))).status).toBe(202);
});

test('its time program cannot be active; the same id of another circuit can', async () => {
  const { ask } = await openScene({ timeProgramId: '2' });
  const active = { activeTimeProgramId: '2' };
  expect((await ask('updateDhwCircuit', active)).body).toMatchObject({
    status: 400,
    errors: [{ pointer: '/body/activeTimeProgramId' }],
  });
  expect((await ask('updateDhwCircuit', { activeTimeProgramId: '1' })).status).toBe(202);
  expect((await ask('updateDhwCircuit', { waterSetpointCelsius: 50 })).status).toBe(202);
});

test('a description without it ends it; one without circuits keeps it; an unusable one costs only itself', async () => {
  const { describe, ask } = await openScene();
  await describe({ name: 'Home' });
  expect((await ask('getDhwCircuit')).body.circulation).toMatchObject({ timeProgramId: '3' });
  const circuit = { family: 'dhw', circuitId: 'c1', timeProgramIds: ['1'] };
  expect(await describe({ circuits: [{ ...circuit, circulation: { timeProgramId: 3 } }] })).toMatchObject({
    outcome: 'applied-in-part',
    expected: expect.stringContaining('/data/circuits/0/circulation/timeProgramId: '),
  });
  expect((await ask('getDhwCircuit')).body.circulation).toBeNull();
});
