import { beforeAll, expect, test } from 'vitest';
import { grantGateway } from '../../../../lambdas/data/contracts/grants.ts';
import { readGrantTimes, readGrantTimesOf } from '../../../../lambdas/data/feed/viewers.ts';
import { consistencyOf } from '../../../support/store.ts';
import { onboard, openWorld, startMs } from '../../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

test('grants tell since when, by company and by gateway, and are read as of now: one that was revoked counts no longer', async () => {
  const { companyId } = await onboard(world.store);
  const gatewayId = `gw-of-${companyId}`;
  await grantGateway(world.store, companyId, gatewayId, startMs);
  expect(await readGrantTimes(world.store, companyId, [gatewayId, 'another'])).toEqual(new Map([[gatewayId, startMs]]));
  expect(await readGrantTimesOf(world.store, gatewayId)).toEqual(new Map([[companyId, startMs]]));
  const reads = async () => {
    await readGrantTimes(world.store, companyId, [gatewayId]);
    await readGrantTimesOf(world.store, gatewayId);
  };
  expect(await consistencyOf(reads)).toEqual([true, true]);
});
