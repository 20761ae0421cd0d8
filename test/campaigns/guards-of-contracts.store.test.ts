import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, test } from 'vitest';
import { doneOutcomes } from '../../lambdas/api/inbound-events/inbound-event.ts';
import { findContract, unopenedContract } from '../../lambdas/data/contracts/contracts.ts';
import { applyGrant } from '../../lambdas/data/contracts/grants.ts';
import {
  acceptConsent,
  endContract,
  openContract,
  withdrawConsent,
} from '../../lambdas/data/contracts/owner-decisions.ts';
import { isStoreUnavailable } from '../../lambdas/data/store/attempts.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { consentGivenAt, noConsent } from '../../lambdas/domain/consent.ts';
import { grantIn, type Parties } from '../../lambdas/domain/contract.ts';
import { campaign, playRounds, size } from '../support/campaign.ts';
import { below, randomNumbers } from '../support/random.ts';
import { inFlight, readAudit, readGrantTimes } from '../support/store.ts';
import { onboard, openWorld, partiesOf, startMs } from '../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** A decision of an owner: `isGiven` grants, accepts or opens; otherwise it revokes, withdraws or ends. */
type Event = Parties & { readonly id: string; readonly atMs: number; readonly isGiven: boolean } & (
    | { readonly kind: 'grant'; readonly gatewayId: string }
    | { readonly kind: 'consent' | 'contract' }
  );

const requiredVersion = 3;
const workers = 16;
/** Per round. */
const count = size({ test: 80, prove: 200 });
const companyCount = 3;
const gatewaysOfEach = 3;
/** Every owner of a company grants this gateway; at the end, only the last one's grant counts. */
const sharedGatewayId = 'gw-shared';

/** An owner with an open contract, and an owner whom the company does not know yet. */
const ownersOf = (companyId: string): Parties[] => [partiesOf(companyId), { companyId, userId: 'newcomer' }];

/** Draws events of owners. Each grant has its own time; several decisions on consents and contracts share one. */
const makeEvents = (owners: readonly Parties[], random: () => number): Event[] =>
  Array.from({ length: count }, (_, index): Event => {
    const owner = owners[below(random, owners.length)] as Parties;
    const event = { ...owner, id: `event-${index}`, isGiven: random() < 0.5, atMs: startMs + index * 10 };
    const share = random();
    if (share > 0.4) {
      const own = `gw-${owner.userId}-${below(random, gatewaysOfEach)}`;
      const gatewayId = random() < 0.5 ? sharedGatewayId : own;
      return { ...event, kind: 'grant', gatewayId };
    }
    // Several events share one time; the one that withdraws or ends counts last.
    return { ...event, kind: share < 0.2 ? 'consent' : 'contract', atMs: startMs + Math.floor(index / 20) * 200 };
  });

/** The largest number of places by which an event arrives too early or too late. */
const displacement = 50;

/** Repeats each event one to three times, each time displaced at random. */
const deliveriesOf = (events: readonly Event[], random: () => number): Event[] =>
  events
    .flatMap((event, index) => Array.from({ length: 1 + below(random, 3) }, () => ({ event, index })))
    .map(({ event, index }) => ({ event, place: index + displacement * random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ event }) => event);

class Killed extends Error {}

/** A store whose process dies before a write, or after it without an answer; counts the writes. */
const killing = (random: () => number, counts: { written: number; killed: number }): Store => {
  const send = async (command: Parameters<Store['send']>[0]) => {
    if (!(command instanceof TransactWriteCommand)) return world.store.send(command);
    const fate = random();
    if (fate < 0.05) counts.killed++;
    if (fate < 0.05) throw new Killed();
    const answer = await world.store.send(command);
    counts.written++;
    if (fate < 0.1) counts.killed++;
    if (fate < 0.1) throw new Killed();
    return answer;
  };
  return { ...world.store, send: send as Store['send'] };
};

const apply = (store: Store, event: Event) => {
  const { id, companyId, userId, atMs, isGiven } = event;
  const act = { companyId, nowMs: atMs, requestId: id, operation: 'test', actorKey: null };
  if (event.kind === 'grant') return applyGrant(store, act, { userId, gatewayId: event.gatewayId, isGranted: isGiven });
  if (event.kind === 'contract') return (isGiven ? openContract : endContract)(store, act, { userId });
  return isGiven
    ? acceptConsent(store, act, { userId, consentVersion: requiredVersion, requiredVersion })
    : withdrawConsent(store, act, { userId });
};

/** Applies an event until it succeeds, as a queue redelivers a failed message. */
const takeUntilDone = async (store: Store, event: Event): Promise<void> => {
  const outcome = await apply(store, event).catch((error) => {
    // Too many concurrent writes of one gateway may exhaust the attempts, too.
    if (error instanceof Killed || isStoreUnavailable(error)) return undefined;
    throw error;
  });
  if (!outcome) return takeUntilDone(store, event);
  expect(doneOutcomes).toContain(outcome.outcome);
};

/** Returns the last event by time; among equal times, the one that withdraws, revokes or ends. */
const lastOf = (events: readonly Event[]): Event | undefined =>
  events.reduce<Event | undefined>(
    (last, event) => (!last || event.atMs > last.atMs || (event.atMs === last.atMs && !event.isGiven) ? event : last),
    undefined,
  );

const expectedGrant = (last: Event | undefined) => {
  if (!last) return {};
  const at = last.atMs;
  return { changedAtMs: at, ...(last.isGiven && { grantedAtMs: at, toldAtMs: at }) };
};

const expectedConsent = (last: Event | undefined) => {
  if (!last) return noConsent;
  const at = last.atMs;
  if (!last.isGiven) return { ...noConsent, consentChangedAtMs: at, consentClaimedAtMs: at };
  return {
    ...consentGivenAt(requiredVersion, at),
    consentedSinceMs: expect.any(Number),
    consentBeganAtMs: expect.any(Number),
    consentBeganClaimedAtMs: expect.any(Number),
  };
};

/** Consent never counts from a time before the last withdrawal. */
const lastWithdrawalMs = (events: readonly Event[]) =>
  Math.max(0, ...events.map(({ atMs, isGiven }) => (isGiven ? 0 : atMs)));

const expectedState = (events: readonly Event[], isOpenBefore: boolean) => {
  const isOpened = isOpenBefore || events.some(({ isGiven }) => isGiven);
  if (!isOpened) return 'unopened';
  return lastOf(events)?.isGiven === false ? 'ended' : 'active';
};

test(
  `${count} events of owners a round, shuffled, repeated, interrupted, end as in order of time, audited once`,
  campaign,
  async (context) => {
    const total = { events: 0, deliveries: 0, written: 0, killed: 0 };
    await playRounds(context, { test: 1, seconds: 20, full: 50 }, async (seed) => {
      const random = randomNumbers(seed);
      const companies = await Promise.all(Array.from({ length: companyCount }, () => onboard(world.store, noConsent)));
      const companyIds = companies.map(({ companyId }) => companyId);
      const owners = companyIds.flatMap(ownersOf);
      const recordsBefore = (await recordsOf(companyIds)).length;
      const events = makeEvents(owners, random);
      const deliveries = deliveriesOf(events, random);
      const counts = { written: 0, killed: 0 };
      const store = killing(random, counts);
      await inFlight(workers, deliveries.length, (index) => takeUntilDone(store, deliveries[index] as Event));

      for (const owner of owners) await expectOrderOfTime(owner, events);
      for (const companyId of companyIds) await expectOneOwner(companyId, events);
      expect((await recordsOf(companyIds)).length - recordsBefore).toBe(counts.written);
      total.events += events.length;
      total.deliveries += deliveries.length;
      total.written += counts.written;
      total.killed += counts.killed;
    });
    await context.annotate(
      `${total.events} events in ${total.deliveries} deliveries, ${total.killed} broken off at a write, ${total.written} changes, each on record once`,
    );
  },
);

const recordsOf = async (companyIds: readonly string[]) =>
  (await Promise.all(companyIds.map((companyId) => readAudit(world.store, companyId)))).flat();

const expectOrderOfTime = async (owner: Parties, events: readonly Event[]): Promise<void> => {
  const { companyId, userId } = owner;
  const own = events.filter((event) => event.companyId === companyId && event.userId === userId);
  for (let gateway = 0; gateway < gatewaysOfEach; gateway++) {
    const gatewayId = `gw-${userId}-${gateway}`;
    const ofGateway = own.filter((event) => event.kind === 'grant' && event.gatewayId === gatewayId);
    const none = { grantedAtMs: undefined, toldAtMs: undefined, changedAtMs: undefined };
    expect(await readGrantTimes(world.store, owner, gatewayId)).toEqual({
      ...none,
      ...expectedGrant(lastOf(ofGateway)),
    });
  }
  const [ofConsent, ofContract] = ['consent', 'contract'].map((kind) => own.filter((event) => event.kind === kind));
  const contract = (await findContract(world.store, owner)) ?? unopenedContract(owner);
  expect(contract).toMatchObject(expectedConsent(lastOf(ofConsent ?? [])));
  if (contract.acceptedConsentVersion)
    expect(contract.consentedSinceMs).toBeGreaterThan(lastWithdrawalMs(ofConsent ?? []));
  const isOpenBefore = userId === partiesOf(companyId).userId;
  expect(contract.state).toBe(expectedState(ofContract ?? [], isOpenBefore));
};

/** The gateway belongs to the owner of the last grant unless that owner revoked it; each event has at most one audit row. */
const expectOneOwner = async (companyId: string, events: readonly Event[]): Promise<void> => {
  const ofGateway = events.filter(
    (event) => event.companyId === companyId && event.kind === 'grant' && event.gatewayId === sharedGatewayId,
  );
  const granted = lastOf(ofGateway.filter(({ isGiven }) => isGiven));
  const isRevoked = ofGateway.some(
    ({ userId, isGiven, atMs }) => !isGiven && userId === granted?.userId && atMs > (granted?.atMs ?? 0),
  );
  for (const owner of ownersOf(companyId)) {
    const contract = await findContract(world.store, owner);
    const isItsOwner = granted?.userId === owner.userId && !isRevoked;
    expect(contract && grantIn(contract, sharedGatewayId)?.grantedAtMs).toBe(isItsOwner ? granted.atMs : undefined);
  }
  const ids = (await readAudit(world.store, companyId)).flatMap(({ requestId }) =>
    String(requestId).startsWith('event-') ? [requestId] : [],
  );
  expect(new Set(ids).size).toBe(ids.length);
};
