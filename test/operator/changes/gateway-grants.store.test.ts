import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { applyGrant } from '../../../lambdas/data/contracts/grants.ts';
import { readAllGrants, readGrants, setGrants } from '../../../operator/companies/grants.ts';
import { consistencyOf, operatorActOn, overtakenBy, readAudit } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const rowsOf = async (companyId: string) =>
  (await readAudit(world.store, companyId)).filter(({ gatewayId }) => gatewayId);

describe.each([
  ['granting', true],
  ['revoking', false],
])('%s a gateway', (_, isGranted) => {
  test('when somebody else does the same at the same moment: it is done, and a grant is on record once', async () => {
    const { companyId } = await onboard(world.store);
    if (!isGranted) await setGrants(world.store, operatorActOn(companyId, startMs - 1), ['gw-1'], true);
    const act = operatorActOn(companyId);
    const before = (await rowsOf(companyId)).length;
    const overtaken = overtakenBy(world.store, () => setGrants(world.store, act, ['gw-1'], isGranted));
    // A revocation is made whatever is there, so that no grant from before it can come later.
    const changedGatewayIds = isGranted ? [] : ['gw-1'];
    expect(await setGrants(overtaken, act, ['gw-1'], isGranted)).toEqual({ outcome: 'done', changedGatewayIds });
    expect(await readAllGrants(world.store, companyId)).toEqual(isGranted ? ['gw-1'] : []);
    expect((await rowsOf(companyId)).length).toBe(before + 1 + changedGatewayIds.length);
  });
});

test('a company without a contract is granted nothing, and nothing is on record', async () => {
  const companyId = `nobody${randomUUID().slice(0, 8)}`;
  expect(await setGrants(world.store, operatorActOn(companyId), ['gw-1'], true)).toEqual({
    outcome: 'contract-not-found',
  });
  expect(await readAllGrants(world.store, companyId)).toEqual([]);
  expect(await readAudit(world.store, companyId)).toEqual([]);
});

test('what is granted is read strongly consistent: a change just made is seen', async () => {
  expect(await consistencyOf(() => readGrants(world.store, 'acme', ['gw-1', 'gw-2']))).toEqual([true]);
  expect(await consistencyOf(() => readAllGrants(world.store, 'acme'))).toEqual([true]);
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
    const revocation = await setGrants(world.store, operatorActOn(companyId), ['gw-1'], false);
    expect(revocation).toEqual({ outcome: 'done', changedGatewayIds: ['gw-1'] });
    expect([await grant(50_000), await grant(60_000)]).toEqual([{ outcome: 'stale' }, { outcome: 'stale' }]);
    expect(await readAllGrants(world.store, companyId)).toEqual([]);
  });

  test('grants, and a revocation from after it by a clock that is a minute behind ends it, though it was stamped with whole seconds', async () => {
    const { companyId, contract } = await onboard(world.store);
    const revoke = (atMs: number) => {
      const event = { gatewayId: 'gw-1', isGranted: false, userId: contract.userId };
      return applyGrant(world.store, operatorActOn(companyId, atMs), event);
    };
    await revoke(startMs + 50_000);
    await setGrants(world.store, operatorActOn(companyId), ['gw-1'], true);
    expect(await readAllGrants(world.store, companyId)).toEqual(['gw-1']);
    expect(await revoke(startMs - 61_001)).toEqual({ outcome: 'stale' });
    expect(await revoke(startMs - 61_000)).toEqual({ outcome: 'applied' });
    expect(await readAllGrants(world.store, companyId)).toEqual([]);
  });

  test('what others have made so meanwhile is left to them, and the rest is done', async () => {
    const { companyId, contract } = await onboard(world.store);
    const event = { gatewayId: 'gw-1', isGranted: true, userId: contract.userId };
    const overtaken = overtakenBy(world.store, () =>
      applyGrant(world.store, operatorActOn(companyId, startMs + 1), event),
    );
    expect(await setGrants(overtaken, operatorActOn(companyId), ['gw-1', 'gw-2'], true)).toEqual({
      ...{ outcome: 'done', changedGatewayIds: ['gw-2'] },
    });
    expect((await rowsOf(companyId)).length).toBe(2);
  });

  test('a revocation of what is not granted leaves its time behind: an older grant that comes late is stale', async () => {
    const { companyId, contract } = await onboard(world.store);
    await setGrants(world.store, operatorActOn(companyId), ['gw-1'], false);
    const event = { gatewayId: 'gw-1', isGranted: true, userId: contract.userId };
    const late = operatorActOn(companyId, startMs - 1);
    expect(await applyGrant(world.store, late, event)).toEqual({ outcome: 'stale' });
    expect(await readAllGrants(world.store, companyId)).toEqual([]);
  });
});
