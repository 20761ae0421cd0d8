import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { noticeDays } from '../../../lambdas/api/limits.ts';
import {
  canRenew,
  dueNotice,
  expirySummary,
  firstLastKey,
  hasNoUsableAddress,
  isLastKey,
  isWatched,
  noticeRemovedAtSeconds,
  toDuration,
  watchedMonths,
} from '../../../lambdas/domain/key-notices.ts';
import { addMonths, toMonth } from '../../../lambdas/domain/time.ts';
import { seed } from '../../support/random.ts';

const dayMs = 86_400_000;
const nowMs = Date.parse('2036-03-10T08:00:00Z');
const inDays = (days: number) => ({ expiresAtMs: nowMs + days * dayMs });

describe('the notice that is due', () => {
  test.each([
    [61, undefined],
    [60 + 1e-8, undefined],
    [60, 60],
    [31, 60],
    [30, 30],
    [14.5, 30],
    [14, 14],
    [7, 7],
    [3.1, 7],
    [3, 3],
    [1.5, 3],
    [1, 1],
    [0.001, 1],
    [1 / dayMs, 1],
    [0, undefined],
    [-1, undefined],
  ])('%d days ahead is %s', (days, due) => {
    expect(dueNotice(inDays(days), nowMs)).toBe(due);
  });

  test('a watch that runs every day from the longest notice on sends each notice once, in order', () => {
    const key = inDays(90);
    const days = Array.from({ length: 95 }, (_, day) => dueNotice(key, nowMs + day * dayMs));
    expect([...new Set(days.filter((due) => due !== undefined))]).toEqual([...noticeDays]);
  });

  test('after a pause of the watch is the most urgent one, not the missed ones', () => {
    const key = inDays(20);
    expect(dueNotice(key, nowMs)).toBe(30);
    expect(dueNotice(key, nowMs + 18 * dayMs)).toBe(3);
  });
});

test('a notice is named by an ISO 8601 duration', () => {
  expect(noticeDays.map(toDuration)).toEqual(['P60D', 'P30D', 'P14D', 'P7D', 'P3D', 'P1D']);
});

test('a notice is kept until the watch no longer includes its key', () => {
  const { expiresAtMs } = inDays(30);
  expect(noticeRemovedAtSeconds(inDays(0))).toBe(expiresAtMs / 1000);
  expect(noticeRemovedAtSeconds({ expiresAtMs: nowMs + 1 })).toBe(expiresAtMs / 1000 + 1);
});

const full = (days: number) => ({ ...inDays(days), access: 'full' as const, allowedCidrs: null });
const reads = (days: number) => ({ ...full(days), access: 'read' as const });
const bound = (days: number, ...allowedCidrs: string[]) => ({ ...full(days), allowedCidrs });

const registered = ['192.0.2.0/24', '2001:db8::/48'];

test.each([
  [null, false],
  [['192.0.2.0/24'], false],
  [['192.0.2.7/32'], false],
  [['2001:db8:0:1::/64'], false],
  [['198.51.100.0/24', '192.0.2.7/32'], false],
  // A part of the block is still registered.
  [['192.0.0.0/16'], false],
  [['198.51.100.0/24'], true],
  [['192.0.3.0/24', '2001:db8:1::/48'], true],
])('a key that is limited to %j is stranded: %j', (allowedCidrs, stranded) => {
  expect(hasNoUsableAddress({ allowedCidrs }, registered)).toBe(stranded);
  expect(canRenew({ access: 'full', allowedCidrs }, registered)).toBe(!stranded);
  expect(canRenew({ access: 'read', allowedCidrs }, registered)).toBe(false);
});

test('without registered blocks, only a key without a limit works', () => {
  expect([
    hasNoUsableAddress({ allowedCidrs: null }, []),
    hasNoUsableAddress({ allowedCidrs: ['192.0.2.0/24'] }, []),
  ]).toEqual([false, true]);
});

test('a key is the last one if no other key that can renew expires later', () => {
  expect(isLastKey(full(7), [full(7)], registered)).toBe(true);
  expect(isLastKey(full(7), [full(7), full(-1), full(7)], registered)).toBe(true);
  expect(isLastKey(full(7), [full(7), full(8)], registered)).toBe(false);
  expect(isLastKey(full(7), [full(7), reads(8)], registered)).toBe(true);
});

test('a key that works from no registered address cannot renew, so another may be the last before it', () => {
  const [stranded, working] = [bound(150, '198.51.100.0/24'), bound(150, '192.0.2.7/32')];
  expect(isLastKey(full(1), [full(1), stranded], registered)).toBe(true);
  expect(isLastKey(full(1), [full(1), working], registered)).toBe(false);
  expect(isLastKey(stranded, [full(1), stranded], registered)).toBe(true);
  expect(isLastKey(bound(1, '198.51.100.0/24'), [full(7)], registered)).toBe(false);
  expect(firstLastKey([full(1), stranded], registered)).toEqual(full(1));
  expect(firstLastKey([full(1), working], registered)).toEqual(working);
});

test('a read key is the last one only if no key at all expires later', () => {
  expect(isLastKey(reads(7), [reads(7), full(6)], registered)).toBe(true);
  for (const other of [full(8), reads(8)]) expect(isLastKey(reads(7), [reads(7), other], registered)).toBe(false);
});

test('after the first of the last keys, only the operator can issue a key', () => {
  expect(firstLastKey([full(7), reads(9), full(3)], registered)).toEqual(full(7));
  expect(firstLastKey([reads(9), reads(3)], registered)).toEqual(reads(9));
  const [one, other] = [full(7), full(7)];
  expect(firstLastKey([one, other], registered)).toBe(one);
  expect(firstLastKey([], registered)).toBeUndefined();
});

test('the watched months include each key that is valid or expired within 30 days; at most nine', () => {
  const times = fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2060-01-01') });
  fc.assert(
    fc.property(times, fc.double({ min: 0, max: 1, noNaN: true }), (atMs, share) => {
      const earliestMs = atMs - 30 * dayMs + 1;
      const expiresAtMs = Math.floor(earliestMs + share * (addMonths(atMs, 6) - earliestMs));
      expect(isWatched({ expiresAtMs }, atMs)).toBe(true);
      expect(watchedMonths(atMs)).toContain(toMonth(expiresAtMs));
      expect(watchedMonths(atMs).length).toBeLessThanOrEqual(9);
    }),
    { seed },
  );
  expect(isWatched(inDays(-30), nowMs)).toBe(false);
});

test('the watched months of a morning in March are February to September', () => {
  expect(watchedMonths(nowMs)).toEqual(
    ['02', '03', '04', '05', '06', '07', '08', '09'].map((month) => `2036-${month}`),
  );
});

describe('the summary', () => {
  const company = (companyId: string, ...daysLeft: number[]) => ({
    keys: daysLeft.map((days) => ({ companyId, ...full(days) })),
    registered,
  });
  const and = (of: ReturnType<typeof company>, key: Parameters<typeof isLastKey>[0]) => ({
    registered,
    keys: [...of.keys, { companyId: 'b', ...key }],
  });

  test('counts the valid keys within the longest notice, of all companies', () => {
    const companies = [company('a', 60, 61), company('b', 1, 0), company('c', -3)];
    expect(expirySummary(companies, nowMs).KeysExpiring).toBe(2);
  });

  test.each([
    ['the one whose last key expires first', [company('a', 2, 50), company('b', 7, 1)], 7],
    ['rounded down to a tenth', [company('b', 6.999)], 6.9],
    ['0 if all of its keys have expired', [company('a', 50), company('b', -3, -20)], 0],
    ['of keys that can renew', [company('a', 50), and(company('b', 3), reads(90))], 3],
    ['of keys that work', [company('a', 50), and(company('b', 3), bound(90, '198.51.100.0/24'))], 3],
  ])('has a company and its remaining days: %s', (_, companies, days) => {
    expect(expirySummary(companies, nowMs)).toMatchObject({ DaysToLastKeyExpiry: days, nearestCompanyId: 'b' });
  });

  test('of no company has no days', () => {
    expect(expirySummary([], nowMs)).toEqual({ KeysExpiring: 0 });
    expect(expirySummary([company('c'), company('a', 90), company('d')], nowMs).nearestCompanyId).toBe('a');
  });
});
