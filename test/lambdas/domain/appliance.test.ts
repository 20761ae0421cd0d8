import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  entityTagOf,
  isFulfilledBy,
  isMadeSince,
  isMatch,
  isOver,
  latestRequestMs,
  mayConfirmByValues,
  parseIfMatch,
  type Shadow,
  type SwitchPoint,
  switchPointFaults,
} from '../../../lambdas/domain/appliance.ts';
import { campaign, playRounds } from '../../support/campaign.ts';

type SwitchPointLimits = Parameters<typeof switchPointFaults>[1];

describe('a report fulfils what is desired', () => {
  const point = { dayOfWeek: 'monday', time: '06:00', setpoint: 'eco' } as const;
  const desired = { name: 'Week', switchPoints: [point] };

  test.each([
    [desired, desired, true],
    [desired, { ...desired, name: 'We\u200bek ' }, true],
    [desired, { ...desired, name: 'Day' }, false],
    [desired, { ...desired, name: '' }, true],
    [desired, { switchPoints: [point] }, true],
    [desired, { name: 'Week' }, false],
    [desired, { ...desired, switchPoints: [] }, false],
    [{ roomSetpointCelsius: 21.500000000000004 }, { roomSetpointCelsius: 21.5 }, true],
    [{ operationMode: 'off' }, { operationMode: 'Off\u200b' }, false],
    [{}, {}, true],
    [undefined, {}, false],
  ])('%j by %j: %s', (wanted, reported, expected) => {
    const shadow = { reported: {}, reportedAtMs: 0, receivedAtMs: 0, version: 1, ...(wanted && { desired: wanted }) };
    expect(isFulfilledBy(shadow as Shadow, reported, 1)).toBe(expected);
  });

  test.each([
    [false, 0, true],
    [true, 59_999, false],
    [true, 60_000, true],
  ])('without a name, if the gateway answers with versions: %s, and %i ms have passed: %s', (answers, ms, expected) => {
    const seen = { desired, desiredAtMs: 100_000, ...(answers && { answersWithVersions: true }) };
    expect(isFulfilledBy(seen as unknown as Shadow, { switchPoints: [point] }, 100_000 + ms)).toBe(expected);
  });

  test('only if it was made after the request, by the sender’s clock, which may be a minute behind', () => {
    const desiredAtMs = 100_000;
    expect(latestRequestMs({ atMs: 40_000 })).toBe(100_000);
    expect(isMadeSince({ desiredAtMs }, { atMs: 40_000 })).toBe(true);
    expect(isMadeSince({ desiredAtMs }, { atMs: 39_999 })).toBe(false);
    // Without the time of a request, 1970 is taken.
    expect([-60_000, -60_001].map((atMs) => isMadeSince({}, { atMs }))).toEqual([true, false]);
  });
});

describe('a report without a version may confirm what was requested', () => {
  const atMs = 100_000;
  const [alone, afterAnother] = [
    { openSince: new Date(atMs).toISOString() },
    { openSince: '1970-01-01T00:01:39.999Z' },
  ];
  const versions = { answersWithVersions: true };

  test.each([
    ['alone', alone, -60_000],
    ['alone, of a gateway that answers with versions', { ...alone, ...versions }, -60_000],
    ['while another change was open', afterAnother, 0],
    [
      'while another change was open, of a gateway that answers with versions',
      { ...afterAnother, ...versions },
      60_000,
    ],
  ])('%s: %j from %i ms after the request on', (_, item, afterMs) => {
    for (const [ms, may] of [
      [afterMs - 1, false],
      [afterMs, true],
    ] as const)
      expect(mayConfirmByValues({ desiredAtMs: atMs, ...item }, { atMs: atMs + ms })).toBe(may);
  });
});

test('of a change whose time is not known, a report confirms as if it was requested in 1970', () => {
  expect([-60_000, -60_001].map((atMs) => mayConfirmByValues({}, { atMs }))).toEqual([true, false]);
});

describe('a desired setting is over', () => {
  const atMs = Date.parse('2026-12-24T12:00:00Z');
  const [past, future] = ['2026-12-24T12:00:00Z', '2026-12-24T12:00:01Z'];
  const override = (until: string) => ({ roomSetpointCelsius: 23, since: '2026-12-24T10:00:00Z', until });
  const holiday = (to: string) => ({ roomSetpointCelsius: 16, from: '2026-12-20T10:00:00Z', to });

  test.each([
    ['override', override(past), true],
    ['override', override(future), false],
    ['override', null, false],
    ['holiday', holiday(past), true],
    ['holiday', holiday(future), false],
    ['holiday', null, false],
    ['another', override(past), false],
    ['another', holiday(past), false],
    ['roomSetpointCelsius', 21, false],
  ])('%s %j: %s', (name, desired, expected) => {
    expect(isOver(name, desired, atMs)).toBe(expected);
  });
});

describe('switch points', () => {
  const days = ['monday', 'tuesday', 'sunday'];
  const rastersMinutes = [1, 5, 7, 10, 15, 30, 60, 90];

  /** Most times are near the raster, and few are distinct, so that every rule is kept and broken often. */
  const minuteOfDay = fc.oneof(
    fc.integer({ min: 0, max: 23 }).map((hour) => hour * 60),
    fc.constantFrom(0, 5, 10, 15, 30, 45, 90, 359, 360, 361, 390, 1425, 1430, 1439),
    fc.integer({ min: 0, max: 1439 }),
  );

  const limits: fc.Arbitrary<SwitchPointLimits> = fc.record({
    maxSwitchPoints: fc.integer({ min: 0, max: 12 }),
    maxSwitchPointsPerDay: fc.integer({ min: 0, max: 5 }),
    switchPointRasterMinutes: fc.constantFrom(...rastersMinutes),
  });

  const points: fc.Arbitrary<SwitchPoint[]> = fc.array(
    fc.record({
      dayOfWeek: fc.constantFrom(...days),
      time: minuteOfDay.map((minute) => timeOf(minute)),
      setpoint: fc.constantFrom('eco', 'comfort', 'off'),
    }),
    { maxLength: 14 },
  );

  const numRuns = 1000;

  test(
    `every fault of a time program is found at its place, and no other, in ${numRuns} random programs`,
    campaign,
    async (context) => {
      const seen = { sound: 0, faulty: 0 };
      const property = fc.property(points, limits, (program, bounds) => {
        const pointers = switchPointFaults(program, bounds).map(({ pointer }) => pointer);
        expect(pointers.toSorted()).toEqual(expectedPointers(program, bounds).toSorted());
        seen[pointers.length === 0 ? 'sound' : 'faulty']++;
      });
      const rounds = await playRounds(context, { test: 1, seconds: 8, full: 200 }, async (seed) =>
        fc.assert(property, { seed, numRuns }),
      );
      expect(Math.min(seen.sound, seen.faulty)).toBeGreaterThan((rounds * numRuns) / 20);
    },
  );

  test('a program that fills all of its limits is valid', () => {
    const bounds = { maxSwitchPoints: 6, maxSwitchPointsPerDay: 2, switchPointRasterMinutes: 10 };
    const full = days.flatMap((dayOfWeek) =>
      ['00:00', '23:50'].map((time) => ({ dayOfWeek, time, setpoint: 'comfort' })),
    );
    expect(switchPointFaults(full, bounds)).toEqual([]);
  });

  test('each rule reports the point that breaks it, and what was expected', () => {
    const bounds = { maxSwitchPoints: 3, maxSwitchPointsPerDay: 2, switchPointRasterMinutes: 15 };
    const program = [
      { dayOfWeek: 'monday', time: '06:00', setpoint: 'comfort' },
      { dayOfWeek: 'monday', time: '06:20', setpoint: 'eco' },
      { dayOfWeek: 'tuesday', time: '06:00', setpoint: 'comfort' },
      { dayOfWeek: 'monday', time: '06:00', setpoint: 'off' },
    ];
    expect(switchPointFaults(program, bounds)).toEqual([
      { pointer: '', detail: 'Expected at most 3 switch points, got 4.' },
      { pointer: '/1/time', detail: 'Expected a multiple of 15 minutes, got 06:20.' },
      { pointer: '/3', detail: 'Expected at most 2 points on monday.' },
      { pointer: '/3', detail: 'Expected one point only on monday at 06:00.' },
    ]);
  });

  /** The same rules again, each by a scan of the whole list. */
  const expectedPointers = (program: readonly SwitchPoint[], bounds: SwitchPointLimits): string[] => {
    const rasterTimes: string[] = [];
    for (let minute = 0; minute < 24 * 60; minute += bounds.switchPointRasterMinutes) rasterTimes.push(timeOf(minute));
    const pointsBefore = (index: number) => program.slice(0, index);
    const pointersWhere = (pointer: (index: number) => string, rule: (point: SwitchPoint, index: number) => boolean) =>
      program.flatMap((point, index) => (rule(point, index) ? [pointer(index)] : []));
    return [
      ...(program.length > bounds.maxSwitchPoints ? [''] : []),
      ...pointersWhere(
        (index) => `/${index}/time`,
        ({ time }) => !rasterTimes.includes(time),
      ),
      // The first point beyond the limit of its day.
      ...pointersWhere(
        (index) => `/${index}`,
        ({ dayOfWeek }, index) =>
          pointsBefore(index).filter((other) => other.dayOfWeek === dayOfWeek).length === bounds.maxSwitchPointsPerDay,
      ),
      ...pointersWhere(
        (index) => `/${index}`,
        ({ dayOfWeek, time }, index) =>
          pointsBefore(index).some((other) => other.dayOfWeek === dayOfWeek && other.time === time),
      ),
    ];
  };

  function timeOf(minute: number): string {
    return [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');
  }
});

describe('entity tag', () => {
  /** Whether version 7 may be changed; undefined if the values are malformed. */
  const allows = (values: string[]) => {
    const ifMatch = parseIfMatch(values);
    return ifMatch && isMatch(ifMatch, 7);
  };

  test.each<[string, string[], boolean | undefined]>([
    ['no If-Match', [], true],
    ['its own tag', ['"7"'], true],
    ['any tag', ['*'], true],
    ['any tag between spaces', [' *\t'], true],
    ['its own tag in a list', ['"5", "7"'], true],
    ['its own tag in a list without spaces', ['"5","7"'], true],
    ['its own tag in a list with tabs and empty elements', [',"5",\t, "7" ,'], true],
    ['its own tag in the second of two headers', ['"5"', '"7"'], true],
    ['its own tag with an empty header', ['', '"7"'], true],
    ['its own tag as a weak one, as nginx sends it', ['W/"7"'], true],
    ['its own tag as a weak one in a list', ['"5", W/"7"'], true],
    ['an older tag', ['"6"'], false],
    ['an older tag as a weak one', ['W/"6"'], false],
    ['a newer tag', ['"8"'], false],
    ['a list of other tags', ['"6", "8"'], false],
    ['a tag that starts like its own', ['"77"'], false],
    ['the tag of no version', ['"0"'], false],
    ['its own version without quotes', ['7'], undefined],
    ['its own version with one quote', ['"7'], undefined],
    ['its own version in single quotes', ["'7'"], undefined],
    ['its own tag with a suffix', ['"7"gzip'], undefined],
    ['its own tag with a suffix inside, as Apache sends it', ['"7-gzip"'], undefined],
    ['its own tag with quotes that are escaped', ['\\"7\\"'], undefined],
    ['its own tag as a weak one in a small letter', ['w/"7"'], undefined],
    ['a weak mark alone', ['W/'], undefined],
    ['a weak mark within the quotes', ['"W/7"'], undefined],
    ['an empty tag', ['""'], undefined],
    ['a tag of words', ['"latest"'], undefined],
    ['its own tag and a number without quotes', ['"7", 8'], undefined],
    ['two tags without a comma', ['"7" "8"'], undefined],
    ['any tag as a weak one', ['W/*'], undefined],
    ['any tag and its own', ['*, "7"'], undefined],
    ['any tag in one header, and its own in another', ['*', '"7"'], undefined],
    ['any tag twice', ['*, *'], undefined],
    ['an empty header', [''], undefined],
    ['a header of commas', [' , ,'], undefined],
    ['what a program sends that has no tag', ['null'], undefined],
  ])('version 7 may be changed with %s: %j → %s', (_, values, expected) => {
    expect(allows(values)).toBe(expected);
  });

  test('the tag in a response is accepted by If-Match', () => {
    expect(entityTagOf(7)).toBe('"7"');
    expect(allows([entityTagOf(7)])).toBe(true);
  });
});
