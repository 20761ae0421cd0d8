import { consumers } from '../../lambdas/api/background-functions.ts';
import { ratePolicies } from '../../lambdas/api/limits.ts';
import { handler as takePortalEvents } from '../../lambdas/consumers/takePortalEvents.ts';
import { circuitItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { appendEvents } from '../../lambdas/data/feed/append.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { getHeatingCircuit } from '../../lambdas/handlers/circuits.ts';
import { listContracts } from '../../lambdas/handlers/contract.ts';
import { listEvents } from '../../lambdas/handlers/events.ts';
import { createMemory, createProcessMemory } from '../../lambdas/runtime/process-memory.ts';
import { putShadow } from '../../test/support/appliance.ts';
import { companyEvent } from '../../test/support/feed.ts';
import { newQueues } from '../../test/support/messages.ts';
import { below, seededNumbers } from '../../test/support/random.ts';
import {
  admitCompany,
  benchEnvironment,
  callOf,
  messageOf,
  putDescribedGateway,
  reportedCircuit,
} from './bench-company.ts';
import { median, metered, openStore, type Used } from './store.ts';

const owners = { many: 10_000, one: 1 } as const;
const calls = 1000;
const pageSize = 100;

/** Compares the cost of a company with 10,000 owners and of one with a single owner; portal events open all contracts. */
export const compareOwners = async (): Promise<void> => {
  const { store: bare, close } = await openStore();
  const { store, used } = metered(bare);
  console.log(`A company with ${owners.many} owners beside one with one owner, on DynamoDB Local`);
  const keys = { many: await admitCompany(store, 'many'), one: await admitCompany(store, 'one') };
  for (const companyId of ['one', 'many'] as const) await onboardByEvents(store, companyId, used);
  await compareReads(store, keys, used);
  await listAll(store, keys.many, used);
  await compareFeeds(store, keys.many, used);
  await close();
  console.log('');
};

type Name = keyof typeof owners;

const ownerAt = (number: number) => `owner-${number}`;
const gatewayAt = (companyId: Name, number: number) => `gw-${companyId}-${number}`;

/** Sends the opening, consent and installation of each owner in any order, as the queue delivers them to the consumer. */
const onboardByEvents = async (store: Store, companyId: Name, used: () => Used): Promise<void> => {
  const startMs = Date.now() - 3_600_000;
  const count = owners[companyId];
  const messages = Array.from({ length: count }, (_, number) => {
    const userId = ownerAt(number);
    const gatewayId = gatewayAt(companyId, number);
    return [
      messageOf('portal.contract.opened.v1', companyId, startMs, { userId }),
      messageOf('portal.consent.accepted.v1', companyId, startMs + 1, { userId, consentVersion: 1 }),
      messageOf('portal.installation.added.v1', companyId, startMs + 2, { userId, gatewayId }),
    ];
  }).flat();
  shuffle(messages);
  const total = messages.length;
  const { batchSize, maxConcurrency } = consumers.takePortalEvents;
  const environment = { ...benchEnvironment(store), ...newQueues(), processTimeMs: Date.now };
  let failures = 0;
  used();
  const startedAt = performance.now();
  const work = async () => {
    for (let Records = messages.splice(0, batchSize); Records.length > 0; Records = messages.splice(0, batchSize)) {
      const { batchItemFailures } = await takePortalEvents.withEnvironment(environment)({ Records }, undefined);
      failures += batchItemFailures.length;
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      messages.push(...Records.filter(({ messageId }) => failed.has(messageId)));
    }
  };
  await Promise.all(Array.from({ length: maxConcurrency }, work));
  const seconds = (performance.now() - startedAt) / 1000;
  const { reads, writes, calls: made } = used();
  if (count === 1) return;
  console.log(
    `  ${count} owners by ${total} events of the portal in any order: ${seconds.toFixed(0)} s, ${(total / seconds).toFixed(0)} events/s; an owner takes at least ${(writes / count).toFixed(1)} write units, ${(reads / count).toFixed(1)} read units and ${(made / count).toFixed(1)} calls; ${failures} came again`,
  );
};

const shuffle = (messages: unknown[]): void => {
  const random = seededNumbers(messages.length);
  for (let end = messages.length - 1; end > 0; end--) {
    const other = below(random, end + 1);
    [messages[end], messages[other]] = [messages[other], messages[end]];
  }
};

/** Calls one circuit each, for many owners in turn and for the only owner, alternately. */
const compareReads = async (store: Store, keys: Record<Name, string>, used: () => Used): Promise<void> => {
  const circuitId = 'hc1';
  const ways = { one: [0], many: Array.from({ length: 100 }, (_, call) => (call * 7919) % owners.many) };
  for (const companyId of ['one', 'many'] as const)
    for (const number of new Set(ways[companyId])) {
      const gatewayId = gatewayAt(companyId, number);
      await putDescribedGateway(store, gatewayId, Date.now());
      const key = circuitItemKey(gatewayId, 'heating', circuitId);
      await putShadow(store, key, { circuitId }, reportedCircuit(Date.now()));
    }
  // Nothing about the request is remembered: a process that serves 10,000 homes seldom sees the same one twice.
  const environment = {
    ...benchEnvironment(store),
    memory: { ...createProcessMemory(), admissions: createMemory<number>(0) },
  };
  const durationsMs: Record<Name, number[]> = { one: [], many: [] };
  const units: Record<Name, number> = { one: 0, many: 0 };
  for (let call = -100; call < calls; call++)
    for (const companyId of call % 2 ? (['one', 'many'] as const) : (['many', 'one'] as const)) {
      const number = ways[companyId].at(call % ways[companyId].length) ?? 0;
      used();
      const { durationMs } = await callOf(getHeatingCircuit, environment, {
        apiKey: keys[companyId],
        userId: ownerAt(number),
        pathParameters: { gatewayId: gatewayAt(companyId, number), circuitId },
        nowMs: Date.now() + 60_000 + (call + 100) * 10_000,
      });
      if (call < 0) continue;
      durationsMs[companyId].push(durationMs);
      units[companyId] += used().reads;
    }
  const [one, many] = [median(durationsMs.one), median(durationsMs.many)];
  console.log(
    `  getHeatingCircuit, ${calls} calls each in turn: p50 ${one.toFixed(2)} ms and ${many.toFixed(2)} ms, of one owner ${(many / one).toFixed(2)}; ${(units.one / calls).toFixed(1)} and ${(units.many / calls).toFixed(1)} read units`,
  );
};

/** Reads GET /contracts to its end, and checks that all contracts are listed in order. */
const listAll = async (store: Store, apiKey: string, used: () => Used): Promise<void> => {
  const environment = benchEnvironment(store);
  const seen = { inOrder: 0, pages: 0, ms: 0 };
  let nowMs = Date.now() + 3_600_000;
  let cursor: string | null | undefined;
  used();
  while (cursor !== null) {
    const query = { limit: String(pageSize), ...(cursor && { cursor }) };
    nowMs += ratePolicies.general.refillIntervalMs;
    const { body, durationMs } = await callOf(listContracts, environment, { apiKey, query, nowMs });
    for (const { state, consent, gateways } of body.items)
      if (state === 'active' && consent.upToDate && gateways === 1) seen.inOrder++;
    seen.pages++;
    seen.ms += durationMs;
    cursor = body.nextCursor;
  }
  const { reads } = used();
  if (seen.inOrder !== owners.many) throw new Error(`Of ${owners.many} owners ${seen.inOrder} are as they should be.`);
  const waitSeconds = ((seen.pages - ratePolicies.general.burst) * ratePolicies.general.refillIntervalMs) / 1000;
  console.log(
    `  GET /contracts to its end: ${seen.inOrder} owners, none lost, on ${seen.pages} pages, ${(seen.ms / seen.pages).toFixed(1)} ms and ${(reads / seen.pages).toFixed(1)} read units a page; its rate limit lets a partner through in ${waitSeconds} s`,
  );
};

/** Reads pages of events of one owner and pages of equally many events of different owners, in turn. */
const compareFeeds = async (store: Store, apiKey: string, used: () => Used): Promise<void> => {
  const cursors: (string | undefined)[] = [];
  const environment = benchEnvironment(store);
  let nowMs = Date.now() + 7_200_000;
  const read = (after: string | undefined) => {
    nowMs += ratePolicies.general.refillIntervalMs;
    return callOf(listEvents, environment, {
      apiKey,
      query: { limit: String(pageSize), ...(after !== undefined && { after }) },
      nowMs,
    });
  };
  let cursor: string | undefined;
  for (const ownerCount of [1, pageSize]) {
    const events = Array.from({ length: pageSize }, (_, index) => {
      const number = index % ownerCount;
      const gatewayId = gatewayAt('many', number);
      return companyEvent(index, { type: 'circuit.changed', atMs: Date.now(), userId: ownerAt(number), gatewayId });
    });
    await appendEvents(store, 'many', events, Date.now());
    cursors.push(cursor);
    cursor = (await read(cursor)).body.nextCursor;
  }
  const measured = cursors.map(() => ({ ms: [] as number[], reads: 0, calls: 0 }));
  const rounds = 100;
  for (let round = 0; round < rounds; round++)
    for (const [index, from] of cursors.entries()) {
      used();
      const { body, durationMs } = await read(from);
      const of = measured[index];
      if (!of || body.items.length !== pageSize) throw new Error(`A page has ${body.items.length} events.`);
      of.ms.push(durationMs);
      const { reads, calls: made } = used();
      of.reads += reads / rounds;
      of.calls += made / rounds;
    }
  const texts = measured.map(
    ({ ms, reads, calls: made }) =>
      `p50 ${median(ms).toFixed(1)} ms, ${reads.toFixed(1)} read units in ${made.toFixed(0)} calls`,
  );
  console.log(`  GET /events, ${pageSize} events of one owner: ${texts[0]}; of ${pageSize} owners: ${texts[1]}`);
};
