import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { acceptConsent, withdrawConsent } from '../../../../lambdas/data/contracts/consent.ts';
import { contractKey, findContract } from '../../../../lambdas/data/contracts/contracts.ts';
import { consentGivenAt, noConsent } from '../../../../lambdas/domain/consent.ts';
import type { Contract } from '../../../../lambdas/domain/contract.ts';
import { operatorActOn, overtakenBy, readAudit } from '../../../support/store.ts';
import { onboard, openWorld, startMs } from '../../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const atSecond = (second: number) => startMs + second * 1000;

/** A company without consent, and events of its owner at seconds after the begin. */
const companyWithEvents = async (overrides: Partial<Contract> = noConsent) => {
  const { companyId, contract } = await onboard(world.store, overrides);
  const { userId } = contract;
  const accept = (second: number, consentVersion = 3, store = world.store) =>
    acceptConsent(store, operatorActOn(companyId, atSecond(second)), { userId, consentVersion, requiredVersion: 3 });
  const withdraw = (second: number, store = world.store) =>
    withdrawConsent(store, operatorActOn(companyId, atSecond(second)), { userId });
  const find = () => findContract(world.store, companyId);
  const records = async () => (await readAudit(world.store, companyId)).filter(({ after }) => after);
  return { companyId, contract, accept, withdraw, find, records };
};

const withdrawnAt = (second: number) => ({
  ...noConsent,
  consentChangedAtMs: atSecond(second),
  consentClaimedAtMs: atSecond(second),
});

const applied = { outcome: 'applied' };
const stale = { outcome: 'stale' };

test('an acceptance and a withdrawal are on the contract with their times, and on record', async () => {
  const { accept, withdraw, find, records } = await companyWithEvents();
  expect(await accept(1)).toEqual(applied);
  const accepted = consentGivenAt(3, atSecond(1));
  expect(await find()).toMatchObject(accepted);
  expect(await withdraw(2)).toEqual(applied);
  const withdrawn = withdrawnAt(2);
  expect(await find()).toMatchObject(withdrawn);
  expect(await records()).toEqual([
    expect.objectContaining({ before: noConsent, after: accepted }),
    expect.objectContaining({ before: accepted, after: withdrawn }),
  ]);
});

describe('stale, and nothing is written:', () => {
  test.each<[string, (events: Awaited<ReturnType<typeof companyWithEvents>>) => readonly (() => Promise<unknown>)[]]>([
    ['a late acceptance', ({ accept, withdraw }) => [() => withdraw(2), () => accept(1)]],
    ['a late withdrawal', ({ accept, withdraw }) => [() => accept(2), () => withdraw(1)]],
    ['a repeated acceptance', ({ accept }) => [() => accept(1), () => accept(1)]],
    ['a repeated withdrawal', ({ withdraw }) => [() => withdraw(1), () => withdraw(1)]],
    ['an acceptance at the time of a withdrawal', ({ accept, withdraw }) => [() => withdraw(1), () => accept(1)]],
    ['an acceptance of an older version', ({ accept }) => [() => accept(1, 4), () => accept(2, 3)]],
  ])('%s', async (_, eventsOf) => {
    const company = await companyWithEvents();
    const [first, second] = eventsOf(company);
    expect(await first?.()).not.toEqual(stale);
    const contract = await company.find();
    expect(await second?.()).toEqual(stale);
    expect([await company.find(), (await company.records()).length]).toEqual([contract, 1]);
  });
});

test('a withdrawal wins over an acceptance of the same time', async () => {
  const { accept, withdraw, find } = await companyWithEvents();
  await accept(1);
  expect(await withdraw(1)).toEqual(applied);
  expect(await find()).toMatchObject(withdrawnAt(1));
});

test('an event of another user, or of a company without a contract, is refused', async () => {
  const { companyId, contract, find, records } = await companyWithEvents();
  const acceptance = { userId: 'somebody', consentVersion: 3, requiredVersion: 3 };
  expect(await acceptConsent(world.store, operatorActOn(companyId), acceptance)).toEqual({ outcome: 'foreign-user' });
  expect(await withdrawConsent(world.store, operatorActOn(companyId), acceptance)).toEqual({ outcome: 'foreign-user' });
  expect([await find(), await records()]).toEqual([contract, []]);
  expect(await acceptConsent(world.store, operatorActOn('nobody'), acceptance)).toEqual({
    outcome: 'contract-not-found',
  });
});

test('what a clock ahead has accepted is withdrawn at once, and does not come back with a repeat', async () => {
  const { companyId, contract, withdraw, find } = await companyWithEvents();
  const { userId } = contract;
  const acceptAhead = (arrivedSecond: number) =>
    acceptConsent(
      world.store,
      { ...operatorActOn(companyId, atSecond(50)), recordedAtMs: atSecond(arrivedSecond) },
      { userId, consentVersion: 3, requiredVersion: 3, arrivedAtMs: atSecond(arrivedSecond) },
    );
  expect(await acceptAhead(0)).toEqual(applied);
  expect(await find()).toMatchObject({ acceptedAtMs: atSecond(0), consentedSinceMs: atSecond(0) });
  expect(await withdraw(3)).toEqual(applied);
  const withdrawn = { ...noConsent, consentChangedAtMs: atSecond(3), consentClaimedAtMs: atSecond(50) };
  expect(await find()).toMatchObject(withdrawn);
  expect(await acceptAhead(5)).toEqual(stale);
  expect(await find()).toMatchObject(withdrawn);
});

describe('what is changed at the same moment is decided on anew', () => {
  test('by a withdrawal that is newer', async () => {
    const { accept, withdraw, find } = await companyWithEvents();
    expect(
      await accept(
        1,
        3,
        overtakenBy(world.store, () => withdraw(2)),
      ),
    ).toEqual(stale);
    expect(await find()).toMatchObject(withdrawnAt(2));
  });

  test('by a withdrawal that is older', async () => {
    const { accept, withdraw, find } = await companyWithEvents();
    expect(
      await accept(
        2,
        3,
        overtakenBy(world.store, () => withdraw(1)),
      ),
    ).toEqual(applied);
    expect(await find()).toMatchObject({ acceptedConsentVersion: 3, consentChangedAtMs: atSecond(2) });
  });

  test('in each attempt: the event gives up, and is delivered again', async () => {
    const { companyId, accept } = await companyWithEvents();
    let second = 10;
    const rename = () =>
      world.store.send(
        new UpdateCommand({
          TableName: world.store.tableName('Contracts'),
          Key: contractKey(companyId),
          UpdateExpression: 'SET sinceMs = :at',
          ExpressionAttributeValues: { ':at': second++ },
        }),
      );
    const overtaken = [1, 2, 3, 4, 5].reduce((store, nth) => overtakenBy(store, rename, nth), world.store);
    await expect(accept(1, 3, overtaken)).rejects.toThrow('5 attempts');
    expect(await accept(1)).toEqual(applied);
  });
});

describe('a row from before these times', () => {
  /** Takes away what such a row does not have. */
  const age = (companyId: string) =>
    world.store.send(
      new UpdateCommand({
        TableName: world.store.tableName('Contracts'),
        Key: contractKey(companyId),
        UpdateExpression: 'REMOVE consentChangedAtMs, consentedSinceMs',
      }),
    );

  test('is older than any event', async () => {
    const { companyId, withdraw, find } = await companyWithEvents({});
    await age(companyId);
    expect(await withdraw(-1000)).toEqual(applied);
    expect(await find()).toMatchObject(withdrawnAt(-1000));
  });

  test('whose consent is withdrawn at the same moment is not as it was seen', async () => {
    const { companyId, accept, withdraw, find } = await companyWithEvents(noConsent);
    await age(companyId);
    expect(
      await accept(
        1,
        3,
        overtakenBy(world.store, () => withdraw(2)),
      ),
    ).toEqual(stale);
    expect(await find()).toMatchObject(withdrawnAt(2));
  });
});
