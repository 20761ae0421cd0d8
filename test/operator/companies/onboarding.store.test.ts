import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { maxValidKeysPerCompany } from '../../../lambdas/api/limits.ts';
import { keyItemKey, listApiKeys, readTakenSlots } from '../../../lambdas/data/api-keys/api-keys.ts';
import { findContract } from '../../../lambdas/data/contracts/contracts.ts';
import { grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { generateKey, type NewKey } from '../../../lambdas/domain/api-key.ts';
import { noConsent } from '../../../lambdas/domain/consent.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';
import { readAllGrants } from '../../../operator/companies/grants.ts';
import { onboardCompany, readOnboardingStep } from '../../../operator/companies/onboarding.ts';
import { campaign, playRounds } from '../../support/campaign.ts';
import { below, randomNumbers } from '../../support/random.ts';
import { consistencyOf, operatorActOn, overtakenBy, readAudit } from '../../support/store.ts';
import { issueKey, openWorld, startMs } from '../../support/world.ts';

describe('onboarding', () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  beforeAll(async () => {
    world = await openWorld();
  });

  let companies = 0;
  const newcomer = (): Contract => ({
    companyId: `newcomer${process.pid}x${companies++}`,
    name: 'A new company',
    state: 'active',
    sinceMs: startMs,
    userId: 'owner',
    allowedCidrs: ['127.0.0.1/32'],
    webhookHosts: [],
    ...noConsent,
  });

  const onboardIt = (
    contract: Contract,
    gatewayIds: readonly string[],
    store: Store = world.store,
    nowMs = startMs,
  ) => {
    const key = generateKey(contract.companyId, nowMs);
    return onboardCompany(store, operatorActOn(contract.companyId, nowMs), { contract, gatewayIds, key });
  };

  const gatewayRows = async (companyId: string) =>
    (await readAudit(world.store, companyId)).filter(({ gatewayId }) => gatewayId);

  test('a company that another onboards at the same moment stays as the other made it', async () => {
    const contract = newcomer();
    const overtaken = overtakenBy(world.store, () => onboardIt(contract, []));
    const outcome = await onboardIt({ ...contract, name: 'Another name' }, [], overtaken);
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
      const onboarding = onboardCompany(world.store, operatorActOn(companyId), { contract, gatewayIds: [], key });
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
});

describe('onboarding at once', () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  beforeAll(async () => {
    world = await openWorld();
  });

  /** One operator's onboarding: what a configuration names, and the key of its file. */
  type Plan = { readonly companyId: string; readonly gatewayIds: readonly string[]; readonly key: NewKey };

  const onboardAs = (store: Store, { companyId, gatewayIds, key }: Plan) => {
    const contract = {
      companyId,
      name: 'A company',
      state: 'active' as const,
      sinceMs: startMs,
      userId: 'owner',
      allowedCidrs: ['127.0.0.1/32'],
      webhookHosts: [],
      ...noConsent,
    };
    const auditContext = { companyId, nowMs: startMs, requestId: randomUUID(), operation: 'onboard', actorKey: null };
    return onboardCompany(store, auditContext, { contract, gatewayIds, key });
  };

  class Killed extends Error {}

  type Call = { readonly send: () => Promise<unknown>; readonly answer: PromiseWithResolvers<unknown> };

  /** Lets the store calls of several runs through one at a time, in an order of its own, and kills runs between them. */
  const scheduler = (random: () => number) => {
    const waiting = new Map<number, Call>();
    const late: Call['send'][] = [];
    let running = 0;

    const storeOf = (run: number): Store => {
      const send = (command: Parameters<Store['send']>[0]) => {
        const answer = Promise.withResolvers<unknown>();
        waiting.set(run, { send: () => world.store.send(command), answer });
        return answer.promise;
      };
      return { ...world.store, send: send as Store['send'] };
    };

    /** Starts a run. Its process may be killed, and its last request come late. */
    const start = (run: number, work: (store: Store) => Promise<void>) => {
      running++;
      void work(storeOf(run)).finally(() => running--);
    };

    const isQuiet = () => waiting.size === running;

    /** One call goes out, and is answered or not; or a late one of a run that is dead by now arrives. */
    const step = async (): Promise<boolean> => {
      while (!isQuiet()) await new Promise(setImmediate);
      const choices = waiting.size + late.length;
      if (choices === 0) return false;
      const choice = below(random, choices);
      const entry = [...waiting][choice];
      if (!entry) {
        const [send] = late.splice(choice - waiting.size, 1);
        await send?.().catch(() => undefined);
        return true;
      }
      const [run, { send, answer }] = entry;
      const fate = random();
      if (fate < 0.06) late.push(send);
      const outcome = fate < 0.06 ? Promise.reject(new Killed()) : send();
      waiting.delete(run);
      await outcome.then(fate < 0.12 ? () => answer.reject(new Killed()) : answer.resolve, answer.reject);
      return true;
    };
    return { start, step };
  };

  const gatewaysOf = (companyId: string, random: () => number, from: number) =>
    Array.from({ length: 30 + below(random, 90) }, (_, index) => `gw-${companyId}-${1000 + from + index}`);

  let companies = 0;

  /** Three operators with different configurations, each of whom runs again after a crash, and the whole of what is left. */
  const onboardAtOnce = async (random: () => number) => {
    const companyId = `atonce${process.pid}x${companies++}`;
    const plans = [0, 40, 80].map((from) => ({
      companyId,
      gatewayIds: gatewaysOf(companyId, random, from),
      key: generateKey(companyId, startMs),
    }));
    const { start, step } = scheduler(random);
    const outcomes: string[] = [];
    for (const [run, plan] of plans.entries())
      start(run, async (store) => {
        for (let isKilled = true; isKilled; )
          isKilled = await onboardAs(store, plan).then(
            ({ outcome }) => {
              outcomes.push(outcome);
              return false;
            },
            (error) => {
              if (error instanceof Killed) return true;
              throw error;
            },
          );
      });
    while (await step());
    return { companyId, plans, outcomes };
  };

  test(
    'three operators onboard one company, with crashes and late requests: it has the gateways of the one whose key it has',
    campaign,
    (context) =>
      playRounds(context, { test: 2, seconds: 8, full: 40 }, async (seed) => {
        const { companyId, plans, outcomes } = await onboardAtOnce(randomNumbers(seed));
        // All may have stopped for another one, or for their own late requests; then one of them runs again.
        if (!(await findContract(world.store, companyId))) {
          expect(outcomes).toEqual(['overtaken', 'overtaken', 'overtaken']);
          await onboardAs(world.store, plans[0] as Plan);
        }
        const { keys } = await listApiKeys(world.store, companyId, 10);
        const owner = plans.find(({ key }) => key.keyId === keys[0]?.keyId);
        expect(keys.length).toBe(1);
        expect(await readAllGrants(world.store, companyId)).toEqual(owner?.gatewayIds);
        expect(outcomes.filter((outcome) => outcome === 'onboarded').length).toBeLessThanOrEqual(1);
      }),
  );
});
