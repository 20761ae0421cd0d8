import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { pathParametersOf } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId, operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { findGatewayAbsence, hasItem } from '../../../lambdas/data/appliances/absence.ts';
import { circuitItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { reportEnergy } from '../../../lambdas/data/appliances/energy.ts';
import { eraseGatewayState } from '../../../lambdas/data/appliances/erasure.ts';
import { describeGateway, removeGateway } from '../../../lambdas/data/appliances/gateways.ts';
import { reportHour } from '../../../lambdas/data/appliances/hourly-energy.ts';
import { requestChange } from '../../../lambdas/data/appliances/requested-changes.ts';
import { timeProgramItemKey } from '../../../lambdas/data/appliances/time-programs.ts';
import { grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import type { Shadow } from '../../../lambdas/domain/appliance.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { factTimesAt, installGrantedGateway, putShadow, readStored, reportedProgram } from '../../support/appliance.ts';
import {
  type CallOptions,
  callsOf,
  type EquippedCompany,
  equipCompany,
  readsOfWholeGateway,
  wholeOf,
} from '../../support/call.ts';
import { consistencyOf, overtakenBy } from '../../support/store.ts';
import { consumedUnits } from '../../support/units.ts';
import { openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const dayMs = 86_400_000;

/** Far enough apart that no call exceeds the rate limit. */
const atMinute = (minute: number) => startMs + minute * 60_000;

const description = {
  name: 'Cellar',
  type: 'heat-pump',
  components: [],
  limits: { maxSwitchPoints: 10, maxSwitchPointsPerDay: 4, switchPointRasterMinutes: 10 },
  circuits: [],
};

const grantUndescribed = async ({ companyId }: EquippedCompany): Promise<string> => {
  const gatewayId = `gw-${randomUUID()}`;
  await grantGateway(world.store, partiesOf(companyId), gatewayId, startMs);
  return gatewayId;
};

const grantInstalled = async ({ companyId }: EquippedCompany): Promise<string> =>
  (await installGrantedGateway(world.store, companyId)).gatewayId;

/** Ways in which a contract's gateway can be absent, and the detail that partners get. */
const absences: Record<string, { absent: (company: EquippedCompany) => Promise<string>; detail: RegExp }> = {
  'that was never described': { absent: grantUndescribed, detail: /is not installed yet/ },
  'that was removed': {
    absent: async (company) => {
      const gatewayId = await grantInstalled(company);
      await removeGateway(world.store, gatewayId, factTimesAt(startMs));
      return gatewayId;
    },
    detail: /was removed/,
  },
  'whose removal came before any description': {
    absent: async (company) => {
      const gatewayId = await grantUndescribed(company);
      await removeGateway(world.store, gatewayId, factTimesAt(startMs));
      return gatewayId;
    },
    detail: /was removed/,
  },
  'whose state was erased with an owner before': {
    absent: async (company) => {
      const gatewayId = await grantInstalled(company);
      await eraseGatewayState(world.store, gatewayId, startMs);
      return gatewayId;
    },
    detail: /is not installed yet/,
  },
};

const gatewayOperations = [
  ...operationIds
    .filter((id) => pathParametersOf(endpoints[id].path).includes('gatewayId'))
    .map((operationId) => ({ operationId, query: {} })),
  { operationId: 'getGateway' as OperationId, ...wholeOf('getGateway') },
];

describe.each(Object.entries(absences))('a gateway %s', (_, { absent, detail }) => {
  test('is 404 gateway-not-found in every operation, and not a failure of the service', async () => {
    const { company, ask } = await openScene();
    const gatewayId = await absent(company);
    world.lines.length = 0;
    for (const [minute, { operationId, query }] of gatewayOperations.entries()) {
      const { status, body, headers } = await ask(operationId, { nowMs: atMinute(minute), query }, { gatewayId });
      expect({ status, code: body.code }, operationId).toEqual({ status: 404, code: 'gateway-not-found' });
      expect(body.detail, operationId).toMatch(detail);
      expect(headers, operationId).not.toHaveProperty('Retry-After');
    }
    const events = world.lines.map((line) => JSON.parse(line));
    expect(events).toHaveLength(gatewayOperations.length);
    for (const event of events) expect(event).toMatchObject({ level: 'INFO', decision: 'refused' });
  });

  test('is left out of the list, and shown once it is described', async () => {
    const { company, ask } = await openScene();
    const gatewayId = await absent(company);
    const listed = async (minute: number) =>
      (await ask('listGateways', { nowMs: atMinute(minute) })).body.items.map((item: typeof company) => item.gatewayId);
    expect(await listed(0)).toEqual([company.gatewayId]);
    await describeGateway(world.store, { gatewayId, ...description }, factTimesAt(atMinute(10)));
    expect(await listed(1)).toEqual([company.gatewayId, gatewayId].toSorted());
    const others: Partial<Record<OperationId, string>> = {
      getHoliday: 'not-supported',
      listDhwTimePrograms: 'circuit-not-found',
    };
    for (const operationId of [...readsOfWholeGateway, 'listDhwTimePrograms' as const]) {
      const { body } = await ask(operationId, { nowMs: atMinute(12) }, { gatewayId });
      expect(body.code ?? 'ok', operationId).toBe(others[operationId] ?? 'ok');
    }
  });
});

describe('a gateway that is removed while a request is served', () => {
  test('between the read and the write of a change: gateway-not-found, and nothing is written', async () => {
    const { company } = await openScene();
    const gateway = await installGrantedGateway(world.store, company.companyId);
    const { gatewayId } = gateway;
    const key = circuitItemKey(gatewayId, 'heating', 'c1');
    const item = (await readStored(world.store, key)) as object as Shadow;
    const removing = overtakenBy(world.store, () => removeGateway(world.store, gatewayId, factTimesAt(startMs)));
    const auditContext = { companyId: company.companyId, nowMs: startMs, requestId: 'any', operation: 'any' } as never;
    const outcome = await requestChange(removing, auditContext, {
      gateway,
      uses: 'heatingCircuits',
      key,
      item,
      values: { operationMode: 'off' },
      ifMatch: [],
      permittedSinceMs: 0,
      target: { gatewayId },
    });
    expect(outcome).toEqual({ outcome: 'gateway-removed' });
    expect(await readStored(world.store, key)).toBeUndefined();
  });

  test.each(['updateHeatingCircuit', 'updateDhwTimeProgram', 'setHeatingOverride', 'deleteHoliday'] as const)(
    '%s: the answer is 404 with the removal as its reason',
    async (operationId) => {
      const { company, ask } = await openScene();
      const gatewayId = await grantInstalled(company);
      const store = overtakenBy(world.store, () => removeGateway(world.store, gatewayId, factTimesAt(startMs)));
      const answer = await ask(operationId, { environment: { ...world.environment, store } }, { gatewayId });
      expect(answer).toMatchObject({ status: 404, body: { code: 'gateway-not-found' } });
      expect(answer.body.detail).toMatch(/was removed/);
    },
  );
});

describe('only a request that found nothing checks which part is missing', () => {
  test('a time program is read without its circuit, and shown before its circuit’s first report', async () => {
    const { company, ask } = await openScene();
    const ids = { circuitId: 'new', timeProgramId: '1' };
    const key = timeProgramItemKey(company.gatewayId, 'heating', ids.circuitId, ids.timeProgramId);
    const standing = { reported: reportedProgram, reportedAtMs: startMs, receivedAtMs: startMs, version: 1 };
    await putShadow(world.store, key, { timeProgramId: '1' }, standing);
    expect((await ask('getHeatingTimeProgram', {}, ids)).status).toBe(200);
    expect((await ask('getHeatingTimeProgram', { nowMs: atMinute(1) }, { ...ids, timeProgramId: '2' })).body.code).toBe(
      'circuit-not-found',
    );
  });

  test.each([
    ['listHeatingTimePrograms', 1],
    ['getHeatingTimeProgram', 1],
    ['updateHeatingTimeProgram', 2],
    ['getHoliday', 1],
    ['getEnergy', 1],
    ['getHourlyEnergy', 1],
    ['getGateway', 1],
    ['getHeatingCircuit', 2],
    ['listHeatingCircuits', 2],
  ] as const)('%s reads the Appliances table with %i units', async (operationId, units) => {
    const { company, ask } = await openScene();
    const [reportedMs, nowMs] = [startMs + 2 * dayMs, startMs + 3 * dayMs];
    const energy = { day: new Date(reportedMs).toISOString().slice(0, 10), heating: { electricityKwh: 1 } };
    await reportEnergy(world.store, company.gatewayId, energy, factTimesAt(nowMs));
    await reportHour(world.store, company.gatewayId, { start: toTimestamp(nowMs - 3_600_000) }, factTimesAt(nowMs));
    world.proxy.begin();
    expect((await ask(operationId, { nowMs })).status).toBeLessThan(300);
    const ofAppliances = consumedUnits(world.proxy.exchanges).filter(({ table }) => table.includes('Appliances'));
    expect(ofAppliances.reduce((sum, { readUnits }) => sum + readUnits, 0)).toBe(units);
  });

  test('is read with strong consistency', async () => {
    const { gatewayId } = (await openScene()).company;
    expect(await consistencyOf(() => findGatewayAbsence(world.store, gatewayId))).toEqual([true]);
    expect(await consistencyOf(() => findGatewayAbsence(world.store, 'unknown'))).toEqual([true, true]);
    expect(await consistencyOf(() => hasItem(world.store, circuitItemKey(gatewayId, 'dhw', 'c1')))).toEqual([true]);
  });
});

/** Returns a company with an existing gateway, and calls for it. */
const openScene = async () => {
  const company = await equipCompany(world.store);
  const calls = callsOf(company);
  const ask = (operationId: OperationId, options: CallOptions = {}, ids: Readonly<Record<string, string>> = {}) =>
    calls(operationId, options, ids);
  return { company, ask };
};
