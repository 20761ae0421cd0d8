import { describe, expect, test } from 'vitest';
import { keptKeyCounts, keptLimitedPaths } from '../../../lambdas/api/limits.ts';
import {
  createTally,
  dayOf,
  endMsOf,
  hourOf,
  hoursBetween,
  isHour,
  packUsage,
  startMsOf,
  sumOfCounts,
  topCounts,
  unpackUsage,
  usageByDay,
} from '../../../lambdas/domain/usage.ts';

const at = (time: string) => Date.parse(`2026-11-${time}Z`);

test('an hour is the prefix of its timestamps', () => {
  const hour = hourOf(at('25T09:59:59.999'));
  expect(hour).toBe('2026-11-25T09');
  expect([startMsOf(hour), endMsOf(hour)]).toEqual([at('25T09:00:00'), at('25T10:00:00')]);
  expect([dayOf(hour), isHour(hour), isHour('2026-11-25')]).toEqual(['2026-11-25', true, false]);
});

test('hours between two times end after the first and begin before the second', () => {
  const between = (one: string, other: string) => hoursBetween(at(one), at(other));
  expect(between('25T09:00:00', '25T11:00:00')).toEqual(['2026-11-25T09', '2026-11-25T10']);
  expect(between('25T09:59:59.999', '25T10:00:00.001')).toEqual(['2026-11-25T09', '2026-11-25T10']);
  expect(between('25T10:00:00', '25T10:00:00')).toEqual([]);
});

describe('a tally', () => {
  const row = (companyId: string | undefined, operation: string, rest: object) => ({
    ...(companyId !== undefined && { companyId }),
    operation,
    requests: '1',
    ...rest,
  });
  const limited = { decision: 'limited', reason: 'rate-limit-exceeded', ratePolicy: 'general' };

  test('counts the outcomes of requests: limited ones by policy, others by code', () => {
    const tally = createTally();
    for (const each of [
      row('acme', 'getContract', { decision: 'allowed', requests: '7', keyId: 'one' }),
      row('acme', 'getContract', { decision: 'allowed', requests: '2', keyId: 'two' }),
      row('acme', 'getContract', limited),
      row('acme', 'getContract', { ...limited, keyId: 'one' }),
      row('acme', 'getGateway', {
        decision: 'refused',
        reason: 'consent-outdated',
        ratePolicy: 'gateway',
        keyId: 'one',
      }),
      row('globex', 'getContract', { decision: 'allowed', requests: '3' }),
      row(undefined, 'getContract', { decision: 'refused', reason: 'api-key-missing' }),
    ])
      tally.addOutcome(each);
    tally.addLimitedPath(row('acme', 'getContract', { ratePolicy: 'general', path: '/contract', requests: '2' }));
    tally.addLimitedPath(row(undefined, 'getContract', { ratePolicy: 'general', path: '/contract' }));
    expect(tally.companyIds()).toEqual(['acme', 'globex']);
    expect(Object.fromEntries(tally.usages())).toEqual({
      acme: {
        counts: {
          'getContract allowed': 9,
          'getContract limited general': 2,
          'getGateway refused consent-outdated': 1,
        },
        limitedPaths: { 'getContract general /contract': 2 },
        keys: { 'one allowed': 7, 'two allowed': 2, 'one limited': 1, 'one refused': 1 },
      },
      globex: { counts: { 'getContract allowed': 3 }, limitedPaths: {}, keys: {} },
    });
  });

  test('keeps the paths and keys with the highest counts', () => {
    const upTo = (most: number) => Array.from({ length: most + 1 }, (_, index) => index + 1);
    const tally = createTally();
    for (const requests of upTo(keptLimitedPaths))
      tally.addLimitedPath(row('acme', 'getGateway', { path: `/hvacs/${requests}`, requests: `${requests}` }));
    for (const requests of upTo(keptKeyCounts))
      tally.addOutcome(
        row('acme', 'getGateway', { decision: 'allowed', keyId: `key-${requests}`, requests: `${requests}` }),
      );
    const [[, { limitedPaths, keys = {} }] = ['', { limitedPaths: {} }]] = tally.usages();
    const ofCounts = (counts: object) => Object.values(counts).sort((one, other) => one - other);
    expect(ofCounts(limitedPaths)).toEqual(upTo(keptLimitedPaths).slice(1));
    expect(ofCounts(keys)).toEqual(upTo(keptKeyCounts).slice(1));
  });
});

test('a day is the sum of its hours', () => {
  const usage = (allowed: number) => ({ counts: { a: allowed }, limitedPaths: { b: allowed }, keys: { c: allowed } });
  const byDay = usageByDay(
    new Map([
      ['2026-11-24T23', usage(1)],
      ['2026-11-25T00', usage(2)],
      ['2026-11-25T01', usage(3)],
    ]),
  );
  expect([...byDay]).toMatchObject([
    ['2026-11-24', { counts: { a: 1 }, limitedPaths: { b: 1 } }],
    ['2026-11-25', { counts: { a: 5 }, limitedPaths: { b: 5 } }],
  ]);
});

test('usage is the same after it was packed and unpacked', () => {
  const usage = {
    counts: { 'getContract allowed': 3 },
    limitedPaths: { 'getContract general /contract': 2 },
    keys: {},
  };
  expect(unpackUsage(packUsage(usage))).toEqual(usage);
});

test('counts are added name by name', () => {
  expect(sumOfCounts([{ a: 1, b: 2 }, {}, { b: 3, c: 4 }])).toEqual({ a: 1, b: 5, c: 4 });
  expect(sumOfCounts([])).toEqual({});
});

test('the highest counts come first, and equal ones by name', () => {
  expect(Object.entries(topCounts({ d: 1, b: 2, c: 5, a: 2 }, 3))).toEqual([
    ['c', 5],
    ['a', 2],
    ['b', 2],
  ]);
});
