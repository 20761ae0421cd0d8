import { describe, expect, test } from 'vitest';
import { rangeSince, secondSchema, sinceMsOf, sinceSchema } from '../../operator/cli/times.ts';
import { companyRequests } from '../../operator/commands/company/requests.ts';
import { commands } from '../../operator/commands.ts';
import { restorePoint } from '../../operator/restore/restored-tables.ts';

const nowMs = Date.parse('2026-11-27T00:00:00Z');

const fraction = ['2026-11-26T08:47:10.361592+00:00', '2026-11-26T08:47:10.361Z', '2026-11-26T08:47:10.000Z'] as const;

/** Times as libraries write them, and their values in UTC, in milliseconds and in seconds. */
const times = [
  ['2026-11-26T08:47:34Z', '2026-11-26T08:47:34.000Z', '2026-11-26T08:47:34.000Z'],
  ['2026-11-26T08:47Z', '2026-11-26T08:47:00.000Z', '2026-11-26T08:47:00.000Z'],
  ['2026-11-26T10:47+02:00', '2026-11-26T08:47:00.000Z', '2026-11-26T08:47:00.000Z'],
  ['2026-11-26T08:47:34.5Z', '2026-11-26T08:47:34.500Z', '2026-11-26T08:47:34.000Z'],
  ['2026-11-26T08:47:34.12Z', '2026-11-26T08:47:34.120Z', '2026-11-26T08:47:34.000Z'],
  ['2026-11-26T08:47:34.788Z', '2026-11-26T08:47:34.788Z', '2026-11-26T08:47:34.000Z'],
  ['2026-11-26T08:47:34.788456Z', '2026-11-26T08:47:34.788Z', '2026-11-26T08:47:34.000Z'],
  ['2026-11-26T08:47:34.999999999Z', '2026-11-26T08:47:34.999Z', '2026-11-26T08:47:34.000Z'],
  fraction,
  ['2026-11-26T09:47:34+01:00', '2026-11-26T08:47:34.000Z', '2026-11-26T08:47:34.000Z'],
  ['2026-11-26T02:17:34.5-06:30', '2026-11-26T08:47:34.500Z', '2026-11-26T08:47:34.000Z'],
] as const;

const refused = [
  ...['2026-11-26T08:47:34', '2026-11-26T08:47', '2026-11-26 08:47:34Z', '2026-11-26T08:47:34+0100'],
  ...['2026-11-26T08:47:34.Z', '2026-11-26T08Z', '2026-11-26T25:00:00Z', '2026-02-30T12:00:00Z'],
  ...['yesterday', '1763973600', '2026-11', '', ' '],
];

describe('--since', () => {
  test.each(times)('reads %s as %s', (text, expected) => {
    expect(new Date(sinceMsOf(sinceSchema.parse(text), nowMs)).toISOString()).toBe(expected);
  });

  test.each([
    ['30m', '2026-11-26T23:30:00.000Z'],
    ['3h', '2026-11-26T21:00:00.000Z'],
    ['7d', '2026-11-20T00:00:00.000Z'],
    ['2026-11-26', '2026-11-26T00:00:00.000Z'],
  ])('reads the age or the date %s as %s', (text, expected) => {
    expect(new Date(sinceMsOf(sinceSchema.parse(text), nowMs)).toISOString()).toBe(expected);
  });

  test.each([...refused, '2026-02-30', '3', '3w', '99999d'])('refuses "%s"', (text) => {
    const { error } = sinceSchema.safeParse(text);
    expect(error?.issues.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^is not a time; write an age/),
    ]);
  });

  test('refuses a time in the future', () => {
    expect(() => rangeSince('2026-11-27T00:00:00.001Z', nowMs)).toThrow('which is in the future');
    expect(rangeSince('2026-11-27T00:00:00Z', nowMs)).toEqual({ fromMs: nowMs, toMs: nowMs });
  });

  test('has a default', () => {
    expect(companyRequests.options.since?.schema.parse(undefined)).toBe('1h');
  });
});

describe('the second of a restore', () => {
  test.each(times)('reads %s, which is %s, as %s', (text, _, expected) => {
    expect(new Date(secondSchema.parse(text)).toISOString()).toBe(expected);
  });

  test.each([...refused, '2026-11-26', '3h'])('refuses "%s"', (text) => {
    const { error } = secondSchema.safeParse(text);
    expect(error?.issues.map(({ message }) => message)).toEqual([expect.stringContaining('is not an RFC 3339 time')]);
  });
});

test('every option that takes a time uses one of these two schemas', () => {
  const schemas = commands.flatMap(({ options }) =>
    Object.values(options)
      .filter(({ placeholder }) => placeholder === 'time')
      .map(({ schema }) => schema),
  );
  expect(schemas.length).toBeGreaterThanOrEqual(6);
  for (const schema of schemas) {
    const [text, toMillisecond, toSecond] = fraction;
    const read = schema.parse(text);
    expect([Date.parse(toSecond), toMillisecond]).toContain(read);
  }
  expect(restorePoint.schema).toBe(secondSchema);
});
