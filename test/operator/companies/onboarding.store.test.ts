import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { maxValidKeysPerCompany } from '../../../lambdas/api/limits.ts';
import { keyItemKey, listApiKeys, readTakenSlots } from '../../../lambdas/data/api-keys/api-keys.ts';
import { findContract } from '../../../lambdas/data/contracts/contracts.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { generateKey } from '../../../lambdas/domain/api-key.ts';
import type { Company } from '../../../lambdas/domain/company.ts';
import { noConsent } from '../../../lambdas/domain/consent.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';
import { onboardCompany } from '../../../operator/companies/onboarding.ts';
import { operatorActOn, overtakenBy } from '../../support/store.ts';
import { issueKey, openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

let companies = 0;
const newcomer = (): Contract => ({
  ...partiesOf(`newcomer${process.pid}x${companies++}`),
  state: 'active',
  sinceMs: startMs,
  gateways: {},
  stateChangedAtMs: null,
  stateClaimedAtMs: null,
  ...noConsent,
});

const companyOf = ({ companyId }: Contract): Company => ({
  companyId,
  name: 'A new company',
  state: 'active',
  allowedCidrs: ['127.0.0.1/32'],
  webhookHosts: [],
});

const onboardIt = (contract: Contract, store: Store = world.store, nowMs = startMs) => {
  const key = generateKey(contract.companyId, nowMs);
  const act = operatorActOn(contract.companyId, nowMs);
  return onboardCompany(store, act, { company: companyOf(contract), contract, key });
};

test('a company that another onboards at the same moment stays as the other made it', async () => {
  const contract = newcomer();
  const overtaken = overtakenBy(world.store, () => onboardIt(contract));
  const outcome = await onboardIt({ ...contract, userId: 'another-owner' }, overtaken);
  expect(outcome).toEqual({ outcome: 'company-exists' });
  expect(await findContract(world.store, partiesOf(contract.companyId))).toEqual(contract);
  expect((await listApiKeys(world.store, contract.companyId, 10)).keys.length).toBe(1);
});

describe('keys that are there before the contract', () => {
  test('are not written over', async () => {
    const contract = newcomer();
    const { companyId } = contract;
    const key = generateKey(companyId, startMs);
    const there = { ...keyItemKey(key), keyId: key.keyId, createdByKeyId: 'another' };
    await world.store.send(new PutCommand({ TableName: world.store.tableName('ApiKeys'), Item: there }));
    const onboarding = onboardCompany(world.store, operatorActOn(companyId), {
      company: companyOf(contract),
      contract,
      key,
    });
    await expect(onboarding).rejects.toThrow('All of 5 attempts to onboard');
    expect(await findContract(world.store, partiesOf(companyId))).toBeUndefined();
    const { keys } = await listApiKeys(world.store, companyId, 10);
    expect(keys).toEqual([expect.objectContaining({ createdByKeyId: 'another' })]);
  });

  test('keep their slots: when the last is taken at the same moment, no company is made', async () => {
    const contract = newcomer();
    const { companyId } = contract;
    for (let made = 1; made < maxValidKeysPerCompany; made++) await issueKey(world.store, companyId);
    const before = await readTakenSlots(world.store, companyId, startMs);
    const overtaken = overtakenBy(world.store, () => issueKey(world.store, companyId));
    expect(await onboardIt(contract, overtaken)).toEqual({ outcome: 'company-exists' });
    const after = await readTakenSlots(world.store, companyId, startMs);
    expect(after.length).toBe(maxValidKeysPerCompany);
    expect(after).toEqual(expect.arrayContaining(before));
  });

  test('give up the slots in which they run out at that very moment', async () => {
    const contract = newcomer();
    const { companyId } = contract;
    for (let made = 0; made < maxValidKeysPerCompany; made++) await issueKey(world.store, companyId);
    const [slot] = await readTakenSlots(world.store, companyId, startMs);
    expect(await onboardIt(contract, world.store, slot?.expiresAtMs)).toEqual({ outcome: 'onboarded' });
  });
});
