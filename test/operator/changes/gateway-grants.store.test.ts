import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { applyGrant } from '../../../lambdas/data/contracts/grants.ts';
import { readAllGrants, readGrants, setGrants } from '../../../operator/changes/gateway-grants.ts';
import { readAudit } from '../../support/audit.ts';
import { consistencyOf } from '../../support/consistent-reads.ts';
import { operatorActOn } from '../../support/operator-act.ts';
import { overtakenBy } from '../../support/overtaken.ts';
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
  test('when somebody else does the same at the same moment: it is done, and on record once', async () => {
    const { companyId } = await onboard(world.store);
    if (!isGranted) await setGrants(world.store, operatorActOn(companyId, startMs - 1), ['gw-1'], true);
    const act = operatorActOn(companyId);
    const before = (await rowsOf(companyId)).length;
    const overtaken = overtakenBy(world.store, () => setGrants(world.store, act, ['gw-1'], isGranted));
    expect(await setGrants(overtaken, act, ['gw-1'], isGranted)).toEqual({ outcome: 'done', changedGatewayIds: [] });
    expect(await readAllGrants(world.store, companyId)).toEqual(isGranted ? ['gw-1'] : []);
    expect((await rowsOf(companyId)).length).toBe(before + 1);
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

describe('of operators and the portal, the last by time stands', () => {
  test.each([
    ['grant', true],
    ['revocation', false],
  ])(
    'a %s that is older than the opposite is refused, with its time, and the others of its transaction too',
    async (_, isGranted) => {
      const { companyId, contract } = await onboard(world.store);
      const later = startMs + 1000;
      const event = { gatewayId: 'gw-1', isGranted: !isGranted, userId: contract.userId };
      if (!isGranted) await setGrants(world.store, operatorActOn(companyId, startMs - 1), ['gw-2'], true);
      await applyGrant(world.store, operatorActOn(companyId, later), event);
      const records = (await rowsOf(companyId)).length;
      const granted = await readAllGrants(world.store, companyId);
      expect(await setGrants(world.store, operatorActOn(companyId), ['gw-1', 'gw-2'], isGranted)).toEqual({
        ...{ outcome: 'stale', gatewayId: 'gw-1', changedAtMs: later },
      });
      expect([await readAllGrants(world.store, companyId), (await rowsOf(companyId)).length]).toEqual([
        granted,
        records,
      ]);
    },
  );

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
