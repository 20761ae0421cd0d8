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

/** What an owner decides; `isGiven` grants, accepts and opens, its opposite revokes, withdraws and ends. */
type Event = Parties & { readonly id: string; readonly atMs: number; readonly isGiven: boolean } & (
    | { readonly kind: 'grant'; readonly gatewayId: string }
    | { readonly kind: 'consent' | 'contract' }
  );

const requiredVersion = 3;
const workers = 16;
/** In each round. */
const count = size({ test: 80, prove: 200 });
const companyCount = 3;
const gatewaysOfEach = 3;
/** All owners of a company let it act on this one, the last of them alone in the end. */
const sharedGatewayId = 'gw-shared';

/** One owner whose contract is open, and one whom the company does not know yet. */
const ownersOf = (companyId: string): Parties[] => [partiesOf(companyId), { companyId, userId: 'newcomer' }];

/** Events of owners; each gateway, each consent and each contract has its own moments. */
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
    // Several of one moment, of which what takes away is the last.
    return { ...event, kind: share < 0.2 ? 'consent' : 'contract', atMs: startMs + Math.floor(index / 20) * 200 };
  });

/** By so many places at most an event comes too early or too late. */
const displacement = 50;

/** Each event one to three times, each time displaced by a chance of its own. */
const deliveriesOf = (events: readonly Event[], random: () => number): Event[] =>
  events
    .flatMap((event, index) => Array.from({ length: 1 + below(random, 3) }, () => ({ event, index })))
    .map(({ event, index }) => ({ event, place: index + displacement * random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ event }) => event);

class Killed extends Error {}

/** A store whose process dies before a write, or after it without an acknowledgement; counts the writes that were made. */
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

/** Takes an event until it is done, as a queue delivers it again that was not. */
const takeUntilDone = async (store: Store, event: Event): Promise<void> => {
  const outcome = await apply(store, event).catch((error) => {
    // So many at once on one gateway may not come to an end either.
    if (error instanceof Killed || isStoreUnavailable(error)) return undefined;
    throw error;
  });
  if (!outcome) return takeUntilDone(store, event);
  expect(doneOutcomes).toContain(outcome.outcome);
};

/** The last by time; of equal times what takes away. */
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

/** Consent counts since no moment from before the last withdrawal. */
const lastWithdrawalMs = (events: readonly Event[]) =>
  Math.max(0, ...events.map(({ atMs, isGiven }) => (isGiven ? 0 : atMs)));

const expectedState = (events: readonly Event[], isOpenBefore: boolean) => {
  const isOpened = isOpenBefore || events.some(({ isGiven }) => isGiven);
  if (!isOpened) return 'unopened';
  return lastOf(events)?.isGiven === false ? 'ended' : 'active';
};

test(
  `${count} events a round of contracts, grants and consent of several owners, shuffled, repeated and broken off, end as in the order of time, each on record once`,
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

/** The gateway is of the owner who granted it last, unless that one has revoked it; each event is on record once at most. */
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
