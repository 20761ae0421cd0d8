import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { maxValidKeysPerCompany } from '../../../lambdas/api/limits.ts';
import { findApiKey, listApiKeys, readTakenSlots } from '../../../lambdas/data/api-keys/api-keys.ts';
import { findContract, putContract } from '../../../lambdas/data/contracts/contracts.ts';
import { eraseContract } from '../../../lambdas/data/contracts/erasure.ts';
import { applyGrant, readGrants } from '../../../lambdas/data/contracts/grants.ts';
import { generateKey } from '../../../lambdas/domain/api-key.ts';
import type { OperatorContext } from '../../../operator/cli/context.ts';
import { setGrants } from '../../../operator/companies/grants.ts';
import { issueApiKey, refuseUnusableKey } from '../../../operator/companies/key-issue.ts';
import { consistencyOf, gatewaysOf, operatorActOn, overtakenBy, readAudit } from '../../support/store.ts';
import { onboard, openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

describe('api key issue', () => {
  /** A company that was not onboarded. */
  const nobody = () => `nobody${randomUUID().slice(0, 8)}`;

  /** All items of the company's keys. */
  const keysOf = async (companyId: string) => ({
    ...(await listApiKeys(world.store, companyId, 100)),
    slots: await readTakenSlots(world.store, companyId, startMs),
    rows: await readAudit(world.store, companyId),
  });

  test('refuses a key with the id of another key, which stays, and takes no slot', async () => {
    const { companyId, key } = await onboard(world.store);
    const before = await keysOf(companyId);
    const namesake = { ...generateKey(companyId, startMs), keyId: key.keyId };
    expect(await issueApiKey(world.store, operatorActOn(companyId), namesake)).toEqual({ outcome: 'key-id-taken' });
    expect(await keysOf(companyId)).toEqual(before);
  });

  test('does not change a registered key, its day of use or its slot', async () => {
    const { companyId } = await onboard(world.store);
    const key = generateKey(companyId, startMs);
    expect(await issueApiKey(world.store, operatorActOn(companyId), key)).toEqual({ outcome: 'issued' });
    const before = await keysOf(companyId);
    expect(await issueApiKey(world.store, operatorActOn(companyId), key)).toEqual({ outcome: 'issued' });
    expect(await keysOf(companyId)).toEqual(before);
  });

  test('registers a key once if another operator registers it concurrently, even in another slot', async () => {
    const { companyId } = await onboard(world.store);
    const key = generateKey(companyId, startMs);
    const issue = (store = world.store) => issueApiKey(store, operatorActOn(companyId), key);
    const draw = vi.spyOn(Math, 'random').mockReturnValue(0);
    const overtaken = overtakenBy(world.store, () => {
      draw.mockReturnValue(0.99);
      return issue();
    });
    expect(await issue(overtaken)).toEqual({ outcome: 'issued' });
    const { keys, slots, rows } = await keysOf(companyId);
    expect([keys.length, slots.length, rows.filter(({ keyId }) => keyId === key.keyId).length]).toEqual([2, 2, 1]);
  });

  test('issues no key to a company that was not onboarded', async () => {
    const companyId = nobody();
    const key = generateKey(companyId, startMs);
    expect(await issueApiKey(world.store, operatorActOn(companyId), key)).toEqual({ outcome: 'company-not-found' });
    expect(await findApiKey(world.store, companyId, key.keyId)).toBeUndefined();
    expect(await keysOf(companyId)).toMatchObject({ keys: [], slots: [], rows: [] });
  });

  test('of two concurrent operators, only one gets the last slot; the other gets the limit as error', async () => {
    const { companyId } = await onboard(world.store, { keys: maxValidKeysPerCompany - 1 });
    const issue = (store = world.store) =>
      issueApiKey(store, operatorActOn(companyId), generateKey(companyId, startMs));
    const overtaken = overtakenBy(world.store, () => issue());
    expect(await issue(overtaken)).toMatchObject({ outcome: 'api-key-limit-reached' });
    expect((await keysOf(companyId)).slots.length).toBe(maxValidKeysPerCompany);
  });

  test('uses the slot of a key that expires at exactly this time', async () => {
    const { companyId, key } = await onboard(world.store, { keys: maxValidKeysPerCompany });
    const act = operatorActOn(companyId, key.expiresAtMs);
    const successor = generateKey(companyId, key.expiresAtMs);
    expect(await issueApiKey(world.store, act, successor)).toEqual({ outcome: 'issued' });
    const slots = await readTakenSlots(world.store, companyId, key.expiresAtMs);
    expect(slots.map(({ keyId }) => keyId)).toEqual([successor.keyId]);
  });
});

test('reads the last change of a key strongly consistently: a just deleted key is not issued again', async () => {
  const context = { nowMs: startMs, connect: async () => ({ store: world.store }) } as unknown as OperatorContext;
  const read = () => refuseUnusableKey(context, 'key.txt', 'acme', generateKey('acme', startMs));
  expect(await consistencyOf(read)).toEqual([true]);
});

describe('gateway grants', () => {
  const rowsOf = async (companyId: string) =>
    (await readAudit(world.store, companyId)).filter(({ gatewayId }) => gatewayId);

  test.each([
    ['granting', true],
    ['revoking', false],
  ])('%s a gateway while another operator does the same: done, and a grant has one audit row', async (_, isGranted) => {
    const { companyId } = await onboard(world.store);
    if (!isGranted)
      await setGrants(world.store, operatorActOn(companyId, startMs - 1), {
        userId: partiesOf(companyId).userId,
        gatewayIds: ['gw-1'],
        isGranted: true,
      });
    const act = operatorActOn(companyId);
    const before = (await rowsOf(companyId)).length;
    const overtaken = overtakenBy(world.store, () =>
      setGrants(world.store, act, { userId: partiesOf(companyId).userId, gatewayIds: ['gw-1'], isGranted }),
    );
    // A revocation is always stored, so that an older grant that arrives late does not apply.
    const changedGatewayIds = isGranted ? [] : ['gw-1'];
    expect(
      await setGrants(overtaken, act, { userId: partiesOf(companyId).userId, gatewayIds: ['gw-1'], isGranted }),
    ).toEqual({
      outcome: 'done',
      changedGatewayIds,
    });
    expect(await gatewaysOf(world.store, companyId)).toEqual(isGranted ? ['gw-1'] : []);
    expect((await rowsOf(companyId)).length).toBe(before + 1 + changedGatewayIds.length);
  });

  test('grants nothing to a company without a contract, and writes no audit row', async () => {
    const companyId = `nobody${randomUUID().slice(0, 8)}`;
    expect(
      await setGrants(world.store, operatorActOn(companyId), {
        userId: partiesOf(companyId).userId,
        gatewayIds: ['gw-1'],
        isGranted: true,
      }),
    ).toEqual({
      outcome: 'contract-not-found',
    });
    expect(await gatewaysOf(world.store, companyId)).toEqual([]);
    expect(await readAudit(world.store, companyId)).toEqual([]);
  });

  test('grants a gateway under a contract that is erased concurrently', async () => {
    const { companyId, contract } = await onboard(world.store);
    const ended = { ...contract, state: 'ended' as const };
    const erase = async () => {
      await putContract(world.store, ended);
      await eraseContract(world.store, operatorActOn(companyId), ended);
    };
    const store = overtakenBy(world.store, erase);
    const change = { userId: contract.userId, gatewayIds: ['gw-1'], isGranted: true };
    const outcome = await setGrants(store, operatorActOn(companyId), change);
    expect(outcome).toEqual({ outcome: 'done', changedGatewayIds: ['gw-1'] });
    // A row that covers a gateway does not expire.
    const stored = await findContract(world.store, partiesOf(companyId));
    expect(stored).toMatchObject({ gateways: { 'gw-1': {} }, removeAt: null });
  });

  test('reads grants strongly consistently: a change just made is visible', async () => {
    const reads = await consistencyOf(() => readGrants(world.store, partiesOf('acme'), ['gw-1', 'gw-2']));
    expect(reads).toEqual([true, true]);
  });

  describe('an operator overrides the current state, even if an event had a time in the future', () => {
    test('revokes, and no repeated or late older grant applies again', async () => {
      const { companyId, contract } = await onboard(world.store);
      const grant = (claimedAheadMs: number) =>
        applyGrant(
          world.store,
          { ...operatorActOn(companyId, startMs + claimedAheadMs), recordedAtMs: startMs },
          { gatewayId: 'gw-1', isGranted: true, userId: contract.userId, arrivedAtMs: startMs },
        );
      expect(await grant(50_000)).toEqual({ outcome: 'applied' });
      const revocation = await setGrants(world.store, operatorActOn(companyId), {
        userId: partiesOf(companyId).userId,
        gatewayIds: ['gw-1'],
        isGranted: false,
      });
      expect(revocation).toEqual({ outcome: 'done', changedGatewayIds: ['gw-1'] });
      expect([await grant(50_000), await grant(60_000)]).toEqual([{ outcome: 'stale' }, { outcome: 'noted' }]);
      expect(await gatewaysOf(world.store, companyId)).toEqual([]);
    });

    test('grants, and a later revocation in whole seconds by a clock a minute behind still applies', async () => {
      const { companyId, contract } = await onboard(world.store);
      const revoke = (atMs: number) => {
        const event = { gatewayId: 'gw-1', isGranted: false, userId: contract.userId };
        return applyGrant(world.store, operatorActOn(companyId, atMs), event);
      };
      await revoke(startMs + 50_000);
      await setGrants(world.store, operatorActOn(companyId), {
        userId: partiesOf(companyId).userId,
        gatewayIds: ['gw-1'],
        isGranted: true,
      });
      expect(await gatewaysOf(world.store, companyId)).toEqual(['gw-1']);
      expect(await revoke(startMs - 61_001)).toEqual({ outcome: 'stale' });
      expect(await revoke(startMs - 61_000)).toEqual({ outcome: 'applied' });
      expect(await gatewaysOf(world.store, companyId)).toEqual([]);
    });

    test('skips changes that others have made meanwhile, and makes the rest', async () => {
      const { companyId, contract } = await onboard(world.store);
      const event = { gatewayId: 'gw-1', isGranted: true, userId: contract.userId };
      const overtaken = overtakenBy(world.store, () =>
        applyGrant(world.store, operatorActOn(companyId, startMs + 1), event),
      );
      expect(
        await setGrants(overtaken, operatorActOn(companyId), {
          userId: partiesOf(companyId).userId,
          gatewayIds: ['gw-1', 'gw-2'],
          isGranted: true,
        }),
      ).toEqual({
        outcome: 'done',
        changedGatewayIds: ['gw-2'],
      });
      expect((await rowsOf(companyId)).length).toBe(2);
    });

    test('a revocation without a grant stores its time: an older grant that arrives late does not apply', async () => {
      const { companyId, contract } = await onboard(world.store);
      await setGrants(world.store, operatorActOn(companyId), {
        userId: partiesOf(companyId).userId,
        gatewayIds: ['gw-1'],
        isGranted: false,
      });
      const event = { gatewayId: 'gw-1', isGranted: true, userId: contract.userId };
      const late = operatorActOn(companyId, startMs - 1);
      expect(await applyGrant(world.store, late, event)).toEqual({ outcome: 'noted' });
      expect(await gatewaysOf(world.store, companyId)).toEqual([]);
    });
  });
});
