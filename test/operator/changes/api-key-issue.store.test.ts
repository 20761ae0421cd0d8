import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test, vi } from 'vitest';
import { maxValidKeysPerCompany } from '../../../lambdas/api/limits.ts';
import { findApiKey, listApiKeys, readTakenSlots } from '../../../lambdas/data/api-keys/api-keys.ts';
import { generateKey } from '../../../lambdas/domain/api-key.ts';
import { issueApiKey } from '../../../operator/companies/key-issue.ts';
import { operatorActOn, overtakenBy, readAudit } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

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

test('a company that has no contract gets no key', async () => {
  const companyId = nobody();
  const key = generateKey(companyId, startMs);
  expect(await issueApiKey(world.store, operatorActOn(companyId), key)).toEqual({ outcome: 'contract-not-found' });
  expect(await findApiKey(world.store, companyId, key.keyId)).toBeUndefined();
  expect(await keysOf(companyId)).toMatchObject({ keys: [], slots: [], rows: [] });
});

test('of two operators who issue a key for the last slot at once, the second is told of the limit', async () => {
  const { companyId } = await onboard(world.store, { keys: maxValidKeysPerCompany - 1 });
  const issue = (store = world.store) => issueApiKey(store, operatorActOn(companyId), generateKey(companyId, startMs));
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
