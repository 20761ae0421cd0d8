import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { findContract, putContract, unopenedContract } from '../../../lambdas/data/contracts/contracts.ts';
import { grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import { acceptConsent, openContract } from '../../../lambdas/data/contracts/owner-decisions.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { noConsent } from '../../../lambdas/domain/consent.ts';
import { openedByOperator } from '../../../lambdas/domain/contract.ts';
import { readAllContracts } from '../../../operator/companies/contract.ts';
import { call } from '../../support/call.ts';
import { operate, operateForJson } from '../../support/operator.ts';
import { operatorActOn, overtakenBy, readAudit } from '../../support/store.ts';
import { onboard, openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const because = ['--reason', 'ticket 8'];

describe('contract', () => {
  test('after its end, a company can only read the contract and manage its keys', async () => {
    const { companyId, key, contract } = await onboard(world.store);
    await operate(['contract', 'end', companyId, '--yes', ...because], { ...world, nowMs: startMs + 5000 });
    const { apiKey } = key;
    expect((await call('getContract', { apiKey })).body).toMatchObject({
      state: 'ended',
      since: '2036-03-10T12:00:00Z',
    });
    const headers = { 'x-user-id': [contract.userId] };
    expect((await call('listGateways', { apiKey, headers })).body.code).toBe('contract-not-active');
  });

  test('end requires confirmation with the company’s name', async () => {
    const { companyId } = await onboard(world.store);
    const wrong = await operate(['contract', 'end', companyId, ...because], {
      ...world,
      isTerminal: true,
      stdin: 'yes\n',
    });
    expect(wrong.exit).toBe('refused');
    expect(wrong.stderr).toMatch(/state +active +ended/);
    expect((await findContract(world.store, partiesOf(companyId)))?.state).toBe('active');
  });

  test('an end of an ended contract counts, too: an opening from before that arrives late has no effect', async () => {
    const { companyId } = await onboard(world.store, { state: 'ended' });
    const parties = partiesOf(companyId);
    const end = await operate(['contract', 'end', companyId, '--yes', ...because], { ...world, nowMs: startMs + 9000 });
    expect(end.exit).toBe('ok');
    const opening = (atMs: number) => openContract(world.store, operatorActOn(companyId, atMs), parties);
    expect(await opening(startMs + 8000)).toEqual({ outcome: 'stale' });
    expect((await findContract(world.store, parties))?.state).toBe('ended');
  });

  test('since is the start of the contract: a suspension keeps it, a new opening resets it', async () => {
    const { companyId } = await onboard(world.store);
    let nowMs = startMs;
    const sinceAfter = async (...commandLine: string[]) => {
      nowMs += 1000;
      expect((await operate([...commandLine, ...because], { ...world, nowMs })).exit).toBe('ok');
      return (await findContract(world.store, partiesOf(companyId)))?.sinceMs;
    };
    expect(await sinceAfter('company', 'suspend', companyId)).toBe(startMs);
    expect(await sinceAfter('company', 'resume', companyId)).toBe(startMs);
    expect(await sinceAfter('contract', 'end', companyId, '--yes')).toBe(startMs);
    expect(await sinceAfter('contract', 'open', companyId, '--user', partiesOf(companyId).userId)).toBe(startMs + 4000);
  });

  test('open adds an owner without consent, and reopens an ended contract', async () => {
    const { companyId, contract } = await onboard(world.store);
    const open = (user: string, atMs = startMs + 1000) =>
      operateForJson(['contract', 'open', companyId, '--user', user, ...because], { ...world, nowMs: atMs });
    expect((await open('another')).output.outcome).toBe('changed');
    const another = { companyId, userId: 'another' };
    const opened = { ...unopenedContract(another), ...openedByOperator(unopenedContract(another), startMs + 1000) };
    expect(await findContract(world.store, another)).toEqual(opened);
    expect((await open('another', startMs + 2000)).output.outcome).toBe('unchanged');

    const end = (...named: string[]) => operate(['contract', 'end', companyId, ...named, '--yes', ...because], world);
    const unnamed = await end();
    expect([unnamed.exit, unnamed.stderr]).toEqual(['usage', expect.stringContaining('Add --user <id>')]);
    expect((await end('--user', 'another')).exit).toBe('ok');
    expect((await findContract(world.store, contract))?.state).toBe('active');
    await open('another', startMs + 3000);
    expect(await findContract(world.store, another)).toEqual({
      ...opened,
      ...openedByOperator(unopenedContract(another), startMs + 3000),
    });
    const { output } = await operateForJson(['contract', 'list', companyId], world);
    expect(output.contracts.map((each: { userId: string; state: string }) => [each.userId, each.state])).toEqual([
      ['another', 'active'],
      [contract.userId, 'active'],
    ]);
  });

  test('open refuses a company that was not onboarded', async () => {
    const { exit, stderr } = await operate(['contract', 'open', 'nobody', '--user', 'owner', ...because], world);
    expect([exit, stderr]).toEqual(['not-found', expect.stringContaining('company onboard nobody')]);
  });

  test('end --all ends the contracts with all owners, and continues after an interruption', async () => {
    const { companyId, contract } = await onboard(world.store);
    for (const userId of ['second', 'third']) await putContract(world.store, { ...contract, userId });
    await putContract(world.store, unopenedContract({ companyId, userId: 'waiting' }));
    const end = (store: Store) =>
      operateForJson(['contract', 'end', companyId, '--all', '--yes', ...because], { ...world, store });
    const killed = overtakenBy(world.store, () => Promise.reject(new Error('killed')), 2);
    expect((await end(killed)).exit).toBe('error');
    const { output } = await end(world.store);
    expect(output).toMatchObject({ outcome: 'changed', differences: [{ before: 'active', after: 'ended' }] });
    const states = (await readAllContracts(world.store, companyId)).map(({ userId, state }) => [userId, state]);
    expect(states).toEqual([contract.userId, 'second', 'third'].map((userId) => [userId, 'ended']));
    expect((await findContract(world.store, { companyId, userId: 'waiting' }))?.state).toBe('unopened');
    expect((await end(world.store)).output.outcome).toBe('unchanged');
    const both = ['contract', 'end', companyId, '--all', '--user', 'second', '--yes', ...because];
    expect((await operate(both, world)).exit).toBe('usage');
  });

  test('show has the terms of the contract and its gateways', async () => {
    const { companyId, contract } = await onboard(world.store);
    await grantGateway(world.store, partiesOf(companyId), 'gw-1', startMs);
    const { output } = await operateForJson(['contract', 'show', companyId], world);
    expect(output).toMatchObject({
      companyId,
      userId: contract.userId,
      gatewayIds: ['gw-1'],
      consent: { upToDate: true },
    });
  });
});

describe('consent', () => {
  test('accepted or withdrawn: applies to the next request, and is in the audit log by user', async () => {
    const { companyId, key, contract } = await onboard(world.store, { acceptedConsentVersion: 2 });
    const statusOf = async () => (await call('getContract', { apiKey: key.apiKey })).body.consent.upToDate;
    expect(await statusOf()).toBe(false);
    await operate(['consent', 'accept', companyId, ...because], world);
    expect(await statusOf()).toBe(true);
    await operate(['consent', 'withdraw', companyId, '--yes', ...because], { ...world, nowMs: startMs + 1 });
    expect(await statusOf()).toBe(false);
    const acts = (await readAudit(world.store, companyId)).filter(({ userId }) => userId === contract.userId);
    expect(acts.map(({ operation }) => operation)).toEqual(['consent accept', 'consent withdraw']);
    expect(acts[0]).toMatchObject({
      before: { acceptedConsentVersion: 2 },
      after: { acceptedConsentVersion: 3 },
    });
  });

  test.each([
    ['a version that is not out yet', '4', 3, 'refused'],
    ['an older one than is accepted', '2', 3, 'refused'],
    ['no version', 'latest', null, 'usage'],
    ['the one that is accepted', '3', 3, 'ok'],
  ])('%s', async (_, version, acceptedConsentVersion, expected) => {
    const { companyId, contract } = await onboard(world.store, { acceptedConsentVersion });
    const commandLine = ['consent', 'accept', companyId, '--consent-version', version, ...because];
    expect((await operate(commandLine, { ...world, nowMs: startMs + 1 })).exit).toBe(expected);
    expect(await findContract(world.store, partiesOf(companyId))).toEqual(contract);
  });

  test('a newer version can be accepted before it is required, up to the newest one', async () => {
    const { companyId } = await onboard(world.store);
    const local = loadStageConfig('local');
    const config = { ...local, consent: { ...local.consent, newestVersion: 4 } };
    const accept = async (version: string) =>
      (await operate(['consent', 'accept', companyId, '--consent-version', version, ...because], { ...world, config }))
        .exit;
    expect([await accept('4'), await accept('5')]).toEqual(['ok', 'refused']);
  });

  test('stores the time of the service at the write, not the time of this machine', async () => {
    const { companyId } = await onboard(world.store, noConsent);
    let nowMs = startMs;
    const connection = { readStoreTimeMs: async () => (nowMs += 1000) };
    const run = (commandLine: string[]) =>
      operate([...commandLine, ...because], { ...world, nowMs: startMs - 59_000, connection });
    await run(['consent', 'accept', companyId]);
    expect(await findContract(world.store, partiesOf(companyId))).toMatchObject({
      consentedSinceMs: nowMs,
      acceptedAtMs: nowMs,
    });
    await run(['consent', 'withdraw', companyId, '--yes']);
    expect(await findContract(world.store, partiesOf(companyId))).toMatchObject({ consentClaimedAtMs: nowMs + 60_000 });
  });

  test('withdraw without consent stores its time: an older acceptance that arrives late is stale', async () => {
    const { companyId, contract } = await onboard(world.store, noConsent);
    await operate(['consent', 'withdraw', companyId, '--yes', ...because], world);
    const acceptance = { userId: contract.userId, consentVersion: 3, requiredVersion: 3 };
    const late = operatorActOn(companyId, startMs - 1);
    expect(await acceptConsent(world.store, late, acceptance)).toEqual({ outcome: 'stale' });
  });

  test('status shows the required and the accepted version', async () => {
    const { companyId } = await onboard(world.store, { acceptedConsentVersion: null, acceptedAtMs: null });
    const { output } = await operateForJson(['consent', 'status', companyId], world);
    expect(output).toMatchObject({ requiredVersion: 3, acceptedVersion: null, acceptedAt: null, upToDate: false });
    const { stdout } = await operate(['consent', 'status', companyId], world);
    expect(stdout).toContain('remote control is refused');
  });
});
