import { clientConfigOf } from 'serve-stack/dynamodb';
import { beforeAll, expect, inject, test } from 'vitest';
import { connectStore, type Store } from '../../../lambdas/data/store/store.ts';
import { createProcessMemory } from '../../../lambdas/runtime/process-memory.ts';
import { campaign, playRounds, size } from '../../../test/support/campaign.ts';
import type { Fault, FaultPlan } from '../../../test/support/fault-proxy.ts';
import { below, randomNumbers } from '../../../test/support/random.ts';
import { patience } from '../../../test/support/time.ts';
import { injectFault, openWorld, type World } from '../../../test/support/world.ts';
import { play } from './play.ts';

const calls = size({ test: 10, prove: 40, full: 120 });
/** The rounds run concurrently on one store; their companies are independent. */
const roundsAtOnce = 4;
const spoiltShare = 0.3;

let world: World;
beforeAll(async () => {
  world = await openWorld();
});

test(
  `${calls} calls, 30 % faulty store answers: each answer is right, each change whole and audited`,
  campaign,
  async (context) => {
    const faults = spoil(randomNumbers());
    injectFault(world, faults.plan);
    const outcomes: Record<string, number> = {};
    const calm = storeAt(inject('dynamoDbEndpoint'));
    const playOne = async (seed: number) => {
      const exchanges = await play({ spoilt: newProcess(), calm }, seed, calls);
      for (const { answer } of exchanges) {
        const outcome = answer.body?.code ?? String(answer.status);
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
      // Empties the proxy's log, which would otherwise fill the memory during the campaign.
      world.proxy.begin(faults.plan);
    };
    const rounds = await playRounds(context, { test: 1, seconds: 40, full: 100 }, playOne, roundsAtOnce);
    await context.annotate(`${faults.asked()} answers of the store, spoilt: ${JSON.stringify(faults.injected)}`);
    await context.annotate(JSON.stringify(outcomes));
    // A few calls need not produce every outcome.
    if (rounds >= enoughRounds) expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(allOutcomes));
  },
);

/** The rarest outcome occurs in a third of the rounds, so this number of rounds produces all. */
const enoughRounds = 30;

/** The outcomes that have to occur, so that the calls are known to differ. */
const allOutcomes = [
  ...['200', '201', '202', '204', 'service-unavailable', 'rate-limit-exceeded', 'precondition-failed'],
  ...['api-key-invalid', 'api-key-in-use', 'api-key-not-found', 'api-key-limit-reached', 'idempotency-key-spent'],
];

/** A transient fault for three of ten requests to the store, of a kind that their action can return. */
const spoil = (random: () => number) => {
  const injected: Partial<Record<Fault, number>> = {};
  let asked = 0;
  const plan: FaultPlan = ({ action }) => {
    asked++;
    if (random() >= spoiltShare) return undefined;
    const kinds: Fault[] = ['throttle', 'lose-answer'];
    if (action === 'TransactWriteItems') kinds.push('conflict');
    if (action === 'BatchGetItem') kinds.push('unprocessed');
    const fault = kinds[below(random, kinds.length)] as Fault;
    injected[fault] = (injected[fault] ?? 0) + 1;
    return fault;
  };
  return { plan, injected, asked: () => asked };
};

const storeAt = (endpoint: string): Store =>
  connectStore(world.store.tableName, patience.requestTimeouts, clientConfigOf(endpoint)).store;

/** The environment of a separate process: its own client with limited retries, and its own memory. */
const newProcess = () => ({
  ...world.environment,
  store: storeAt(world.proxy.endpoint),
  memory: createProcessMemory(),
});
