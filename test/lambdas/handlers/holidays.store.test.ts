import { beforeAll, describe, expect, test } from 'vitest';
import type { OperationId } from '../../../lambdas/api/endpoints/endpoints.ts';
import { requestedChange } from '../../../lambdas/api/requested-change.ts';
import { holidayItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { describeGateway, removeGateway, reportFacts } from '../../../lambdas/data/appliances/gateways.ts';
import { listOpenChanges } from '../../../lambdas/data/appliances/open-since-index.ts';
import { refuseChange, report } from '../../../lambdas/data/appliances/reports.ts';
import { readAuditLog } from '../../../lambdas/data/audit.ts';
import { applyGrant } from '../../../lambdas/data/contracts/grants.ts';
import { blockFacts } from '../../../lambdas/domain/gateway.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { requestedChangeMessage } from '../../../lambdas/outbound/requested-change-message.ts';
import { factTimesAt, installGrantedGateway, readStored } from '../../support/appliance.ts';
import { addOwner, type CallOptions, callsOf, equipCompany } from '../../support/call.ts';
import { operatorActOn, overtakenBy } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const dayMs = 86_400_000;
const at = (afterMs: number) => toTimestamp(startMs + afterMs);
const wanted = { from: at(dayMs), to: at(8 * dayMs), roomSetpointCelsius: 16 };

describe('the holiday of a home', () => {
  test('is null, then pending on request, confirmed by a report, and null when the appliance reports its end', async () => {
    const { gatewayId, ask, report } = await openScene();
    const none = { gatewayId, holiday: null, state: 'confirmed', version: 1 };
    expect(await ask('getHoliday')).toMatchObject({ status: 200, body: none, headers: { etag: '"1"' } });
    const set = await ask('setHoliday', { body: wanted });
    expect(set).toMatchObject({ status: 202, headers: { etag: '"2"' } });
    expect(set.body).toMatchObject({ holiday: wanted, state: 'pending', version: 2, connectivity: 'online' });
    await report(wanted, 1000, 2);
    expect((await ask('getHoliday')).body).toMatchObject({ holiday: wanted, state: 'confirmed', version: 2 });
    await report(null, 8 * dayMs);
    expect((await ask('getHoliday')).body).toMatchObject({ ...none, version: 2, reportedAt: at(8 * dayMs) });
  });

  test('is sent to the backend and audited with its old value; a DELETE is a change even without a holiday', async () => {
    const { gatewayId, ask } = await openScene();
    await ask('setHoliday', { body: wanted, nowMs: startMs + 1 });
    for (const version of [3, 4])
      expect((await ask('deleteHoliday', { nowMs: startMs + version })).body).toMatchObject({ holiday: null, version });
    const [open] = await listOpenChanges(world.store, gatewayId);
    if (!open) throw new Error('Nothing is open.');
    const { data } = requestedChange().parse(JSON.parse(requestedChangeMessage(open).body));
    expect(data).toMatchObject({ item: { kind: 'holiday' }, version: 4, desired: { holiday: null } });
    const { rows } = await readAuditLog(world.store, { by: 'gateway', id: gatewayId }, 3);
    expect(rows).toMatchObject([
      { operation: 'deleteHoliday', gatewayId, before: { holiday: null }, after: { holiday: null } },
      { operation: 'deleteHoliday', gatewayId, before: { holiday: wanted }, after: { holiday: null } },
      { operation: 'setHoliday', gatewayId, before: { holiday: null }, after: { holiday: wanted } },
    ]);
  });

  test.each<[string, object, string]>([
    ['that ends now', { ...wanted, from: at(-1), to: at(0) }, '/body/to'],
    ['that ends before it begins', { ...wanted, to: at(dayMs - 1) }, '/body/to'],
    ['that ends too far ahead', { ...wanted, to: at(366 * dayMs + 1) }, '/body/to'],
    ['without a begin', { ...wanted, from: undefined }, '/body/from'],
    ['without a temperature', { ...wanted, roomSetpointCelsius: undefined }, '/body/roomSetpointCelsius'],
    ['with more', { ...wanted, waterSetpointCelsius: 50 }, '/body'],
  ])('%s is refused, and nothing changes', async (_, body, pointer) => {
    const { ask } = await openScene();
    const refused = await ask('setHoliday', { body });
    expect(refused.body).toMatchObject({ code: 'invalid-request', errors: [{ pointer }] });
    expect((await ask('getHoliday')).body).toMatchObject({ holiday: null, version: 1 });
  });

  test('is refused if If-Match names another version, and while the appliance blocks its heating circuits', async () => {
    const { gatewayId, ask } = await openScene();
    const stale = await ask('setHoliday', { body: wanted, headers: { 'If-Match': ['"0"'] } });
    expect(stale.body.code).toBe('precondition-failed');
    const block = { sinceMs: startMs, untilMs: startMs + dayMs };
    await reportFacts(world.store, gatewayId, blockFacts('heatingCircuits', block), factTimesAt(startMs));
    for (const operationId of ['setHoliday', 'deleteHoliday'] as const)
      expect((await ask(operationId, { body: wanted })).body).toMatchObject({
        code: 'appliance-function-blocked',
        function: 'heatingCircuits',
      });
  });

  test('that is refused stays pending with the reason; a report after its end fulfils it without a version', async () => {
    const { key, ask, report } = await openScene();
    await ask('setHoliday', { body: wanted });
    await refuseChange(world.store, key, { version: 2, reason: 'full', detail: 'No.' }, factTimesAt(startMs + 1));
    expect((await ask('getHoliday')).body).toMatchObject({ state: 'pending', lastRefusal: { reason: 'full' } });
    await report(null, 8 * dayMs - 1);
    expect((await ask('getHoliday')).body).toMatchObject({ state: 'pending', holiday: wanted });
    await report(null, 8 * dayMs);
    expect((await ask('getHoliday')).body).toMatchObject({ state: 'confirmed', holiday: null });
  });
});

describe('a holiday of the former owner', () => {
  const period = { from: at(dayMs), to: at(9 * dayMs), roomSetpointCelsius: 15.5 };

  /** Returns a company whose gateway moved to its next owner a second after `startMs`, with calls under their contract. */
  const openMoved = async () => {
    const scene = await openScene();
    const { companyId, gatewayId } = scene;
    await scene.report(period, 500);
    const { userId } = (await addOwner(world.store, scene.equipped)).contract;
    const act = operatorActOn(companyId, startMs + 1000);
    await applyGrant(world.store, act, { userId, gatewayId, isGranted: true });
    const headers = { 'x-user-id': [userId] };
    let minute = 0;
    const ask = (operationId: OperationId, { headers: others, ...options }: CallOptions = {}) =>
      scene.ask(operationId, { nowMs: startMs + ++minute * 60_000, ...options, headers: { ...headers, ...others } });
    return { ...scene, ask };
  };

  test('is hidden from the next owner’s company until it is reported again', async () => {
    const { ask, report } = await openMoved();
    const hidden = await ask('getHoliday');
    expect(hidden).toMatchObject({ status: 200, headers: { etag: '"1"' } });
    expect(hidden.body).toMatchObject({ holiday: null, state: 'confirmed', version: 1, reportedAt: at(1000) });
    await report(period, 2000);
    expect((await ask('getHoliday')).body).toMatchObject({ holiday: period, reportedAt: at(2000) });
  });

  test('is in no record of a change, whose version and If-Match work as ever', async () => {
    const { companyId, ask, report } = await openMoved();
    expect((await ask('setHoliday', { body: wanted, headers: { 'If-Match': ['"0"'] } })).status).toBe(412);
    const set = await ask('setHoliday', { body: wanted, headers: { 'If-Match': ['"1"'] } });
    expect(set).toMatchObject({ status: 202, headers: { etag: '"2"' } });
    expect(set.body).toMatchObject({ holiday: wanted, state: 'pending', reportedAt: at(1000) });
    const { rows } = await readAuditLog(world.store, { by: 'company', id: companyId }, 1);
    expect(rows).toMatchObject([{ operation: 'setHoliday', before: { holiday: null }, after: { holiday: wanted } }]);
    expect((await ask('getHoliday')).body).toMatchObject({ holiday: wanted, state: 'pending' });
    await report(wanted, 300_000, 2);
    expect((await ask('getHoliday')).body).toMatchObject({ holiday: wanted, state: 'confirmed', version: 2 });
  });

  test('is in no record of a change that another one overtook', async () => {
    const { gatewayId, ask } = await openMoved();
    const store = overtakenBy(world.store, () => ask('deleteHoliday'));
    const late = await ask('setHoliday', { body: wanted, environment: { ...world.environment, store } });
    expect(late.body).toMatchObject({ holiday: wanted, reportedAt: at(1000) });
    const { rows } = await readAuditLog(world.store, { by: 'gateway', id: gatewayId }, 10);
    expect(rows.map(({ operation }) => operation)).toEqual(expect.arrayContaining(['setHoliday', 'deleteHoliday']));
    expect(JSON.stringify(rows)).not.toContain(period.to);
  });
});

describe('a gateway', () => {
  const description = { name: 'Home', type: 'heat-pump', components: [], circuits: [] };
  const limits = { maxSwitchPoints: 1, maxSwitchPointsPerDay: 1, switchPointRasterMinutes: 1 };

  test('that has no holidays refuses them, even reads; it has them from its first report on', async () => {
    const { companyId, ask } = await openScene();
    const { gatewayId } = await installGrantedGateway(world.store, companyId, { features: [] });
    const refusals = async () => {
      const codes = [];
      for (const operationId of ['getHoliday', 'setHoliday', 'deleteHoliday'] as const)
        codes.push((await ask(operationId, { body: wanted }, { gatewayId })).body.code);
      return new Set(codes);
    };
    expect(await refusals()).toEqual(new Set(['not-supported']));
    const described = { ...description, limits, gatewayId, features: ['holidays'] };
    await describeGateway(world.store, described, factTimesAt(startMs + 1));
    expect((await ask('getHoliday', {}, { gatewayId })).body).toMatchObject({ feature: 'holidays' });
    const key = holidayItemKey(gatewayId);
    await report(world.store, key, { reported: { holiday: null } }, factTimesAt(startMs + 2));
    // The description without circuits has deleted one of version 1: what is created afterwards begins above it.
    expect((await ask('getHoliday', {}, { gatewayId })).body).toMatchObject({ holiday: null, version: 2 });
  });

  test('keeps its holiday at a new description, loses it with the feature or its removal, and counts on', async () => {
    const { gatewayId, key, ask, report } = await openScene();
    const describes = (afterMs: number, features: string[]) =>
      describeGateway(world.store, { ...description, limits, gatewayId, features }, factTimesAt(startMs + afterMs));
    await ask('setHoliday', { body: wanted });
    await describes(1, ['holidays']);
    expect((await ask('getHoliday')).body).toMatchObject({ holiday: wanted, state: 'pending', version: 2 });
    await describes(2, []);
    expect(await readStored(world.store, key)).toBeUndefined();
    await describes(3, ['holidays']);
    await report(null, 4);
    expect((await ask('getHoliday')).body).toMatchObject({ holiday: null, state: 'confirmed', version: 3 });
    await removeGateway(world.store, gatewayId, factTimesAt(startMs + 5));
    expect(await readStored(world.store, key)).toBeUndefined();
  });
});

/** Returns a company with a gateway, its calls, and a function that reports a holiday. */
const openScene = async () => {
  const company = await equipCompany(world.store);
  const key = holidayItemKey(company.gatewayId);
  return {
    ...company,
    equipped: company,
    key,
    ask: callsOf(company),
    report: (holiday: object | null, afterMs: number, fulfilsVersion?: number) =>
      report(world.store, key, { reported: { holiday }, fulfilsVersion }, factTimesAt(startMs + afterMs)),
  };
};
