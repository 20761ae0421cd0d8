import { beforeAll, describe, expect, test } from 'vitest';
import type { OperationId } from '../../../lambdas/api/endpoints/endpoints.ts';
import { applyGrant } from '../../../lambdas/data/contracts/grants.ts';
import {
  acceptConsent,
  endContract,
  openContract,
  withdrawConsent,
} from '../../../lambdas/data/contracts/owner-decisions.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { changeAs, portalEventOn, readAllAuditPages, readAuditPage } from '../../support/audit.ts';
import { type CallOptions, type EquippedCompany, equipCompany } from '../../support/call.ts';
import { operate } from '../../support/operator.ts';
import { issueKey, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const minuteMs = 60_000;
const consent = { consentVersion: 3, requiredVersion: 3 };

test('the changes of a company are listed newest first, with key, request, resource and values', async () => {
  const company = await equipCompany(world.store);
  const { companyId, gatewayId, webhook, contract } = company;
  const { apiKey, keyId } = await issueKey(world.store, companyId, startMs, {
    access: 'full',
    allowedCidrs: null,
    label: 'Night shift',
  });
  const requests: string[] = [];
  const next = async (operation: OperationId, options: CallOptions = {}, ids = {}) => {
    const nowMs = startMs + (requests.length + 1) * minuteMs;
    requests.unshift(await changeAs(company, operation, { apiKey, nowMs, ...options }, ids));
  };
  await next('updateHeatingCircuit', { body: { roomSetpointCelsius: 22.5 } });
  await next('updateDhwTimeProgram');
  await next('setHoliday');
  await next('createApiKey', { body: { label: 'Reporting', access: 'read' } });
  await next('deleteApiKey');
  await next('verifyWebhook');
  await next('rotateWebhookSecret');

  const { items, nextCursor } = await readAuditPage(apiKey);
  expect(nextCursor).toBeNull();
  expect(items.map((each) => each.requestId)).toEqual(requests);
  for (const [index, each] of items.entries()) {
    const at = toTimestamp(startMs + (requests.length - index) * minuteMs);
    expect(each).toMatchObject({ at, actor: 'key', actorKeyId: keyId, actorKeyLabel: 'Night shift', withheld: false });
    expect(String(each.requestId)).toContain(`${each.operation}-`);
  }
  const [rotated, verified, deleted, created, holiday, program, circuit] = items;
  const ofHome = { userId: contract.userId, gatewayId };
  expect(circuit).toMatchObject({
    ...ofHome,
    resource: `/hvacs/${gatewayId}/heatingCircuits/c1`,
    before: { roomSetpointCelsius: expect.any(Number) },
    after: { roomSetpointCelsius: 22.5 },
  });
  expect(program).toMatchObject({
    ...ofHome,
    resource: `/hvacs/${gatewayId}/dhwCircuits/c1/timePrograms/1`,
    after: { switchPoints: [{ dayOfWeek: 'monday', time: '06:30' }, { time: '22:00' }] },
  });
  expect(JSON.stringify(program?.after)).toContain('{"dayOfWeek":"monday","setpoint":"comfort","time":"06:30"}');
  expect(holiday).toMatchObject({
    ...ofHome,
    resource: `/hvacs/${gatewayId}/holiday`,
    after: { holiday: { roomSetpointCelsius: 16 } },
  });
  expect(created).toMatchObject({
    resource: expect.stringMatching(/^\/api-keys\/\w+$/),
    before: null,
    after: { access: 'read', allowedCidrs: null, label: 'Reporting' },
  });
  expect(created).not.toHaveProperty('userId');
  expect(deleted).toMatchObject({
    resource: `/api-keys/${company.keys[1]?.keyId}`,
    before: { access: 'full', allowedCidrs: null, label: null },
    after: null,
  });
  const ofWebhook = { resource: `/webhooks/${webhook.webhookId}` };
  expect(verified).toMatchObject({ ...ofWebhook, before: { state: 'unverified' }, after: { state: 'enabled' } });
  expect(rotated).toMatchObject({ ...ofWebhook, before: { secretVersion: 1 }, after: { secretVersion: 2 } });
  expect(JSON.stringify(items)).not.toMatch(/whsec_|xHCSAPI|hash|"code"/);
});

test('a read-only key may read the changes, and a deleted key has no label any more', async () => {
  const company = await equipCompany(world.store);
  const issue = (label: string, access: 'full' | 'read') =>
    issueKey(world.store, company.companyId, startMs, { access, allowedCidrs: null, label });
  const [deleted, reader] = [await issue('Leaked', 'full'), await issue('Reporting', 'read')];
  await changeAs(company, 'updateHeatingCircuit', { apiKey: deleted.apiKey, nowMs: startMs + 1000 });
  await changeAs(company, 'deleteApiKey', { nowMs: startMs + 2000 }, { keyId: deleted.keyId });
  const { items } = await readAuditPage(reader.apiKey);
  expect(items).toMatchObject([
    { operation: 'deleteApiKey', resource: `/api-keys/${deleted.keyId}`, before: { label: 'Leaked' } },
    { operation: 'updateHeatingCircuit', actorKeyId: deleted.keyId, actorKeyLabel: null },
  ]);
});

test('the operator’s changes of the configuration are shown, without the person and the reason', async () => {
  const company = await equipCompany(world.store);
  const { companyId, contract, webhook } = company;
  const because = ['--yes', '--reason', 'Ms Miller called'];
  const run = async (minute: number, ...words: string[]) => {
    const nowMs = startMs + minute * minuteMs;
    const { exit, stderr } = await operate([...words, ...because], { ...world, nowMs, operator: 'arn:jane.doe' });
    expect(exit, stderr).toBe('ok');
  };
  await run(1, 'company', 'suspend', companyId);
  await run(2, 'company', 'resume', companyId);
  await run(3, 'webhook', 'disable', companyId, webhook.webhookId);
  await run(4, 'consent', 'withdraw', companyId);
  await run(5, 'gateway', 'revoke', companyId, company.gatewayId);
  await run(6, 'key', 'revoke', companyId, company.keys[1]?.keyId ?? '');
  await run(7, 'contract', 'end', companyId);
  const entries = await readAllAuditPages(company.key.apiKey);
  const ofOperator = { actor: 'operator', actorKeyId: null, actorKeyLabel: null, withheld: false };
  expect(entries).toEqual([
    {
      ...ofOperator,
      ...{ operation: 'contract end', userId: contract.userId, resource: '/contract' },
      ...{ before: { state: 'active' }, after: { state: 'ended' } },
      ...{ at: toTimestamp(startMs + 7 * minuteMs), requestId: expect.any(String) },
    },
    expect.objectContaining({
      ...ofOperator,
      ...{ operation: 'key revoke', resource: `/api-keys/${company.keys[1]?.keyId}`, after: null },
    }),
    expect.objectContaining({
      ...ofOperator,
      ...{ operation: 'webhook disable', resource: `/webhooks/${webhook.webhookId}`, after: { state: 'disabled' } },
    }),
    expect.objectContaining({ ...ofOperator, operation: 'company resume', resource: null, after: { state: 'active' } }),
    expect.objectContaining({
      ...ofOperator,
      operation: 'company suspend',
      resource: null,
      after: { state: 'suspended' },
    }),
  ]);
  expect(JSON.stringify(entries)).not.toMatch(/jane|Miller/);
});

describe('the values of a home', () => {
  const later = startMs + 9 * minuteMs;
  const ownerOf = ({ contract: { userId } }: EquippedCompany) => ({ userId });
  const end = (company: EquippedCompany) => endContract(world.store, portalEventOn(company, later), ownerOf(company));
  const withdraw = (company: EquippedCompany) =>
    withdrawConsent(world.store, portalEventOn(company, later), ownerOf(company));
  const revoke = (company: EquippedCompany) => {
    const { gatewayId } = company;
    return applyGrant(world.store, portalEventOn(company, later), { ...ownerOf(company), gatewayId, isGranted: false });
  };

  test.each([
    ['the contract ends', end],
    ['the gateway is revoked', revoke],
    ['consent is withdrawn', withdraw],
  ])('are withheld from when %s, and the change stays with its ids', async (_, change) => {
    const company = await equipCompany(world.store);
    const { gatewayId, contract } = company;
    await changeAs(company, 'updateHeatingCircuit', { nowMs: startMs + minuteMs });
    await changeAs(company, 'rotateWebhookSecret', { nowMs: startMs + 2 * minuteMs });
    const [, shown] = await readAllAuditPages(company.key.apiKey);
    expect(shown).toMatchObject({ withheld: false, after: { operationMode: 'off' } });
    await change(company);
    const entries = await readAllAuditPages(company.key.apiKey);
    expect(entries).toMatchObject([
      { operation: 'rotateWebhookSecret', withheld: false, after: { secretVersion: 2 } },
      { withheld: true, before: null, after: null, userId: contract.userId, gatewayId },
    ]);
  });

  test('stay withheld after the owner has consented and granted again', async () => {
    const company = await equipCompany(world.store);
    await changeAs(company, 'updateHeatingCircuit', { nowMs: startMs + minuteMs });
    await withdraw(company);
    const again = portalEventOn(company, startMs + 10 * minuteMs);
    await acceptConsent(world.store, again, { ...ownerOf(company), ...consent });
    await changeAs(company, 'updateHeatingCircuit', {
      nowMs: startMs + 20 * minuteMs,
      body: { operationMode: 'auto' },
    });
    expect(await readAllAuditPages(company.key.apiKey)).toMatchObject([
      { withheld: false, after: { operationMode: 'auto' } },
      { withheld: true, after: null },
    ]);
  });

  test('and all ids of an erased owner are never shown again, even if the owner comes back', async () => {
    const company = await equipCompany(world.store);
    const { contract, gatewayId, key } = company;
    const requestId = await changeAs(company, 'updateHeatingCircuit', { nowMs: startMs + minuteMs });
    const nowMs = startMs + 10 * minuteMs;
    const erasure = ['owner', 'erase', contract.userId, '--yes', '--reason', 'asked'];
    expect((await operate(erasure, { ...world, nowMs })).exit).toBe('ok');
    const isFactOnly = async () => {
      const entries = await readAllAuditPages(key.apiKey);
      expect(entries.find((each) => each.requestId === requestId)).toEqual({
        ...{ at: toTimestamp(startMs + minuteMs), operation: 'updateHeatingCircuit', requestId },
        ...{ actor: 'key', actorKeyId: key.keyId, actorKeyLabel: null },
        ...{ resource: null, before: null, after: null, withheld: true },
      });
      expect(JSON.stringify(entries)).not.toMatch(new RegExp(`${gatewayId}|${contract.userId}|erased-`));
    };
    await isFactOnly();
    const back = portalEventOn(company, startMs + 20 * minuteMs);
    await openContract(world.store, back, ownerOf(company));
    await acceptConsent(world.store, back, { ...ownerOf(company), ...consent });
    await applyGrant(world.store, back, { ...ownerOf(company), gatewayId, isGranted: true });
    expect((await readAllAuditPages(key.apiKey)).map((each) => each.requestId)).toContain(requestId);
    await isFactOnly();
  });
});
