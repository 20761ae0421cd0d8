import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holidayBody } from '../../../lambdas/answers/appliances.ts';
import type { HolidayPeriod } from '../../../lambdas/api/schemas/holiday.ts';
import { holidayItemKey, toHoliday } from '../../../lambdas/data/appliances/appliances.ts';
import { holidaySince } from '../../../lambdas/domain/holiday.ts';
import { applianceEvents } from '../../../lambdas/feed/appliance-events.ts';

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const grantedAtMs = Date.parse('2026-12-20T12:00:00Z');

const period = (day: number): HolidayPeriod => ({
  from: `2026-12-${day}T12:00:00Z`,
  to: '2027-01-02T16:00:00Z',
  roomSetpointCelsius: 16,
});
const holiday = period(24);

describe('a holiday is', () => {
  const reportAt = (reportedAfterMs: number, receivedAfterMs = reportedAfterMs) => ({
    reported: { holiday },
    reportedAtMs: grantedAtMs + reportedAfterMs,
    receivedAtMs: grantedAtMs + receivedAfterMs,
    version: 7,
  });
  const none = { reported: { holiday: null }, reportedAtMs: grantedAtMs };

  test.each<[string, ReturnType<typeof reportAt>, boolean]>([
    ['hidden if it was reported long before the grant', reportAt(-dayMs), false],
    ['hidden if it was received just before the grant', reportAt(-1), false],
    ['hidden if it was received just before, by a clock that is ahead', reportAt(minuteMs, -1), false],
    [
      'hidden if it was received after the grant, and reported more than a minute before',
      reportAt(-minuteMs - 1, 1),
      false,
    ],
    ['shown if it was received at the grant', reportAt(0), true],
    ['shown if it was received at the grant, by a clock that is a minute behind', reportAt(-minuteMs, 0), true],
    ['shown if it was reported later', reportAt(dayMs), true],
  ])('%s', (_, item, isShown) => {
    expect(holidaySince(item, grantedAtMs)).toEqual(isShown ? item : { ...item, ...none });
  });
});

type Item = ReturnType<typeof storedItem>;
const key = holidayItemKey('gw-1');

const storedItem = (atMs: number) => ({
  ...key,
  reported: { holiday: null as HolidayPeriod | null },
  reportedAtMs: atMs,
  receivedAtMs: atMs,
  version: 1,
  desired: undefined as { holiday: HolidayPeriod | null } | undefined,
  desiredAtMs: undefined as number | undefined,
});

/** What happens to the item of a holiday: a report of an appliance, a request, or its drop. */
type Step = {
  readonly kind: 'reports' | 'confirms' | 'asks' | 'drops';
  readonly afterMs: number;
  readonly holiday: HolidayPeriod | null;
  /** How much the appliance's clock is ahead. */
  readonly aheadMs: number;
};

/** Returns the item after a step, as the modules of the store leave it. */
const afterStep = (item: Item, { kind, holiday, aheadMs }: Step, nowMs: number): Item => {
  const open = { desired: undefined, desiredAtMs: undefined };
  if (kind === 'asks') return { ...item, desired: { holiday }, desiredAtMs: nowMs, version: item.version + 1 };
  if (kind === 'drops') return item.desired ? { ...item, ...open, version: item.version + 1 } : item;
  const reportedAtMs = nowMs + aheadMs;
  if (reportedAtMs <= item.reportedAtMs) return item;
  const taken = { ...item, reportedAtMs, receivedAtMs: nowMs };
  return kind === 'confirms' && item.desired
    ? { ...taken, ...open, reported: item.desired }
    : { ...taken, reported: { holiday } };
};

const present = (item: Item) => Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));

const step = fc.record({
  kind: fc.constantFrom('reports', 'confirms', 'asks', 'drops'),
  afterMs: fc.integer({ min: 1, max: 2 * minuteMs }),
  holiday: fc.constantFrom(null, holiday, period(25)),
  aheadMs: fc.integer({ min: -minuteMs, max: minuteMs }),
}) as fc.Arbitrary<Step>;

/** Returns the steps with their times, of which the first is after `fromMs`. */
const timed = (steps: readonly Step[], fromMs: number) =>
  steps.map((each, index) => ({
    each,
    nowMs: fromMs + steps.slice(0, index + 1).reduce((sum, { afterMs }) => sum + afterMs, 0),
  }));

describe('whatever happens before and after a grant', () => {
  const played = fc.tuple(fc.array(step, { maxLength: 5 }), fc.array(step, { maxLength: 8 }));
  const longBeforeMs = grantedAtMs - 20 * minuteMs;

  /** Returns the item at the grant. */
  const itemAfter = (before: readonly Step[]): Item =>
    timed(before, longBeforeMs).reduce((item, { each, nowMs }) => afterStep(item, each, nowMs), storedItem(0));

  const bodyOf = (item: Item): object => {
    const { reportedAt: _, ...body } = holidayBody(holidaySince(toHoliday(present(item)), grantedAtMs));
    return body;
  };

  test('no company reads a holiday that was last reported before, and each reads what was reported or asked since', () => {
    fc.assert(
      fc.property(played, ([before, after]) => {
        // A request from before the grant is dropped with the permission that it rested on.
        const drop = { kind: 'drops', afterMs: 0, holiday: null, aheadMs: 0 } as const;
        let item = itemAfter([...before, drop]);
        let expected: HolidayPeriod | null = null;
        for (const { each, nowMs } of timed(after, grantedAtMs)) {
          const next = afterStep(item, each, nowMs);
          if (next.receivedAtMs !== item.receivedAtMs) expected = next.reported.holiday;
          item = next;
        }
        expect(bodyOf(item)).toMatchObject({ holiday: item.desired ? item.desired.holiday : expected });
      }),
      { numRuns: 1000 },
    );
  });

  test('a company that reads the state at the grant and then the feed knows what GET shows', () => {
    fc.assert(
      fc.property(played, ([before, after]) => {
        let item = itemAfter(before);
        let known = bodyOf(item);
        for (const { each, nowMs } of timed(after, grantedAtMs)) {
          const next = afterStep(item, each, nowMs);
          const change = { recordId: 'r', atMs: nowMs, keys: key, before: present(item), after: present(next) };
          for (const { dataSince } of next === item ? [] : applianceEvents(change)) {
            const { reportedAt: _, ...data } = { reportedAt: '', ...(dataSince?.(grantedAtMs) ?? known) };
            known = data;
          }
          item = next;
        }
        expect(known).toEqual(bodyOf(item));
      }),
      { numRuns: 1000 },
    );
  });
});

test('a holiday that is reported again is an event for those who could not see it, and for nobody else', () => {
  const seen = { ...storedItem(grantedAtMs - dayMs), reported: { holiday } };
  const again = { ...seen, reportedAtMs: grantedAtMs + 5, receivedAtMs: grantedAtMs + 5 };
  const change = { recordId: 'r', atMs: grantedAtMs + 5, keys: key, before: present(seen), after: present(again) };
  const [draft, ...others] = applianceEvents(change);
  expect(others).toEqual([]);
  const dataSince = (atMs: number) => draft?.dataSince?.(atMs);
  expect([0, seen.receivedAtMs].map(dataSince)).toEqual([undefined, undefined]);
  expect([seen.receivedAtMs + 1, grantedAtMs].map(dataSince)).toMatchObject([{ holiday }, { holiday }]);
  // The appliance reports none again.
  const none = { reported: { holiday: null } };
  expect(
    applianceEvents({ ...change, before: { ...present(seen), ...none }, after: { ...present(again), ...none } }),
  ).toEqual([]);
});
