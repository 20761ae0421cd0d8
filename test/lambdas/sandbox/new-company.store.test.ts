import { beforeAll, expect, test } from 'vitest';
import { putCompany } from '../../../lambdas/data/contracts/companies.ts';
import { type CallOptions, call } from '../../support/call.ts';
import { changeOf, dataOf, openSandbox } from '../../support/sandbox.ts';
import { onboard, openWorld } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

test('a new company reads and changes its homes after one run, once the consumers have taken the events', async () => {
  const { companyId, key } = await onboard(world.store);
  const sandbox = await openSandbox(3);
  const installed = await sandbox.runSchedule();
  expect(installed.fault).toBeUndefined();
  await sandbox.apply(installed.sent);
  sandbox.pass(60_000);

  const gatewayId = `sim-${companyId}-1`;
  const request = (operationId: Parameters<typeof call>[0], more: CallOptions = {}) => {
    sandbox.pass(60_000);
    const headers = { 'x-user-id': [`sim-owner-${companyId}-1`], 'content-type': ['application/json'] };
    return call(operationId, { apiKey: key.apiKey, nowMs: sandbox.nowMs(), ...more, headers });
  };
  const ofGateway = { pathParameters: { gatewayId } };
  const ofCircuit = { pathParameters: { gatewayId, circuitId: 'hc1' } };
  expect(await request('getGateway', ofGateway)).toMatchObject({
    status: 200,
    body: { name: 'Home 1', connectivity: 'online' },
  });
  expect((await request('getEnergy', ofGateway)).body.days).toEqual([]);
  expect((await request('listHeatingTimePrograms', ofCircuit)).body.items).toHaveLength(2);
  expect((await request('getHeatingCircuit', ofCircuit)).body).toMatchObject({ roomSetpointCelsius: 21 });

  const body = { roomSetpointCelsius: 19.5 };
  const requested = await request('updateHeatingCircuit', { ...ofCircuit, body });
  expect([requested.status, requested.body.state, requested.body.version]).toEqual([202, 'pending', 2]);
  const { sent, failures } = await sandbox.deliver([changeOf(gatewayId, 2, 19.5)]);
  expect(failures).toEqual([]);
  await sandbox.apply(sent);
  expect((await request('getHeatingCircuit', ofCircuit)).body).toMatchObject({
    roomSetpointCelsius: 19.5,
    state: 'confirmed',
  });
});

test('each active company gets the configured number of homes once, and a suspended company none', async () => {
  const [active, suspended] = await Promise.all([onboard(world.store), onboard(world.store, { state: 'suspended' })]);
  const sandbox = await openSandbox(2);
  const homesOf = (companyId: string, { logged }: Awaited<ReturnType<typeof sandbox.runSchedule>>) =>
    logged
      .flatMap(({ gatewayId = '', outcome }) => (outcome === 'installed' ? [gatewayId] : []))
      .filter((gatewayId) => gatewayId.startsWith(`sim-${companyId}-`))
      .toSorted();
  const first = await sandbox.runSchedule();
  expect(homesOf(active.companyId, first)).toEqual([`sim-${active.companyId}-1`, `sim-${active.companyId}-2`]);
  expect(homesOf(suspended.companyId, first)).toEqual([]);
  expect(await sandbox.runSchedule()).toMatchObject({ fault: undefined, sent: [], logged: [] });

  await putCompany(world.store, { ...suspended.company, state: 'active' });
  const later = await sandbox.runSchedule({ homesOfCompany: () => 3 });
  expect(homesOf(suspended.companyId, later)).toHaveLength(3);
  expect(homesOf(active.companyId, later)).toEqual([`sim-${active.companyId}-3`]);
});

test('what the owner of a home has decided is sent first, then the description of the gateway', async () => {
  const { companyId } = await onboard(world.store);
  const sandbox = await openSandbox();
  const { sent } = await sandbox.runSchedule();
  const userId = `sim-owner-${companyId}-1`;
  const gatewayId = `sim-${companyId}-1`;
  const ofHome = sent.filter(({ subject }) => [companyId, gatewayId].includes(subject));
  expect(ofHome.slice(0, 4).map(({ type, time }) => [type, time])).toEqual([
    ['portal.contract.opened.v1', '2036-03-10T12:00:00.000Z'],
    ['portal.consent.accepted.v1', '2036-03-10T12:00:00.000Z'],
    ['portal.installation.added.v1', '2036-03-10T12:00:00.000Z'],
    ['gateway.described.v1', '2036-03-10T11:59:59.999Z'],
  ]);
  expect(dataOf(ofHome, 'portal.consent.accepted.v1')).toEqual([{ userId, consentVersion: 3 }]);
  expect(dataOf(ofHome, 'portal.installation.added.v1')).toEqual([{ userId, gatewayId }]);
});
