import { beforeAll, expect, inject, test } from 'vitest';
import { createProcessMemory } from '../../lambdas/data/process-memory.ts';
import { createStore, createStoreClient, type Store } from '../../lambdas/data/store/store.ts';
import { clientConfigOf } from '../../local/aws/dynamodb/dynamodb-local.ts';
import { campaign, size } from '../support/campaign.ts';
import type { Fault, FaultPlan } from '../support/fault-proxy.ts';
import { inFlight } from '../support/in-flight.ts';
import { patience } from '../support/patience.ts';
import { below, randomNumbers, seed } from '../support/seed.ts';
import { injectFault, openWorld, type World } from '../support/world.ts';
import { play } from './faults/play.ts';

const seeds = size({ test: 1, prove: 20, full: 100 });
const callsPerSeed = size({ test: 10, prove: 120 });
/** Seeds, whose companies have nothing to do with each other, wait for the store at the same time. */
const seedsAtOnce = 8;
const spoiltShare = 0.3;

let world: World;
beforeAll(async () => {
  world = await openWorld();
});

test(
  `${seeds} × ${callsPerSeed} calls while 30 % of the store’s answers are spoilt: no wrong answer, nothing half done, nothing off the record`,
  campaign,
  async ({ annotate }) => {
    const faults = spoil(randomNumbers());
    injectFault(world, faults.plan);
    const outcomes: Record<string, number> = {};
    const calm = storeAt(inject('dynamoDbEndpoint'));
    await inFlight(seedsAtOnce, seeds, async (index) => {
      const exchanges = await play({ spoilt: newProcess(), calm }, seed + index, callsPerSeed);
      for (const { answer } of exchanges) {
        const outcome = answer.body?.code ?? String(answer.status);
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
      // Nobody looks at what passed, and the whole campaign would fill the memory with it.
      world.proxy.begin(faults.plan);
    });
    await annotate(`${faults.asked()} answers of the store, spoilt: ${JSON.stringify(faults.injected)}`);
    await annotate(JSON.stringify(outcomes));
    expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(expectedOutcomes));
  },
);

/** What has to occur, lest the calls be all alike; a sample may miss all but the first. */
const expectedOutcomes = size({
  test: ['200'],
  prove: [
    ...['200', '201', '202', '204', 'service-unavailable', 'rate-limit-exceeded', 'precondition-failed'],
    ...['api-key-invalid', 'api-key-in-use', 'api-key-not-found', 'api-key-limit-reached', 'idempotency-key-spent'],
  ],
});

/** A passing fault for three of ten requests to the store, of a kind that their action can meet. */
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
  createStore(createStoreClient(patience.requestTimeouts, clientConfigOf(endpoint)), world.store.tableName);

/** What a process of its own is given: its client, which bounds its own retries, and its own memory. */
const newProcess = () => ({
  ...world.environment,
  store: storeAt(world.proxy.endpoint),
  memory: createProcessMemory(),
});
