import { beforeAll, expect, test } from 'vitest';
import { listCircuits, listTimePrograms } from '../../../../lambdas/data/appliances/appliances.ts';
import { consistencyOf } from '../../../support/store.ts';
import { openWorld } from '../../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const family = 'heating';

test.each([
  ['circuits', () => listCircuits(world.store, { gatewayId: 'gw-1', family }, 10)],
  ['time programs', () => listTimePrograms(world.store, { gatewayId: 'gw-1', family, circuitId: 'c1' }, 10)],
])('%s are listed strongly consistent: a change just requested is seen', async (_, list) => {
  expect(await consistencyOf(list)).toEqual([true]);
});
