import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { maxValidKeysPerCompany } from '../../../lambdas/api/limits.ts';
import { findApiKey, listApiKeys, readTakenSlots } from '../../../lambdas/data/api-keys/api-keys.ts';
import { applyGrant, readGrants } from '../../../lambdas/data/contracts/grants.ts';
import { generateKey } from '../../../lambdas/domain/api-key.ts';
import { setGrants } from '../../../operator/companies/grants.ts';
import { findLastActOnKey, issueApiKey } from '../../../operator/companies/key-issue.ts';
import { consistencyOf, gatewaysOf, operatorActOn, overtakenBy, readAudit } from '../../support/store.ts';
import { onboard, openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

describe('api key issue', () => {
  /** A company that nobody has onboarded. */
  const nobody = () => `nobody${randomUUID().slice(0, 8)}`;

  /** All that there is of the company's keys. */
  const keysOf = async (companyId: string) => ({
    ...(await listApiKeys(world.store, companyId, 100)),
    slots: await readTakenSlots(world.store, companyId, startMs),
    rows: await readAudit(world.store, companyId),
  });

  test('a key whose id another key of the company has is refused, and takes neither its place nor a slot', async () => {
    const { companyId, key } = await onboard(world.store);
    const before = await keysOf(companyId);
    const namesake = { ...generateKey(companyId, startMs), keyId: key.keyId };
    expect(await issueApiKey(world.store, operatorActOn(companyId), namesake)).toEqual({ outcome: 'key-id-taken' });
    expect(await keysOf(companyId)).toEqual(before);
  });

  test('a key that is registered already stays as it is, with its day of use and its one slot', async () => {
    const { companyId } = await onboard(world.store);
    const key = generateKey(companyId, startMs);
    expect(await issueApiKey(world.store, operatorActOn(companyId), key)).toEqual({ outcome: 'issued' });
    const before = await keysOf(companyId);
    expect(await issueApiKey(world.store, operatorActOn(companyId), key)).toEqual({ outcome: 'issued' });
    expect(await keysOf(companyId)).toEqual(before);
  });

  test('a key that another operator registers at the same moment is registered once, also in another slot', async () => {
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

  test('a company that was not onboarded gets no key', async () => {
    const companyId = nobody();
    const key = generateKey(companyId, startMs);
    expect(await issueApiKey(world.store, operatorActOn(companyId), key)).toEqual({ outcome: 'company-not-found' });
    expect(await findApiKey(world.store, companyId, key.keyId)).toBeUndefined();
    expect(await keysOf(companyId)).toMatchObject({ keys: [], slots: [], rows: [] });
  });

  test('of two operators who issue a key for the last slot at once, the second is told of the limit', async () => {
    const { companyId } = await onboard(world.store, { keys: maxValidKeysPerCompany - 1 });
    const issue = (store = world.store) =>
      issueApiKey(store, operatorActOn(companyId), generateKey(companyId, startMs));
    const overtaken = overtakenBy(world.store, () => issue());
    expect(await issue(overtaken)).toMatchObject({ outcome: 'api-key-limit-reached' });
    expect((await keysOf(companyId)).slots.length).toBe(maxValidKeysPerCompany);
  });

  test('a key takes the slot of one that runs out at that very moment', async () => {
    const { companyId, key } = await onboard(world.store, { keys: maxValidKeysPerCompany });
    const act = operatorActOn(companyId, key.expiresAtMs);
    const successor = generateKey(companyId, key.expiresAtMs);
    expect(await issueApiKey(world.store, act, successor)).toEqual({ outcome: 'issued' });
    const slots = await readTakenSlots(world.store, companyId, key.expiresAtMs);
    expect(slots.map(({ keyId }) => keyId)).toEqual([successor.keyId]);
  });
});

test('the last act upon a key is read strongly consistent: a key that was just deleted is not issued again', async () => {
  const read = () => findLastActOnKey(world.store, 'acme', 'k1', startMs);
  expect(await consistencyOf(read)).toEqual([true]);
});

describe('gateway grants', () => {
  const rowsOf = async (companyId: string) =>
    (await readAudit(world.store, companyId)).filter(({ gatewayId }) => gatewayId);

  test.each([
    ['granting', true],
    ['revoking', false],
  ])(
    '%s a gateway when somebody else does the same at the same moment: it is done, and a grant is on record once',
    async (_, isGranted) => {
      const { companyId } = await onboard(world.store);
      if (!isGranted)
        await setGrants(
          world.store,
          operatorActOn(companyId, startMs - 1),
          partiesOf(companyId).userId,
          ['gw-1'],
          true,
        );
      const act = operatorActOn(companyId);
      const before = (await rowsOf(companyId)).length;
      const overtaken = overtakenBy(world.store, () =>
        setGrants(world.store, act, partiesOf(companyId).userId, ['gw-1'], isGranted),
      );
      // A revocation is made whatever is there, so that no grant from before it can come later.
      const changedGatewayIds = isGranted ? [] : ['gw-1'];
      expect(await setGrants(overtaken, act, partiesOf(companyId).userId, ['gw-1'], isGranted)).toEqual({
        outcome: 'done',
        changedGatewayIds,
      });
      expect(await gatewaysOf(world.store, companyId)).toEqual(isGranted ? ['gw-1'] : []);
      expect((await rowsOf(companyId)).length).toBe(before + 1 + changedGatewayIds.length);
    },
  );

  test('a company without a contract is granted nothing, and nothing is on record', async () => {
    const companyId = `nobody${randomUUID().slice(0, 8)}`;
    expect(await setGrants(world.store, operatorActOn(companyId), partiesOf(companyId).userId, ['gw-1'], true)).toEqual(
      {
        outcome: 'contract-not-found',
      },
    );
    expect(await gatewaysOf(world.store, companyId)).toEqual([]);
    expect(await readAudit(world.store, companyId)).toEqual([]);
  });

  test('what is granted is read strongly consistent: a change just made is seen', async () => {
    const reads = await consistencyOf(() => readGrants(world.store, partiesOf('acme'), ['gw-1', 'gw-2']));
    expect(reads).toEqual([true, true]);
  });

  describe('an operator acts upon what stands, whatever a clock ahead has told', () => {
    test('revokes, and neither a repeat nor another grant from before that comes late brings it back', async () => {
      const { companyId, contract } = await onboard(world.store);
      const grant = (claimedAheadMs: number) =>
        applyGrant(
          world.store,
          { ...operatorActOn(companyId, startMs + claimedAheadMs), recordedAtMs: startMs },
          { gatewayId: 'gw-1', isGranted: true, userId: contract.userId, arrivedAtMs: startMs },
        );
      expect(await grant(50_000)).toEqual({ outcome: 'applied' });
      const revocation = await setGrants(
        world.store,
        operatorActOn(companyId),
        partiesOf(companyId).userId,
        ['gw-1'],
        false,
      );
      expect(revocation).toEqual({ outcome: 'done', changedGatewayIds: ['gw-1'] });
      expect([await grant(50_000), await grant(60_000)]).toEqual([{ outcome: 'stale' }, { outcome: 'noted' }]);
      expect(await gatewaysOf(world.store, companyId)).toEqual([]);
    });

    test('grants, and a revocation from after it by a clock that is a minute behind ends it, though it was stamped with whole seconds', async () => {
      const { companyId, contract } = await onboard(world.store);
      const revoke = (atMs: number) => {
        const event = { gatewayId: 'gw-1', isGranted: false, userId: contract.userId };
        return applyGrant(world.store, operatorActOn(companyId, atMs), event);
      };
      await revoke(startMs + 50_000);
      await setGrants(world.store, operatorActOn(companyId), partiesOf(companyId).userId, ['gw-1'], true);
      expect(await gatewaysOf(world.store, companyId)).toEqual(['gw-1']);
      expect(await revoke(startMs - 61_001)).toEqual({ outcome: 'stale' });
      expect(await revoke(startMs - 61_000)).toEqual({ outcome: 'applied' });
      expect(await gatewaysOf(world.store, companyId)).toEqual([]);
    });

    test('what others have made so meanwhile is left to them, and the rest is done', async () => {
      const { companyId, contract } = await onboard(world.store);
      const event = { gatewayId: 'gw-1', isGranted: true, userId: contract.userId };
      const overtaken = overtakenBy(world.store, () =>
        applyGrant(world.store, operatorActOn(companyId, startMs + 1), event),
      );
      expect(
        await setGrants(overtaken, operatorActOn(companyId), partiesOf(companyId).userId, ['gw-1', 'gw-2'], true),
      ).toEqual({
        outcome: 'done',
        changedGatewayIds: ['gw-2'],
      });
      expect((await rowsOf(companyId)).length).toBe(2);
    });

    test('a revocation of what is not granted leaves its time behind: an older grant that comes late gives nothing', async () => {
      const { companyId, contract } = await onboard(world.store);
      await setGrants(world.store, operatorActOn(companyId), partiesOf(companyId).userId, ['gw-1'], false);
      const event = { gatewayId: 'gw-1', isGranted: true, userId: contract.userId };
      const late = operatorActOn(companyId, startMs - 1);
      expect(await applyGrant(world.store, late, event)).toEqual({ outcome: 'noted' });
      expect(await gatewaysOf(world.store, companyId)).toEqual([]);
    });
  });
});
