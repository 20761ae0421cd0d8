import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { archivedDays, lateDays, messageRetentionDays } from '../../../lambdas/api/queues.ts';
import { eraseGatewayState, readGatewayState } from '../../../lambdas/data/appliances/erasure.ts';
import { describeGateway, reportFacts } from '../../../lambdas/data/appliances/gateways.ts';
import {
  changeContract,
  erasureParties,
  findContract,
  putContract,
  readContractPage,
  unopenedContract,
} from '../../../lambdas/data/contracts/contracts.ts';
import { eraseContract, erasureTimes, forgetOwner, putErasure } from '../../../lambdas/data/contracts/erasure.ts';
import { applyGrant, grantGateway, ownersKey } from '../../../lambdas/data/contracts/grants.ts';
import {
  acceptConsent,
  endContract,
  openContract,
  withdrawConsent,
} from '../../../lambdas/data/contracts/owner-decisions.ts';
import { transact } from '../../../lambdas/data/store/writes.ts';
import { noConsent } from '../../../lambdas/domain/consent.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';
import { connectivityFacts } from '../../../lambdas/domain/gateway.ts';
import { belongsToAnother, readGrantsOf } from '../../../operator/owners/known-owner.ts';
import { factTimesAt, installGateway, readStored } from '../../support/appliance.ts';
import { consistencyOf, operatorActOn, overtakenBy, readAudit } from '../../support/store.ts';
import { onboard, openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});
beforeEach(() => world.takeNewTables('Appliances'));

const [minute, dayMs] = [60_000, 86_400_000];
const acceptance = { consentVersion: 3, requiredVersion: 3 };

/** A company, and the row of its only contract, whose owner was erased. */
const withErased = async () => {
  const { companyId, contract } = await onboard(world.store);
  const ended = { ...contract, state: 'ended' as const };
  await putContract(world.store, ended);
  expect(await eraseContract(world.store, operatorActOn(companyId), ended)).toBe(true);
  return { companyId, erased: await contractOf(companyId) };
};

const contractOf = async (companyId: string) => (await findContract(world.store, partiesOf(companyId))) as Contract;

/** Events of the portal at some time after the erasure, or before it. */
const decisions: Readonly<Record<string, (companyId: string, afterMs: number) => Promise<{ outcome: string }>>> = {
  opening: (id, afterMs) => openContract(world.store, operatorActOn(id, startMs + afterMs), partiesOf(id)),
  end: (id, afterMs) => endContract(world.store, operatorActOn(id, startMs + afterMs), partiesOf(id)),
  acceptance: (id, afterMs) =>
    acceptConsent(world.store, operatorActOn(id, startMs + afterMs), { ...partiesOf(id), ...acceptance }),
  withdrawal: (id, afterMs) => withdrawConsent(world.store, operatorActOn(id, startMs + afterMs), partiesOf(id)),
  grant: (id, afterMs) => grant(id, afterMs),
  revocation: (id, afterMs) => grant(id, afterMs, false),
};

const grant = (companyId: string, afterMs: number, isGranted = true, store = world.store) =>
  applyGrant(store, operatorActOn(companyId, startMs + afterMs), {
    gatewayId: 'gw-1',
    isGranted,
    userId: partiesOf(companyId).userId,
  });

describe('a contract whose owner was erased', () => {
  test('keeps the erasure time until no archive, queue or dead letter can bring earlier events', async () => {
    const { companyId, erased } = await withErased();
    expect(erased).toMatchObject({ state: 'unopened', sinceMs: 0, gateways: {}, acceptedConsentVersion: null });
    expect(erased.erasedAtMs).toBe(startMs);
    expect(erased.removeAt).toBe(startMs / 1000 + (archivedDays + 2 * messageRetentionDays) * 86_400);
    expect((await readContractPage(world.store, companyId, 100)).contracts).toEqual([]);
    expect(await readAudit(world.store, companyId)).toContainEqual(
      expect.objectContaining({ after: { state: 'erased' } }),
    );
  });

  test.each(Object.entries(decisions))('ignores a late %s from before the erasure', async (_, decide) => {
    const { companyId, erased } = await withErased();
    const rows = await readAudit(world.store, companyId);
    for (const afterMs of [-90 * 86_400_000, -1, 0, minute])
      expect(await decide(companyId, afterMs)).toEqual({ outcome: 'stale' });
    expect([await contractOf(companyId), await readAudit(world.store, companyId)]).toEqual([erased, rows]);
    expect(await readStored(world.store, ownersKey(companyId, 'gw-1'))).toBeUndefined();
  });

  test.each(['opening', 'acceptance', 'grant'])('accepts a later %s, which keeps the row', async (name) => {
    const { companyId } = await withErased();
    expect((await decisions[name]?.(companyId, minute + 1))?.outcome).toBe('applied');
    expect(await contractOf(companyId)).toMatchObject({ erasedAtMs: startMs, removeAt: null });
    expect(await grant(companyId, -1, false)).toEqual({ outcome: 'stale' });
  });

  test.each(['end', 'withdrawal'])('accepts a later %s, and stays until no earlier event can arrive', async (name) => {
    const { companyId } = await withErased();
    for (const days of [20, 10]) {
      expect((await decisions[name]?.(companyId, days * dayMs))?.outcome).toBe(days === 20 ? 'noted' : 'stale');
      expect(await contractOf(companyId)).toMatchObject({ removeAt: startMs / 1000 + (20 + lateDays) * 86_400 });
    }
  });

  test('gets no gateway from a concurrent grant', async () => {
    const { companyId, contract } = await onboard(world.store);
    const erase = () => changeContract(world.store, operatorActOn(companyId), contract, { erasedAtMs: startMs });
    expect(await grant(companyId, -1, true, overtakenBy(world.store, erase))).toEqual({ outcome: 'stale' });
    expect((await contractOf(companyId)).gateways).toEqual({});
  });
});

test('a repeated erasure keeps the time on the contract, and the owner’s row rejects an earlier time', async () => {
  const { companyId, contract } = await onboard(world.store);
  const known = { ...contract, state: 'ended' as const, erasedAtMs: startMs - minute };
  await putContract(world.store, known);
  expect(await eraseContract(world.store, operatorActOn(companyId), known)).toBe(true);
  expect(await contractOf(companyId)).toMatchObject(erasureTimes(startMs - minute));
  const { userId } = contract;
  for (const [erasedAtMs, later] of [
    [startMs, startMs],
    [startMs - 1, startMs],
    [startMs, startMs],
    [startMs + 1, startMs + 1],
  ]) {
    await transact(world.store, { erasure: putErasure(world.store, userId, erasedAtMs as number) });
    const row = await findContract(world.store, erasureParties(userId));
    expect(row).toMatchObject(erasureTimes(later as number));
  }
});

describe('a contract is not erased', () => {
  const { companyId: _, userId: __, ...attributes } = unopenedContract(partiesOf('acme'));

  test.each(Object.keys(attributes))('if its %s has changed since it was read', async (name) => {
    for (const consent of [{}, noConsent]) {
      const { companyId, contract } = await onboard(world.store, consent);
      const current = { ...contract, [name]: name === 'gateways' ? { 'gw-1': {} } : 'changed' };
      const change = () => putContract(world.store, current as never);
      expect(await eraseContract(overtakenBy(world.store, change), operatorActOn(companyId), contract)).toBe(false);
      expect(await contractOf(companyId)).toEqual(current);
    }
  });

  test('while it covers a gateway', async () => {
    const { companyId } = await onboard(world.store);
    await grantGateway(world.store, partiesOf(companyId), 'gw-1', startMs);
    expect(await eraseContract(world.store, operatorActOn(companyId), await contractOf(companyId))).toBe(false);
    expect((await contractOf(companyId)).erasedAtMs).toBeNull();
  });
});

describe('in the partition of a gateway', () => {
  const forget = (companyId: string, store = world.store) =>
    forgetOwner(store, operatorActOn(companyId), { ...partiesOf(companyId), gatewayId: 'gw-1', erasedAtMs: startMs });

  const grantOfAnother = (companyId: string, afterMs: number) =>
    applyGrant(world.store, operatorActOn(companyId, startMs + afterMs), {
      gatewayId: 'gw-1',
      isGranted: true,
      userId: 'another',
    });
  const ownersRow = (companyId: string) => readStored(world.store, ownersKey(companyId, 'gw-1'));

  test('an owner is removed, and keeps no time if a later owner is there', async () => {
    const { companyId } = await onboard(world.store);
    await grantGateway(world.store, partiesOf(companyId), 'gw-1', startMs - 1000);
    await grantOfAnother(companyId, 0);
    expect(await forget(companyId)).toBe(1);
    expect(Object.keys((await ownersRow(companyId))?.owners as object)).toEqual(['another']);
    expect(await forget(companyId)).toBe(0);
  });

  test('the last owner is removed; only the time of the grant stays until no earlier grant can arrive', async () => {
    const { companyId } = await onboard(world.store);
    await grantGateway(world.store, partiesOf(companyId), 'gw-1', startMs - 1000);
    expect(await forget(companyId)).toBe(1);
    const grantedMs = startMs - 1000;
    expect(await ownersRow(companyId)).toMatchObject({
      owners: { '*': { isGranted: false, grantClaimedAtMs: grantedMs } },
      removeAt: grantedMs / 1000 + lateDays * 86_400,
    });
    expect(await grantOfAnother(companyId, -1001)).toEqual({ outcome: 'stale' });
    expect(await grantOfAnother(companyId, -999)).toEqual({ outcome: 'applied' });
    expect(await ownersRow(companyId)).not.toHaveProperty('removeAt');
  });

  test('the row of an owner who never granted the gateway is deleted; a later grant succeeds', async () => {
    const { companyId } = await onboard(world.store);
    await grant(companyId, -1000, false);
    expect(await forget(companyId)).toBe(1);
    expect(await ownersRow(companyId)).toBeUndefined();
    expect((await grant(companyId, 2000)).outcome).toBe('applied');
  });

  test('a grant from after the erasure stays', async () => {
    const { companyId } = await onboard(world.store);
    await grantGateway(world.store, partiesOf(companyId), 'gw-1', startMs + minute + 1);
    expect(await forget(companyId)).toBe(0);
    expect(await ownersRow(companyId)).toBeDefined();
  });

  test.each([
    ['the only owner', [] as const],
    ['one of two owners', ['another'] as const],
  ])('a concurrent change of the grant of %s is a conflict, and stays', async (_, others) => {
    const { companyId } = await onboard(world.store);
    await grantGateway(world.store, partiesOf(companyId), 'gw-1', startMs - 1000);
    const revoke = (userId: string) =>
      applyGrant(world.store, operatorActOn(companyId, startMs + 1000), {
        gatewayId: 'gw-1',
        isGranted: false,
        userId,
      });
    for (const userId of others) await revoke(userId);
    const { userId } = partiesOf(companyId);
    expect(
      await forget(
        companyId,
        overtakenBy(world.store, () => revoke(userId)),
      ),
    ).toBe('conflict');
    const row = await ownersRow(companyId);
    expect(Object.keys(row?.owners as object).toSorted()).toEqual([userId, ...others].toSorted());
  });

  test.each([
    ['the grants to remove', () => forget('acme')],
    ['the grants of an owner', () => readGrantsOf(world.store, 'owner', 'gw-1')],
    ['later owners', () => belongsToAnother(world.store, 'owner', 'gw-1')],
    ['the state', () => readGatewayState(world.store, 'gw-1')],
  ])('%s are read strongly consistently: a change just made is not missed', async (_, read) => {
    expect(await consistencyOf(read)).toEqual([true]);
  });
});

describe('the state of a gateway', () => {
  test('is deleted with all of its items; later reports are ignored until the next description', async () => {
    const { connectivity, lastSeenAtMs, blocks, ...plate } = await installGateway(world.store);
    const { gatewayId } = plate;
    expect((await readGatewayState(world.store, gatewayId)).length).toBeGreaterThan(1);
    const erased = await eraseGatewayState(world.store, gatewayId, startMs);
    expect([erased > 1, await readGatewayState(world.store, gatewayId)]).toEqual([true, []]);
    const report = (atMs: number) =>
      reportFacts(world.store, gatewayId, connectivityFacts('online', atMs), factTimesAt(atMs));
    expect(await report(startMs + 365 * 86_400_000)).toEqual({ outcome: 'stale' });
    expect(await readStored(world.store, { gatewayId, sk: 'INVENTORY' })).not.toHaveProperty('removeAt');
    await describeGateway(world.store, { ...plate, circuits: [] }, factTimesAt(startMs + minute + 1));
    expect(await report(startMs + 2 * minute)).toEqual({ outcome: 'applied' });
    expect(await eraseGatewayState(world.store, 'never-heard-of', startMs)).toBe(0);
  });
});
