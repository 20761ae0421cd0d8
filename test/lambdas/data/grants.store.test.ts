import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { findContract, findOnlyContract, readContracts } from '../../../lambdas/data/contracts/contracts.ts';
import { applyGrant, readGranters, readGrants } from '../../../lambdas/data/contracts/grants.ts';
import { acceptConsent, openContract } from '../../../lambdas/data/contracts/owner-decisions.ts';
import { grantIn } from '../../../lambdas/domain/contract.ts';
import { consistencyOf, operatorActOn, overtakenBy, readAudit, readGrantTimes } from '../../support/store.ts';
import { onboard, openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** A company, and events for one of its gateways at seconds after `startMs`. */
const companyWithEvents = async () => {
  const { companyId, contract } = await onboard(world.store);
  const { userId } = contract;
  const gatewayId = `gw-${randomUUID()}`;
  const event = (isGranted: boolean, second: number, of: string = userId) =>
    applyGrant(world.store, operatorActOn(companyId, startMs + second * 1000), { gatewayId, isGranted, userId: of });
  const rows = () => readGrantTimes(world.store, partiesOf(companyId), gatewayId);
  const audit = async () => (await readAudit(world.store, companyId)).filter((row) => row.gatewayId === gatewayId);
  return { companyId, gatewayId, event, rows, audit };
};

const granted = (second: number) => {
  const atMs = startMs + second * 1000;
  return { grantedAtMs: atMs, ownerGrantedAtMs: atMs, changedAtMs: atMs };
};
const revoked = (second: number) => ({ changedAtMs: startMs + second * 1000 });

const applied = { outcome: 'applied' };
const stale = { outcome: 'stale' };

describe('the event with the latest time wins, in whatever order events arrive', () => {
  type GrantEvent = readonly [isGranted: boolean, second: number];
  const added = (second: number): GrantEvent => [true, second];
  const removed = (second: number): GrantEvent => [false, second];

  test.each<[string, readonly GrantEvent[], object, number]>([
    ['added', [added(1)], granted(1), 1],
    ['added, removed', [added(1), removed(2)], revoked(2), 2],
    ['removed, and added late', [removed(2), added(1)], revoked(2), 2],
    ['added, and removed late', [added(2), removed(1)], granted(2), 1],
    ['added again', [added(1), removed(2), added(3)], granted(3), 3],
    ['added twice', [added(1), added(2)], granted(2), 2],
    ['the same event twice', [added(1), added(1)], granted(1), 1],
    ['added and removed at the same time', [added(1), removed(1)], revoked(1), 2],
  ])('%s', async (_, events, expected, records) => {
    const { event, rows, audit } = await companyWithEvents();
    for (const [isGranted, second] of events) await event(isGranted, second);
    expect(await rows()).toEqual({ grantedAtMs: undefined, ownerGrantedAtMs: undefined, ...expected });
    expect((await audit()).length).toBe(records);
  });

  test('an event returns its outcome, and is recorded once, with its effect', async () => {
    const { event, audit } = await companyWithEvents();
    expect(await event(true, 2)).toEqual(applied);
    expect(await event(true, 2)).toEqual(stale);
    expect(await event(false, 1)).toEqual(stale);
    expect(await audit()).toEqual([expect.objectContaining({ after: { isGranted: true } })]);
  });
});

test('owners are read for more gateways than fit into a batch', async () => {
  const { companyId, gatewayId, event } = await companyWithEvents();
  await event(true, 1);
  const parties = partiesOf(companyId);
  const others = Array.from({ length: 250 }, (_, index) => `other-${index}`);
  const { contract, ownersOf } = await readGrants(world.store, parties, [...others, gatewayId]);
  expect(contract).toMatchObject(parties);
  expect([gatewayId, 'other-0', 'other-249'].map((id) => Object.keys(ownersOf(id)))).toEqual([
    [parties.userId],
    [],
    [],
  ]);
});

test('a grant and a concurrent first consent of an owner without a contract are both stored', async () => {
  const { companyId } = await onboard(world.store);
  const userId = 'newcomer';
  const acceptance = { userId, consentVersion: 3, requiredVersion: 3 };
  const overtaken = overtakenBy(world.store, () =>
    acceptConsent(world.store, operatorActOn(companyId, startMs), acceptance),
  );
  const event = { gatewayId: 'gw-1', isGranted: true, userId };
  expect(await applyGrant(overtaken, operatorActOn(companyId, startMs + 1), event)).toEqual(applied);
  expect(await findContract(world.store, { companyId, userId })).toMatchObject({
    state: 'unopened',
    acceptedConsentVersion: 3,
    gateways: { 'gw-1': expect.anything() },
  });
});

describe('what is revoked stays revoked, whatever the clocks show:', () => {
  type GrantEvent = readonly [isGranted: boolean, claimedSecond: number, arrivedSecond: number, outcome: string];
  const added = (claimed: number, arrived: number, outcome = 'applied'): GrantEvent => [
    true,
    claimed,
    arrived,
    outcome,
  ];
  const removed = (claimed: number, arrived: number, outcome = 'applied'): GrantEvent => [
    false,
    claimed,
    arrived,
    outcome,
  ];

  test.each<[string, boolean, readonly GrantEvent[]]>([
    ['granted by a clock ahead', false, [added(50, 0), removed(3, 3)]],
    ['and granted again by its repeat', false, [added(50, 0), removed(3, 3), added(50, 5, 'stale')]],
    ['granted by a clock ahead, at once', false, [removed(10, 10, 'noted'), added(20, 10, 'noted')]],
    ['granted by a clock ahead, and taken in late', false, [removed(3, 3, 'noted'), added(50, 0, 'noted')]],
    ['both by a clock ahead, in reverse', false, [removed(53, 3, 'noted'), added(50, 4, 'noted')]],
    ['granted again later by a clock ahead, it is granted', true, [added(50, 0), removed(60, 10), added(63, 13)]],
    ['even if the revocation is repeated', true, [removed(60, 10, 'noted'), added(63, 13), removed(60, 10, 'stale')]],
    ['revoked again', false, [removed(1, 1, 'noted'), removed(2, 2, 'noted'), removed(2, 2, 'stale')]],
  ])('%s', async (_, isGranted, events) => {
    const { companyId, gatewayId, rows } = await companyWithEvents();
    for (const [isAdded, claimed, arrived, outcome] of events) {
      const arrivedAtMs = startMs + arrived * 1000;
      const act = { ...operatorActOn(companyId, startMs + claimed * 1000), recordedAtMs: arrivedAtMs };
      const change = { gatewayId, isGranted: isAdded, userId: `owner-of-${companyId}`, arrivedAtMs };
      expect(await applyGrant(world.store, act, change)).toEqual({ outcome });
    }
    const { grantedAtMs, ownerGrantedAtMs } = await rows();
    expect([grantedAtMs !== undefined, ownerGrantedAtMs !== undefined]).toEqual([isGranted, isGranted]);
  });

  test('a grant is visible since its receipt; its time is the earlier of its receipt and its own time', async () => {
    const { companyId, gatewayId, rows } = await companyWithEvents();
    const act = { ...operatorActOn(companyId, startMs + 50_000), recordedAtMs: startMs + 10 };
    await applyGrant(world.store, act, { gatewayId, isGranted: true, userId: `owner-of-${companyId}` });
    expect(await rows()).toMatchObject({ grantedAtMs: startMs + 10, ownerGrantedAtMs: startMs + 10 });
    const contract = await findContract(world.store, partiesOf(companyId));
    expect(contract && grantIn(contract, gatewayId)?.receivedAtMs).toBe(startMs + 10);
  });
});

test('of two concurrent changes, the second is decided again', async () => {
  const { companyId, gatewayId, event, rows } = await companyWithEvents();
  await event(true, 1);
  const overtaken = overtakenBy(world.store, () => event(false, 3));
  const late = { gatewayId, isGranted: true, userId: `owner-of-${companyId}` };
  expect(await applyGrant(overtaken, operatorActOn(companyId, startMs + 2000), late)).toEqual({ outcome: 'noted' });
  expect((await rows()).grantedAtMs).toBeUndefined();
});

describe('concurrent revocations never decrease a time:', () => {
  type GrantEvent = readonly [claimedSecond: number, arrivedSecond: number];
  test.each<[string, GrantEvent, GrantEvent, GrantEvent, GrantEvent]>([
    ['the claimed time', [10, 10], [15, 12], [60, 10], [30, 30]],
    ['the arrival time', [60, 10], [70, 10], [50, 40], [80, 30]],
  ])('%s', async (_, known, own, other, granting) => {
    const { companyId, gatewayId, rows } = await companyWithEvents();
    const apply = (isGranted: boolean, [claimed, arrived]: GrantEvent, store = world.store) => {
      const act = operatorActOn(companyId, startMs + claimed * 1000);
      const arrivedAtMs = startMs + arrived * 1000;
      return applyGrant(store, act, { gatewayId, isGranted, userId: `owner-of-${companyId}`, arrivedAtMs });
    };
    await apply(false, known);
    const overtaken = overtakenBy(world.store, () => apply(false, other));
    await apply(false, own, overtaken);
    expect(await apply(true, granting)).toEqual({ outcome: 'noted' });
    expect((await rows()).grantedAtMs).toBeUndefined();
  });
});

describe('a gateway that another owner of the company grants', () => {
  const twoOwners = async () => {
    const scene = await companyWithEvents();
    const { companyId, gatewayId } = scene;
    const other = { companyId, userId: 'another' };
    await openContract(world.store, operatorActOn(companyId), other);
    const grantTo = (isGranted: boolean, second: number, store = world.store) =>
      applyGrant(store, operatorActOn(companyId, startMs + second * 1000), { gatewayId, isGranted, userId: 'another' });
    const holders = async () => {
      const contracts = await readContracts(world.store, [partiesOf(companyId), other]);
      return contracts.filter(({ gateways }) => gatewayId in gateways).map(({ userId }) => userId);
    };
    return { ...scene, grantTo, holders };
  };

  test('moves to that owner in one transaction, in whatever order events arrive', async () => {
    const { companyId, gatewayId, event, grantTo, holders } = await twoOwners();
    await event(true, 1);
    expect(await grantTo(true, 2)).toEqual(applied);
    expect(await holders()).toEqual(['another']);
    expect(await event(false, 3)).toEqual({ outcome: 'noted' });
    expect(await event(true, 1)).toEqual(stale);
    expect(await holders()).toEqual(['another']);
    expect(await readGranters(world.store, gatewayId)).toEqual(new Map([[companyId, 'another']]));
  });

  test('stays with the first owner if the other grant is older', async () => {
    const { event, grantTo, holders, companyId } = await twoOwners();
    await event(true, 5);
    expect(await grantTo(true, 4)).toEqual(stale);
    expect(await holders()).toEqual([partiesOf(companyId).userId]);
  });

  test('has no owner if the other one has revoked it since, in whatever order events arrive', async () => {
    const { companyId, event, grantTo, holders, audit } = await twoOwners();
    await grantTo(false, 3);
    await event(true, 1);
    expect(await holders()).toEqual([partiesOf(companyId).userId]);
    expect(await grantTo(true, 2)).toEqual(applied);
    expect(await holders()).toEqual([]);
    const after = { isGranted: false, formerUserId: partiesOf(companyId).userId };
    expect(await audit()).toContainEqual(expect.objectContaining({ userId: 'another', after }));
    expect(await event(true, 1)).toEqual(stale);
  });

  test('has one owner if two grant it concurrently', async () => {
    const { event, grantTo, holders } = await twoOwners();
    const overtaken = overtakenBy(world.store, () => event(true, 3));
    expect(await grantTo(true, 4, overtaken)).toEqual(applied);
    expect(await holders()).toEqual(['another']);
  });
});

test('a grant before the contract is opened is stored, and does not open the contract', async () => {
  const { companyId, gatewayId } = await companyWithEvents();
  const newcomer = { companyId, userId: 'newcomer' };
  const apply = (isGranted: boolean, second: number) =>
    applyGrant(world.store, operatorActOn(companyId, startMs + second * 1000), {
      gatewayId,
      isGranted,
      userId: newcomer.userId,
    });
  expect(await apply(true, 1)).toEqual(applied);
  expect(await findContract(world.store, newcomer)).toMatchObject({
    state: 'unopened',
    gateways: { [gatewayId]: { grantedAtMs: startMs + 1000 } },
  });
  expect(await findOnlyContract(world.store, companyId)).toMatchObject(partiesOf(companyId));
  expect(await apply(false, 2)).toEqual(applied);
  expect((await findContract(world.store, newcomer))?.gateways).toEqual({});
});

test('an event for an unknown company is refused, and nothing is written', async () => {
  const companyId = `nobody${randomUUID().slice(0, 8)}`;
  const change = { gatewayId: 'gw-1', isGranted: true, userId: 'somebody' };
  expect(await applyGrant(world.store, operatorActOn(companyId), change)).toEqual({ outcome: 'company-not-found' });
  expect(await findContract(world.store, { companyId, userId: 'somebody' })).toBeUndefined();
  expect(Object.values(await readGrantTimes(world.store, partiesOf(companyId), 'gw-1')).filter(Boolean)).toEqual([]);
});

test('one strongly consistent query returns the owners of a gateway; a revoked grant does not count', async () => {
  const { companyId, gatewayId, event } = await companyWithEvents();
  const granters = () => readGranters(world.store, gatewayId);
  await event(true, 1);
  expect(await granters()).toEqual(new Map([[companyId, `owner-of-${companyId}`]]));
  expect(await consistencyOf(granters)).toEqual([true]);
  await event(false, 2);
  expect(await granters()).toEqual(new Map());
});
