import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { listApiKeys } from '../../../lambdas/data/api-keys/api-keys.ts';
import { findContract } from '../../../lambdas/data/contracts/contracts.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { generateKey, type NewKey } from '../../../lambdas/domain/api-key.ts';
import { noConsent } from '../../../lambdas/domain/consent.ts';
import { readAllGrants } from '../../../operator/companies/grants.ts';
import { onboardCompany } from '../../../operator/companies/onboarding.ts';
import { campaign, playRounds } from '../../support/campaign.ts';
import { below, randomNumbers } from '../../support/random.ts';
import { openWorld, startMs } from '../../support/world.ts';

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
