import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { contractKey, putContract } from '../../../lambdas/data/contracts/contracts.ts';
import { noConsent } from '../../../lambdas/domain/consent.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { call } from '../../support/call.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

test('rule 12: getContract shows the user id to act for and the state of consent', async () => {
  const { companyId, contract, key } = await onboard(world.store);
  const { body } = await call('getContract', { apiKey: key.apiKey });
  expect(body).toEqual({
    companyId,
    userId: contract.userId,
    state: 'active',
    since: toTimestamp(startMs),
    consent: {
      requiredVersion: 3,
      acceptedVersion: 3,
      acceptedAt: toTimestamp(startMs),
      upToDate: true,
      portalUrl: 'https://portal.example.com/consent',
    },
  });
});

test.each([
  [null, null, false],
  [2, startMs, false],
  [3, startMs, true],
  [4, startMs, true],
])(
  'a consent to version %s is up to date with version 3: %s %s',
  async (acceptedConsentVersion, acceptedAtMs, upToDate) => {
    const { key } = await onboard(world.store, { acceptedConsentVersion, acceptedAtMs });
    const { body } = await call('getContract', { apiKey: key.apiKey });
    expect(body.consent).toMatchObject({
      acceptedVersion: acceptedConsentVersion,
      acceptedAt: acceptedAtMs === null ? null : toTimestamp(acceptedAtMs),
      upToDate,
    });
  },
);

describe('a company with several owners', () => {
  /** Adds this many owners to the first one; every second of them has consented to nothing. */
  const withOwners = async (count: number) => {
    const { companyId, contract, key } = await onboard(world.store);
    const others = Array.from({ length: count }, (_, index) => ({
      ...contract,
      userId: `owner-${index}`,
      gateways: { [`gw-${index}`]: { grantedAtMs: startMs, receivedAtMs: startMs } },
      ...(index % 2 === 1 && noConsent),
    }));
    await Promise.all(others.map((other) => putContract(world.store, other)));
    const ask = (operation: 'getContract' | 'listContracts', options: object = {}) => {
      nowMs += 10_000;
      return call(operation, { apiKey: key.apiKey, nowMs, ...options });
    };
    return { companyId, contract, others, ask };
  };
  let nowMs = startMs;

  test('rule 12: sees the user id of the owner that it names', async () => {
    const { ask, contract } = await withOwners(1);
    for (const userId of [contract.userId, 'owner-0'])
      expect((await ask('getContract', { headers: { 'x-user-id': [userId] } })).body.userId).toBe(userId);
  });

  test('that names no owner is referred to the list of contracts', async () => {
    const { ask } = await withOwners(1);
    expect((await ask('getContract')).body.detail).toContain('GET /contracts');
  });

  test('lists each owner once, with consent and the number of gateways', async () => {
    const { ask, contract, others } = await withOwners(5);
    const { body } = await ask('listContracts');
    const userIds = [contract, ...others].map(({ userId }) => userId).toSorted();
    expect(body.items.map(({ userId }: { userId: string }) => userId)).toEqual(userIds);
    expect(body.items[0]).toEqual({
      ...(await ask('getContract', { headers: { 'x-user-id': ['owner-0'] } })).body,
      gateways: 1,
    });
    const found: string[] = [];
    let cursor: readonly string[] = [];
    do {
      const { body: page } = await ask('listContracts', { query: { limit: ['2'], cursor } });
      found.push(...page.items.map(({ userId }: { userId: string }) => userId));
      cursor = page.nextCursor === null ? [] : [String(page.nextCursor)];
    } while (cursor.length > 0);
    expect(found).toEqual(userIds);
  });

  test('can list only the contracts whose owner must be asked for consent', async () => {
    const { ask } = await withOwners(4);
    const { body } = await ask('listContracts', { query: { consent: ['outdated'] } });
    expect(body.items.map(({ userId }: { userId: string }) => userId)).toEqual(['owner-1', 'owner-3']);
  });
});

test('a company without a contract gets an empty list', async () => {
  const { companyId, contract, key } = await onboard(world.store);
  await world.store.send(
    new DeleteCommand({ TableName: world.store.tableName('Contracts'), Key: contractKey({ ...contract, companyId }) }),
  );
  expect((await call('listContracts', { apiKey: key.apiKey })).body).toEqual({ items: [], nextCursor: null });
});
