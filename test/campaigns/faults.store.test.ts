import assert from 'node:assert/strict';
import { beforeAll, expect, inject, test } from 'vitest';
import { createProcessMemory } from '../../lambdas/data/process-memory.ts';
import { createStore, createStoreClient, type Store } from '../../lambdas/data/store/store.ts';
import { clientConfigOf } from '../../local/aws/dynamodb/dynamodb-local.ts';
import { call } from '../support/call.ts';
import { campaign, size } from '../support/campaign.ts';
import type { Fault, FaultPlan } from '../support/fault-proxy.ts';
import { equipCompany } from '../support/good-call.ts';
import { inFlight } from '../support/in-flight.ts';
import { patience } from '../support/patience.ts';
import { below, randomNumbers, seed } from '../support/seed.ts';
import { injectFault, openWorld, startMs, type World } from '../support/world.ts';
import { answersAreJustified, bucketOf, tokensAreNotExceeded } from './faults/justified.ts';
import {
  answersAreOnRecord,
  changesAreOnRecord,
  keysAreThoseOnRecord,
  keysHold,
  repeatsShowOneKey,
} from './faults/on-record.ts';
import { drawCall, learn, type Partner, partnerOf } from './faults/partner.ts';
import { readArrivals, readStored } from './faults/stored.ts';

const seeds = size({ test: 1, prove: 20, full: 100 });
const callsPerSeed = size({ test: 40, prove: 120 });
/** Seeds, whose companies have nothing to do with each other, wait for the store at the same time. */
const seedsAtOnce = 8;
const companiesPerSeed = 2;
const callsAtOnce = 10;
const maxPauseMs = 3000;
const spoiltShare = 0.3;

let world: World;
/** The same tables, without faults. */
let calmStore: Store;
beforeAll(async () => {
  world = await openWorld();
  const client = createStoreClient(patience.requestTimeouts, clientConfigOf(inject('dynamoDbEndpoint')));
  calmStore = createStore(client, world.store.tableName);
});

test(
  `${seeds} × ${callsPerSeed} calls while 30 % of the store’s answers are spoilt: no wrong answer, nothing half done, nothing off the record`,
  campaign,
  async ({ annotate }) => {
    const faults = spoil(randomNumbers());
    injectFault(world, faults.plan);
    const outcomes: Record<string, number> = {};
    await inFlight(seedsAtOnce, seeds, async (index) => {
      for (const { exchanges } of await play(seed + index))
        for (const { answer } of exchanges) {
          const outcome = answer.body?.code ?? String(answer.status);
          outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        }
    });
    await annotate(`${faults.asked()} answers of the store, spoilt: ${JSON.stringify(faults.injected)}`);
    await annotate(JSON.stringify(outcomes));
    expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(expectedOutcomes));
  },
);

/** What has to occur, lest the calls be all alike; what is rare only in many calls. */
const expectedOutcomes = [
  ...['200', '201', '202', 'service-unavailable'],
  ...size({
    test: [],
    prove: [
      ...['204', 'api-key-invalid', 'api-key-in-use', 'api-key-not-found', 'api-key-limit-reached'],
      ...['idempotency-key-spent', 'precondition-failed', 'rate-limit-exceeded'],
    ],
  }),
];

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

/** Lets new companies call, several at the same time, and checks after each such time what then has to hold. */
const play = async (start: number): Promise<Partner[]> => {
  const random = randomNumbers(start);
  const environment = { ...world.environment, memory: createProcessMemory() };
  const companies = await inFlight(companiesPerSeed, companiesPerSeed, () => equipCompany(calmStore));
  const partners = companies.map((company) => partnerOf(company, environment));
  const before = new Map<Partner, Awaited<ReturnType<typeof readStored>>>();
  for (const partner of partners) before.set(partner, await readStored(calmStore, partner.company));
  let nowMs = startMs;
  try {
    for (let made = 0; made < callsPerSeed; made += callsAtOnce) {
      nowMs += below(random, maxPauseMs);
      const drawn = Array.from({ length: callsAtOnce }, (_, index) => {
        const partner = partners[index % partners.length] as Partner;
        return { partner, run: drawCall(partner, random, nowMs) };
      });
      const answered = await Promise.all(drawn.map(async ({ partner, run }) => ({ partner, exchange: await run() })));
      // Only what passed since then is kept, or the campaign's memory would hold all of it.
      world.proxy.exchanges.length = 0;
      for (const partner of partners) {
        const batch = answered.filter((each) => each.partner === partner).map(({ exchange }) => exchange);
        for (const exchange of batch) learn(partner, exchange);
        const tables = await readStored(calmStore, partner.company);
        const refused = batch.filter(({ answer }) => answer.status === 429);
        const arrivals = await readArrivals(calmStore, [...new Set(refused.map(bucketOf))]);
        const stored = { before: before.get(partner) ?? tables, tables, arrivals };
        answersAreJustified(batch, stored, partner);
        keysHold(tables, partner, nowMs);
        keysAreThoseOnRecord(tables);
        answersAreOnRecord(tables, partner);
        changesAreOnRecord(tables, partner);
        before.set(partner, tables);
      }
    }
    for (const partner of partners) {
      tokensAreNotExceeded(partner);
      repeatsShowOneKey(partner);
      await shownKeysCanBeUsed(partner, nowMs + 60_000);
    }
    return partners;
  } catch (error) {
    throw new Error(`With TEST_SEED=${start}: ${(error as Error).message}`, { cause: error });
  }
};

/** A key that was shown is good for a call, and no longer if it was deleted. */
const shownKeysCanBeUsed = async ({ company, environment, exchanges, shown }: Partner, fromMs: number) => {
  const tables = await readStored(calmStore, company);
  const keys = tables.ApiKeys ?? new Map();
  const everShown = new Map([
    ...company.keys.map(({ keyId, apiKey }) => [keyId, apiKey] as const),
    ...exchanges
      .filter(({ answer }) => answer.status === 201)
      .map(({ answer }) => [answer.body.keyId, answer.body.apiKey] as const),
  ]);
  let nowMs = fromMs;
  for (const [keyId, apiKey] of everShown) {
    nowMs += 1000;
    const { status } = await call('getOwnApiKey', { apiKey, nowMs, environment: { ...environment, store: calmStore } });
    const expected = keys.has(`${company.companyId}\0KEY#${keyId}`) ? 200 : 401;
    assert.equal(
      status,
      expected,
      `the key ${keyId}, which was shown${shown.has(keyId) ? '' : ' and deleted'}, was answered`,
    );
  }
};
