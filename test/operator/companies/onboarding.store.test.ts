import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { maxValidKeysPerCompany } from '../../../lambdas/api/limits.ts';
import { keyItemKey, listApiKeys, readTakenSlots } from '../../../lambdas/data/api-keys/api-keys.ts';
import { findCompany } from '../../../lambdas/data/contracts/companies.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { generateKey } from '../../../lambdas/domain/api-key.ts';
import type { Company } from '../../../lambdas/domain/company.ts';
import { onboardCompany } from '../../../operator/companies/onboarding.ts';
import { operatorActOn, overtakenBy } from '../../support/store.ts';
import { issueKey, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

let companies = 0;
const newcomer = (): Company => ({
  companyId: `newcomer${process.pid}x${companies++}`,
  name: 'A new company',
  state: 'active',
  allowedCidrs: ['127.0.0.1/32'],
  webhookHosts: [],
});

const onboardIt = (company: Company, store: Store = world.store, nowMs = startMs) => {
  const key = generateKey(company.companyId, nowMs);
  return onboardCompany(store, operatorActOn(company.companyId, nowMs), { company, key });
};

test('does not change a company that another operator onboards concurrently', async () => {
  const company = newcomer();
  const overtaken = overtakenBy(world.store, () => onboardIt(company));
  const outcome = await onboardIt({ ...company, name: 'Another name' }, overtaken);
  expect(outcome).toEqual({ outcome: 'company-exists' });
  expect(await findCompany(world.store, company.companyId)).toEqual(company);
  expect((await listApiKeys(world.store, company.companyId, 10)).keys.length).toBe(1);
});

describe('keys that exist before the company', () => {
  test('are not overwritten', async () => {
    const company = newcomer();
    const { companyId } = company;
    const key = generateKey(companyId, startMs);
    const there = { ...keyItemKey(key), keyId: key.keyId, createdByKeyId: 'another' };
    await world.store.send(new PutCommand({ TableName: world.store.tableName('ApiKeys'), Item: there }));
    const onboarding = onboardCompany(world.store, operatorActOn(companyId), { company, key });
    await expect(onboarding).rejects.toThrow('Gave up after 5 attempts to onboard');
    expect(await findCompany(world.store, companyId)).toBeUndefined();
    const { keys } = await listApiKeys(world.store, companyId, 10);
    expect(keys).toEqual([expect.objectContaining({ createdByKeyId: 'another' })]);
  });

  test('keep their slots: if the last one is taken concurrently, no company is created', async () => {
    const company = newcomer();
    const { companyId } = company;
    for (let made = 1; made < maxValidKeysPerCompany; made++) await issueKey(world.store, companyId);
    const before = await readTakenSlots(world.store, companyId, startMs);
    const overtaken = overtakenBy(world.store, () => issueKey(world.store, companyId));
    expect(await onboardIt(company, overtaken)).toEqual({ outcome: 'company-exists' });
    const after = await readTakenSlots(world.store, companyId, startMs);
    expect(after.length).toBe(maxValidKeysPerCompany);
    expect(after).toEqual(expect.arrayContaining(before));
  });

  test('release their slots if they expire at exactly this time', async () => {
    const company = newcomer();
    const { companyId } = company;
    for (let made = 0; made < maxValidKeysPerCompany; made++) await issueKey(world.store, companyId);
    const [slot] = await readTakenSlots(world.store, companyId, startMs);
    expect(await onboardIt(company, world.store, slot?.expiresAtMs)).toEqual({ outcome: 'onboarded' });
  });
});
