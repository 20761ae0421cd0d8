import assert from 'node:assert/strict';
import type { Store } from '../../../lambdas/data/store/store.ts';
import type { FunctionEnvironment } from '../../../lambdas/runtime/function-environment.ts';
import { call, equipCompany } from '../../../test/support/call.ts';
import type { Tables } from '../../../test/support/memory-store/tables.ts';
import { below, randomNumbers } from '../../../test/support/random.ts';
import { keysIn } from '../../../test/support/stage/rows.ts';
import { startMs } from '../../../test/support/world.ts';
import { drawCall, type Exchange, learn, type Partner, partnerOf } from './partner.ts';
import {
  answersAreJustified,
  answersAreOnRecord,
  bucketOf,
  changesAreOnRecord,
  keysAreThoseOnRecord,
  keysHold,
  readArrivals,
  readStored,
  repeatsShowOneKey,
  tokensAreNotExceeded,
} from './record.ts';

/** The number of keys that each company begins with: one has room for more, the other soon reaches the limit. */
const firstKeys = [2, 9];
const callsAtOnce = 10;
/** The longest pause between two batches of calls, so that a bucket is sometimes full and sometimes empty. */
const maxPauseMs = 1000;

type Stage = {
  /** The environment of the handlers; its store has faults. */
  readonly spoilt: FunctionEnvironment;
  /** The same tables, without faults. */
  readonly calm: Store;
};

/**
 * Lets new companies make `callCount` calls, several at the same time, and checks the guarantees after each batch. A seed
 * repeats the same calls; which of them meets which fault varies, as does the order in which they reach the store.
 */
export const play = async ({ spoilt, calm }: Stage, seed: number, callCount: number): Promise<Exchange[]> => {
  const random = randomNumbers(seed);
  const partners = await Promise.all(
    firstKeys.map(async (keys) => {
      const company = await equipCompany(calm, { keys });
      return { partner: partnerOf(company, spoilt), before: await readStored(calm, company) };
    }),
  );
  let nowMs = startMs;
  for (let made = 0; made < callCount; made += callsAtOnce) {
    nowMs += below(random, maxPauseMs);
    const batches = partners.map(({ partner }) =>
      Array.from({ length: callsAtOnce / firstKeys.length }, () => drawCall(partner, random, nowMs)),
    );
    const answered = await Promise.all(batches.map((batch) => Promise.all(batch.map((makeCall) => makeCall()))));
    for (const [index, each] of partners.entries()) each.before = await check(calm, each, answered[index] ?? [], nowMs);
  }
  for (const { partner, before } of partners) await checkAtEnd(calm, partner, before, nowMs + 60_000);
  return partners.flatMap(({ partner }) => partner.exchanges);
};

/** A partner, and the rows stored before its next batch of calls. */
type Watched = { readonly partner: Partner; readonly before: Tables };

/** Checks the answers to a batch of concurrent calls against the rows stored after it, and returns the rows. */
const check = async (calm: Store, { partner, before }: Watched, batch: readonly Exchange[], nowMs: number) => {
  for (const exchange of batch) learn(partner, exchange);
  const refused = batch.filter(({ answer }) => answer.status === 429);
  const arrivals = await readArrivals(calm, [...new Set(refused.map(bucketOf))]);
  const tables = await readStored(calm, partner.company);
  answersAreJustified(batch, { before, tables, arrivals }, partner);
  keysHold(tables, partner, nowMs);
  keysAreThoseOnRecord(tables);
  answersAreOnRecord(tables, partner);
  changesAreOnRecord(tables, partner);
  return tables;
};

/** Checks all answers against each other, and that every key that was ever returned works or was deleted. */
const checkAtEnd = async (calm: Store, partner: Partner, tables: Tables, fromMs: number): Promise<void> => {
  const { company, environment, exchanges } = partner;
  tokensAreNotExceeded(exchanges);
  repeatsShowOneKey(partner);
  const created = exchanges.filter(({ answer }) => answer.status === 201).map(({ answer }) => answer.body);
  const shown = new Map([...company.keys, ...created].map(({ keyId, apiKey }) => [keyId, apiKey]));
  const stored = new Set(keysIn(tables).map(({ keyId }) => keyId));
  let nowMs = fromMs;
  for (const [keyId, apiKey] of shown) {
    nowMs += 1000;
    const { status } = await call('getOwnApiKey', { apiKey, nowMs, environment: { ...environment, store: calm } });
    const state = stored.has(keyId) ? 'is stored' : 'was deleted';
    assert.equal(
      status,
      stored.has(keyId) ? 200 : 401,
      `the key ${keyId}, which was shown and ${state}, cannot be used so`,
    );
  }
};
