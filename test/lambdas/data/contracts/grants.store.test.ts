import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { grantKey } from '../../../../lambdas/data/contracts/contracts.ts';
import { applyGrant } from '../../../../lambdas/data/contracts/grants.ts';
import { readAudit } from '../../../support/audit.ts';
import { readGrantRows } from '../../../support/grants.ts';
import { operatorActOn } from '../../../support/operator-act.ts';
import { onboard, openWorld, startMs } from '../../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** A company, and what events at seconds after the begin do to one gateway of it. */
const companyWithEvents = async () => {
  const { companyId, contract } = await onboard(world.store);
  const { userId } = contract;
  const gatewayId = `gw-${randomUUID()}`;
  const event = (isGranted: boolean, second: number, of: string = userId) =>
    applyGrant(world.store, operatorActOn(companyId, startMs + second * 1000), { gatewayId, isGranted, userId: of });
  const rows = () => readGrantRows(world.store, companyId, gatewayId);
  const audit = async () => (await readAudit(world.store, companyId)).filter((row) => row.gatewayId === gatewayId);
  return { companyId, gatewayId, event, rows, audit };
};

const granted = (second: number) => {
  const atMs = startMs + second * 1000;
  return { grantedAtMs: atMs, reverseAtMs: atMs, changedAtMs: atMs };
};
const revoked = (second: number) => ({ changedAtMs: startMs + second * 1000 });

const applied = { outcome: 'applied' };
const stale = { outcome: 'stale' };

describe('of the events of a gateway the last by time stands, whichever comes last', () => {
  test.each<[string, (readonly [boolean, number])[], object, number]>([
    ['added', [[true, 1]], granted(1), 1],
    [
      'added, removed',
      [
        [true, 1],
        [false, 2],
      ],
      revoked(2),
      2,
    ],
    [
      'removed, and added late',
      [
        [false, 2],
        [true, 1],
      ],
      revoked(2),
      1,
    ],
    [
      'added, and removed late',
      [
        [true, 2],
        [false, 1],
      ],
      granted(2),
      1,
    ],
    [
      'added anew',
      [
        [true, 1],
        [false, 2],
        [true, 3],
      ],
      granted(3),
      3,
    ],
    [
      'added twice',
      [
        [true, 1],
        [true, 2],
      ],
      granted(2),
      2,
    ],
    [
      'the same event twice',
      [
        [true, 1],
        [true, 1],
      ],
      granted(1),
      1,
    ],
    [
      'added and removed at the same time',
      [
        [true, 1],
        [false, 1],
      ],
      granted(1),
      1,
    ],
  ])('%s', async (_, events, expected, records) => {
    const { event, rows, audit } = await companyWithEvents();
    for (const [isGranted, second] of events) await event(isGranted, second);
    expect(await rows()).toEqual({ grantedAtMs: undefined, reverseAtMs: undefined, ...expected });
    expect((await audit()).length).toBe(records);
  });

  test('an event says what became of it, and is on record once, as what it made so', async () => {
    const { event, audit } = await companyWithEvents();
    expect(await event(true, 2)).toEqual(applied);
    expect(await event(true, 2)).toEqual(stale);
    expect(await event(false, 1)).toEqual(stale);
    expect(await audit()).toEqual([expect.objectContaining({ after: { isGranted: true } })]);
  });
});

test('a grant from before guard rows counts as older than any event', async () => {
  const { companyId, gatewayId, event, rows } = await companyWithEvents();
  const Item = { ...grantKey(companyId, gatewayId), grantedAtMs: startMs };
  await world.store.send(new PutCommand({ TableName: world.store.tableName('Contracts'), Item }));
  expect(await event(false, -1000)).toEqual(applied);
  expect((await rows()).grantedAtMs).toBeUndefined();
});

describe('an event is refused, and nothing is written,', () => {
  test('for another user than that of the contract, however new', async () => {
    const { event, rows, audit } = await companyWithEvents();
    expect(await event(true, 1, 'somebody')).toEqual({ outcome: 'foreign-user' });
    expect([Object.values(await rows()).filter(Boolean), await audit()]).toEqual([[], []]);
  });

  test('for a company without a contract', async () => {
    const companyId = `nobody${randomUUID().slice(0, 8)}`;
    const change = { gatewayId: 'gw-1', isGranted: true, userId: 'somebody' };
    expect(await applyGrant(world.store, operatorActOn(companyId), change)).toEqual({ outcome: 'contract-not-found' });
    expect(Object.values(await readGrantRows(world.store, companyId, 'gw-1')).filter(Boolean)).toEqual([]);
  });
});

test('gateways of one company, and companies of one gateway, have nothing to do with each other', async () => {
  const [one, other] = [await companyWithEvents(), await companyWithEvents()];
  const { userId } = (await onboard(world.store)).contract;
  await one.event(true, 5);
  const act = (companyId: string) => operatorActOn(companyId, startMs);
  const change = { gatewayId: one.gatewayId, isGranted: true };
  expect(await applyGrant(world.store, act(other.companyId), { ...change, userId })).toEqual({
    outcome: 'foreign-user',
  });
  const own = { ...change, userId: `owner-of-${other.companyId}` };
  expect(await applyGrant(world.store, act(other.companyId), own)).toEqual(applied);
  const another = { gatewayId: 'gw-2', isGranted: true, userId: `owner-of-${one.companyId}` };
  expect(await applyGrant(world.store, act(one.companyId), another)).toEqual(applied);
});
