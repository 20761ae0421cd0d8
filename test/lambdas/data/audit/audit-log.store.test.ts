import { beforeAll, expect, test } from 'vitest';
import { auditPut } from '../../../../lambdas/data/audit.ts';
import { transact } from '../../../../lambdas/data/store/writes.ts';
import { readAudit } from '../../../support/store.ts';
import { openWorld, startMs } from '../../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

test('a row takes the place of no other, and what belongs to it is not done', async () => {
  const auditContext = { companyId: 'c', nowMs: startMs, requestId: 'r', operation: 'o', actorKey: null };
  const first = auditPut(world.store, auditContext, { keyId: 'first' });
  const second = auditPut(world.store, auditContext, { keyId: 'second' });
  expect(await transact(world.store, { first })).toBeUndefined();
  const inItsPlace = { Put: { ...second.Put, Item: { ...second.Put?.Item, sk: first.Put?.Item?.sk } } };
  const other = auditPut(world.store, auditContext, { keyId: 'other' });
  expect(await transact(world.store, { inItsPlace: inItsPlace as typeof second, other })).toMatchObject({
    name: 'inItsPlace',
  });
  expect(await readAudit(world.store, 'c')).toMatchObject([{ keyId: 'first' }]);
});
