import { describe, expect, test } from 'vitest';
import { keptLimitedPaths, lateLogMinutes } from '../../../lambdas/api/limits.ts';
import {
  added,
  daysToSettle,
  endMsOf,
  highest,
  hoursToCount,
  type LogRow,
  partsOf,
  progressFrom,
  startMsOf,
  usageByCompany,
} from '../../../lambdas/domain/usage.ts';

const at = (time: string) => Date.parse(`2026-11-${time}Z`);

describe('a period', () => {
  test.each([
    ['2026-11-25', '25T00:00:00', '26T00:00:00'],
    ['2026-11-25T09', '25T09:00:00', '25T10:00:00'],
    ['2026-11-25T09:3', '25T09:30:00', '25T09:40:00'],
    ['2026-11-25T09:37', '25T09:37:00', '25T09:38:00'],
    ['2026-11-25T09:37:5', '25T09:37:50', '25T09:38:00'],
    ['2026-11-25T09:37:58', '25T09:37:58', '25T09:37:59'],
  ])('%s is from %s to %s, and its parts are it', (period, start, end) => {
    expect([startMsOf(period), endMsOf(period)]).toEqual([at(start), at(end)]);
    const parts = partsOf(period);
    if (parts.length === 0) return expect(period).toHaveLength(19);
    expect(parts.map(startMsOf)).toEqual([at(start), ...parts.slice(0, -1).map(endMsOf)]);
    expect(endMsOf(parts.at(-1) as string)).toBe(at(end));
  });
});

describe('the days to settle', () => {
  const of = (began: string, settled: string, keptSince: string, now: string) =>
    daysToSettle({ beganMs: at(began), settledMs: at(settled), countedMs: at(settled) }, at(keptSince), at(now));

  test('are those that ended two hours ago', () => {
    expect(of('20T10:00:00', '23T00:00:00', '01T00:00:00', '25T02:00:00')).toEqual(['2026-11-23', '2026-11-24']);
    expect(of('20T10:00:00', '23T00:00:00', '01T00:00:00', '25T01:59:59.999')).toEqual(['2026-11-23']);
  });

  test('begin with that in which the counting began, behind the settled ones, among those of which the log has lines', () => {
    const days = ['2026-11-22', '2026-11-23', '2026-11-24'];
    expect(of('22T15:00:00', '02T00:00:00', '01T00:00:00', '25T12:00:00')).toEqual(days);
    expect(of('02T00:00:00', '22T00:00:00', '01T00:00:00', '25T12:00:00')).toEqual(days);
    expect(of('02T00:00:00', '03T00:00:00', '22T15:00:00', '25T12:00:00')).toEqual(days);
  });
});

describe('the hours to count', () => {
  const lateMs = lateLogMinutes * 60_000;
  const hoursAfter = (progress: Partial<ReturnType<typeof progressFrom>>, now: string) =>
    hoursToCount({ ...progressFrom(0), ...progress }, at(now)).map((hour) => hour.slice('2026-11-'.length));

  test('are those that have begun, and those of which lines may be late', () => {
    expect(hoursAfter({ countedMs: at('25T08:00:00') + lateMs }, '25T10:00:00.001')).toEqual([
      '25T08',
      '25T09',
      '25T10',
    ]);
    expect(hoursAfter({ countedMs: at('25T08:00:00') + lateMs - 1 }, '25T10:00:00')).toEqual([
      '25T07',
      '25T08',
      '25T09',
    ]);
  });

  test('are none from before the counting began, and none of a settled day', () => {
    expect(hoursAfter({ beganMs: at('25T08:30:00') }, '25T10:00:00')).toEqual(['25T08', '25T09']);
    expect(hoursAfter({ settledMs: at('25T00:00:00') }, '25T02:00:00')).toEqual(['25T00', '25T01']);
  });
});

describe('the usage of companies', () => {
  const row = (companyId: string | undefined, operation: string, rest: Partial<LogRow>): LogRow => ({
    ...(companyId !== undefined && { companyId }),
    operation,
    requests: '1',
    ...rest,
  });

  test('counts what became of requests: a limited one by its policy, another by its code', () => {
    const outcomes = [
      row('acme', 'getContract', { decision: 'allowed', requests: '7' }),
      row('acme', 'getContract', { decision: 'limited', reason: 'rate-limit-exceeded', ratePolicy: 'general' }),
      row('acme', 'getContract', { decision: 'limited', reason: 'rate-limit-exceeded', ratePolicy: 'general' }),
      row('acme', 'getGateway', { decision: 'refused', reason: 'consent-outdated', ratePolicy: 'gateway' }),
      row('globex', 'getContract', { decision: 'allowed', requests: '3' }),
      row(undefined, 'getContract', { decision: 'refused', reason: 'api-key-missing' }),
    ];
    const limited = [row('acme', 'getContract', { ratePolicy: 'general', path: '/contract', requests: '2' })];
    expect(Object.fromEntries(usageByCompany(outcomes, limited))).toEqual({
      acme: {
        counts: {
          'getContract allowed': 7,
          'getContract limited general': 2,
          'getGateway refused consent-outdated': 1,
        },
        limitedPaths: { 'getContract general /contract': 2 },
      },
      globex: { counts: { 'getContract allowed': 3 }, limitedPaths: {} },
    });
  });

  test('keeps so many paths, those that were limited most', () => {
    const paths = Array.from({ length: keptLimitedPaths + 1 }, (_, index) => index + 1);
    const limited = paths.map((requests) =>
      row('acme', 'getGateway', { ratePolicy: 'gateway', path: `/hvacs/${requests}`, requests: `${requests}` }),
    );
    const { limitedPaths = {} } =
      usageByCompany([row('acme', 'getGateway', { decision: 'limited' })], limited).get('acme') ?? {};
    expect(Object.values(limitedPaths).sort((one, other) => one - other)).toEqual(paths.slice(1));
  });
});

test('counts are added name by name', () => {
  expect(added([{ a: 1, b: 2 }, {}, { b: 3, c: 4 }])).toEqual({ a: 1, b: 5, c: 4 });
  expect(added([])).toEqual({});
});

test('the highest counts come first, and equal ones by name', () => {
  expect(Object.entries(highest({ d: 1, b: 2, c: 5, a: 2 }, 3))).toEqual([
    ['c', 5],
    ['a', 2],
    ['b', 2],
  ]);
});
