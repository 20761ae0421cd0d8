import { describe, expect, test } from 'vitest';
import { maxValidDays } from '../../../lambdas/api/limits.ts';
import { byIds } from '../../../lambdas/domain/by-id.ts';
import {
  dropReasonOf,
  newestOf,
  permittedSince,
  type Requester,
  validUntilFault,
} from '../../../lambdas/domain/open-change.ts';
import { consentedContract } from '../../support/feed.ts';

describe('the newest request for the properties of an item', () => {
  const of = (version: number) => ({ version, requestId: `r${version}` }) as Requester;

  test.each([
    [[3], 'r3'],
    [[2, 3], 'r3'],
    [[3, 2], 'r3'],
    [[1, 4, 2], 'r4'],
  ])('of the versions %j is %s', (versions, expected) => {
    const requesters = Object.fromEntries(versions.map((version) => [`property${version}`, of(version)]));
    expect(newestOf(requesters).requestId).toBe(expected);
  });
});

describe('a company has been permitted to act on a gateway since', () => {
  const since = (contract: object, receivedAtMs?: number) => {
    const gateways = byIds(receivedAtMs === undefined ? [] : [['gw-1', { grantedAtMs: 0, receivedAtMs }]]);
    return permittedSince({ ...consentedContract, sinceMs: 0, consentedSinceMs: null, gateways, ...contract }, 'gw-1');
  };

  test.each([
    ['the beginning of the contract', { sinceMs: 3, consentedSinceMs: 2 }, 1, 3],
    ['the consent', { sinceMs: 2, consentedSinceMs: 3 }, 1, 3],
    ['the grant', { sinceMs: 2, consentedSinceMs: 1 }, 3, 3],
    ['never, without any of them', {}, undefined, 0],
  ])('%s, whichever is the newest', (_, contract, receivedAtMs, expected) => {
    expect(since(contract, receivedAtMs)).toBe(expected);
  });
});

test('a change is worth applying until a time after now, and at most so many days ahead', () => {
  const last = 1 + maxValidDays * 86_400_000;
  const isRefused = [1, 2, last, last + 1].map((validUntilMs) => validUntilFault(validUntilMs, 1) !== undefined);
  expect(isRefused).toEqual([true, false, false, true]);
});

test('companies see whether a change expired, was dropped by the operator or lost its permission', () => {
  const because = ['expired', 'dropped-by-operator', 'contract-ended'] as const;
  expect(because.map(dropReasonOf)).toEqual(['expired', 'dropped-by-operator', 'access-ended']);
});
