import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { maxValidKeysPerCompany } from '../../../lambdas/api/limits.ts';
import { keyItemKey, listApiKeys, readTakenSlots } from '../../../lambdas/data/api-keys/api-keys.ts';
import { findContract } from '../../../lambdas/data/contracts/contracts.ts';
import { grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { generateKey } from '../../../lambdas/domain/api-key.ts';
import type { Company } from '../../../lambdas/domain/company.ts';
import { noConsent } from '../../../lambdas/domain/consent.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';
import { readAllGrants } from '../../../operator/companies/grants.ts';
import { onboardCompany, readOnboardingStep } from '../../../operator/companies/onboarding.ts';
import { consistencyOf, operatorActOn, overtakenBy, readAudit } from '../../support/store.ts';
import { issueKey, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

let companies = 0;
const newcomer = (): Contract => ({
  companyId: `newcomer${process.pid}x${companies++}`,
  userId: 'owner',
  state: 'active',
  sinceMs: startMs,
  ...noConsent,
});

const companyOf = ({ companyId }: Contract): Company => ({
  companyId,
  name: 'A new company',
  state: 'active',
  allowedCidrs: ['127.0.0.1/32'],
  webhookHosts: [],
});

const onboardIt = (contract: Contract, gatewayIds: readonly string[], store: Store = world.store, nowMs = startMs) => {
  const key = generateKey(contract.companyId, nowMs);
  return onboardCompany(store, operatorActOn(contract.companyId, nowMs), {
    company: companyOf(contract),
    contract,
    gatewayIds,
    key,
  });
};

const gatewayRows = async (companyId: string) =>
  (await readAudit(world.store, companyId)).filter(({ gatewayId }) => gatewayId);

test('a company that another onboards at the same moment stays as the other made it', async () => {
  const contract = newcomer();
  const overtaken = overtakenBy(world.store, () => onboardIt(contract, []));
  const outcome = await onboardIt({ ...contract, userId: 'another-owner' }, [], overtaken);
  expect(outcome).toEqual({ outcome: 'company-exists' });
  expect(await findContract(world.store, contract.companyId)).toEqual(contract);
  expect((await listApiKeys(world.store, contract.companyId, 10)).keys.length).toBe(1);
});

test('a gateway that is left of an onboarding that was broken off is taken back by one whose clock is behind', async () => {
  const contract = newcomer();
  const { companyId } = contract;
  await grantGateway(world.store, companyId, 'gw-1', startMs + 60_000);
  expect(await onboardIt(contract, ['gw-2'])).toEqual({ outcome: 'onboarded' });
  expect(await readAllGrants(world.store, companyId)).toEqual(['gw-2']);
  expect((await gatewayRows(companyId)).map(({ gatewayId, after }) => [gatewayId, after])).toEqual(
    expect.arrayContaining([
      ['gw-1', { isGranted: false }],
      ['gw-2', { isGranted: true }],
    ]),
  );
});

describe('an onboarding that another one overtakes, which then breaks off', () => {
  const gateways = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${name}-${1000 + index}`);

  /** Lets the other one send a transaction ahead, and dies before its next. */
  const breakOff = async (contract: Contract) => {
    const dying = overtakenBy(world.store, () => Promise.reject(new Error('It has died.')), 2);
    await expect(onboardIt(contract, gateways('other', 60), dying)).rejects.toThrow('It has died.');
  };

  test.each([
    ['in its only transaction', 2, 1],
    ['in its first of two', 40, 1],
    ['in its last of two', 40, 2],
    ['between two that go ahead', 60, 2],
  ])('%s stops, and what it does when it is run again is whole', async (_, count, atTransaction) => {
    const contract = newcomer();
    const { companyId } = contract;
    const own = gateways('own', count);
    const overtaken = overtakenBy(world.store, () => breakOff(contract), atTransaction);
    expect(await onboardIt(contract, own, overtaken)).toEqual({ outcome: 'overtaken' });
    expect(await findContract(world.store, companyId)).toBeUndefined();
    expect(await onboardIt(contract, own)).toEqual({ outcome: 'onboarded' });
    expect(await readAllGrants(world.store, companyId)).toEqual(own);
    expect(await readOnboardingStep(world.store, companyId)).toBeUndefined();
  });

  test('ahead of its reads is seen, and what the other has granted is taken back', async () => {
    const contract = newcomer();
    const overtaken = overtakenBy(world.store, () => breakOff(contract), 1, GetCommand);
    expect(await onboardIt(contract, ['own'], overtaken)).toEqual({ outcome: 'onboarded' });
    expect(await readAllGrants(world.store, contract.companyId)).toEqual(['own']);
  });

  test('knows of it by strongly consistent reads', async () => {
    expect(await consistencyOf(() => readOnboardingStep(world.store, 'nobody'))).toEqual([true]);
  });
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
      gatewayIds: [],
      key,
    });
    await expect(onboarding).rejects.toThrow('All of 5 attempts to onboard');
    expect(await findContract(world.store, companyId)).toBeUndefined();
    const { keys } = await listApiKeys(world.store, companyId, 10);
    expect(keys).toEqual([expect.objectContaining({ createdByKeyId: 'another' })]);
  });

  test('keep their slots: when the last is taken at the same moment, no company is made', async () => {
    const contract = newcomer();
    const { companyId } = contract;
    for (let made = 1; made < maxValidKeysPerCompany; made++) await issueKey(world.store, companyId);
    const before = await readTakenSlots(world.store, companyId, startMs);
    const overtaken = overtakenBy(world.store, () => issueKey(world.store, companyId));
    expect(await onboardIt(contract, [], overtaken)).toEqual({ outcome: 'company-exists' });
    const after = await readTakenSlots(world.store, companyId, startMs);
    expect(after.length).toBe(maxValidKeysPerCompany);
    expect(after).toEqual(expect.arrayContaining(before));
  });

  test('give up the slots in which they run out at that very moment', async () => {
    const contract = newcomer();
    const { companyId } = contract;
    for (let made = 0; made < maxValidKeysPerCompany; made++) await issueKey(world.store, companyId);
    const [slot] = await readTakenSlots(world.store, companyId, startMs);
    expect(await onboardIt(contract, [], world.store, slot?.expiresAtMs)).toEqual({ outcome: 'onboarded' });
  });
});
