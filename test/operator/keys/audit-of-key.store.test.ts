import { beforeAll, expect, test } from 'vitest';
import { findLastActOnKey } from '../../../operator/companies/key-issue.ts';
import { consistencyOf } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

test('the last act upon a key is read strongly consistent: a key that was just deleted is not issued again', async () => {
  const read = () => findLastActOnKey(world.store, 'acme', 'k1', startMs);
  expect(await consistencyOf(read)).toEqual([true]);
});
