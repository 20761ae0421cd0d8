import { beforeAll, expect, test } from 'vitest';
import { findContract, listContracts, readContracts } from '../../../../lambdas/data/contracts/contracts.ts';
import { consistencyOf } from '../../../support/store.ts';
import { openWorld } from '../../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

test.each([
  ['one', () => findContract(world.store, 'acme')],
  ['several', () => readContracts(world.store, ['acme', 'globex'])],
  ['all', () => listContracts(world.store)],
])('contracts, %s, are read strongly consistent: a change just made is seen', async (_, read) => {
  expect(await consistencyOf(read)).toEqual([true]);
});
