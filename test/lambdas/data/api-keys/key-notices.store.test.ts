import { beforeAll, expect, test } from 'vitest';
import { readTakenSlots } from '../../../../lambdas/data/api-keys/api-keys.ts';
import { type CompanySlot, putNotice } from '../../../../lambdas/data/api-keys/key-notices.ts';
import { onboard, openWorld, startMs } from '../../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

test('a notice that is on record already is not put again', async () => {
  const { companyId } = await onboard(world.store);
  const [slot] = await readTakenSlots(world.store, companyId, startMs);
  const notice = { slot: { ...slot, companyId } as CompanySlot, days: 30, isLastKey: true } as const;
  expect(await putNotice(world.store, notice, startMs)).toBe(true);
  expect(await putNotice(world.store, notice, startMs + 1)).toBe(false);
});
