import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { hostNamePattern, maxHostNameCharacters } from '../../../lambdas/api/host-name.ts';
import { maxReportedErrors, maxTextCharacters } from '../../../lambdas/api/limits.ts';
import { condensedStack, framesIn } from '../../../lambdas/api/log-events/stack-frames.ts';
import { invalidRequest } from '../../../lambdas/api/problems.ts';
import { line, openEnum, pointerTo, timestamp, writtenText } from '../../../lambdas/api/schemas/common.ts';

describe('invalid request', () => {
  /** Returns the segments of a pointer, according to RFC 6901. */
  const segmentsOf = (pointer: string) =>
    pointer
      .split('/')
      .slice(1)
      .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));

  test.each([
    [['path', 'keyId'], '/path/keyId'],
    [['body', 'switchPoints', 3, 'time'], '/body/switchPoints/3/time'],
    [['body', 'a/b~c'], '/body/a~1b~0c'],
    [['body', '~1', ''], '/body/~01/'],
    [[], ''],
  ])('the pointer through %j is %j, which leads there', (segments, pointer) => {
    expect(pointerTo(...segments)).toBe(pointer);
    expect(segmentsOf(pointer)).toEqual(segments.map(String));
  });

  test('a refusal lists the first faults, up to the limit', () => {
    const faults = Array.from({ length: maxReportedErrors + 1 }, (_, index) => ({ pointer: `/${index}`, detail: 'x' }));
    expect(invalidRequest(faults).occurrence).toMatchObject({ errors: faults.slice(0, maxReportedErrors) });
  });

  test.each([
    [['/body/a', 'Expected a number.'], [], '/body/a: Expected a number.'],
    [['/body/a', 'Expected a number.'], [['/body/b', 'Expected a day.']], '/body/a: Expected a number. (and 1 more)'],
    [['/body/a', 'x'], Array.from({ length: 400 }, () => ['/body/b', 'y']), '/body/a: x (and 400 more)'],
    [['/body/a\u001b[31m\r\nb\u202e', 'Expected it.'], [], '/body/a [31m b : Expected it.'],
  ])('its detail, one line, ends with the first fault: %j, with more: %j', (first, others, end) => {
    const faults = [first, ...others].map(([pointer = '', detail = '']) => ({ pointer, detail }));
    const detail = `Fix the faults listed in \`errors\` and send the request again: ${end}`;
    expect(invalidRequest(faults).occurrence).toMatchObject({ detail });
  });

  test('a long text of the request is cut, and a long pointer is shortened to an enclosing part', () => {
    const name = 'x'.repeat(maxTextCharacters);
    const faults = [
      { pointer: pointerTo('body', 'a', name), detail: `${name.slice(1)}🔥` },
      { pointer: pointerTo('body', name.slice('/body/'.length)), detail: name },
    ];
    expect(invalidRequest(faults).occurrence).toEqual({
      errors: [
        { pointer: '/body/a', detail: name.slice(1) },
        { pointer: `/body/${name.slice('/body/'.length)}`, detail: name },
      ],
      detail: expect.stringMatching(new RegExp(`^Fix .{${maxTextCharacters - 'Fix '.length}}$`)),
    });
  });

  test('no other file creates this problem', () => {
    const files = readdirSync('lambdas', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const makers = files.filter((name) =>
      readFileSync(`lambdas/${name}`, 'utf8').includes("new Problem('invalid-request'"),
    );
    expect(makers).toEqual(['api/problems.ts']);
  });
});

describe('a time', () => {
  test.each([
    ['2026-11-26T07:50:31Z', '2026-11-26T07:50:31Z'],
    ['2026-11-26T07:50:31.5Z', '2026-11-26T07:50:31.500Z'],
    ['2026-11-26T07:50:31.12Z', '2026-11-26T07:50:31.120Z'],
    ['2026-11-26T07:50:31.000Z', '2026-11-26T07:50:31Z'],
    ['2026-11-26T07:50:31.788456Z', '2026-11-26T07:50:31.788Z'],
    ['2026-11-26T07:50:31.1239999Z', '2026-11-26T07:50:31.123Z'],
    ['2026-11-26T07:50:31.638485937Z', '2026-11-26T07:50:31.638Z'],
    ['2026-11-26T08:47:10.361592+00:00', '2026-11-26T08:47:10.361Z'],
    ['2026-11-26T08:47:10-00:00', '2026-11-26T08:47:10Z'],
    ['2026-11-26T08:47:10+01:00', '2026-11-26T07:47:10Z'],
    ['2026-12-31T20:00:00-05:30', '2027-01-01T01:30:00Z'],
    ['2024-02-29T23:59:59.999999999+14:00', '2024-02-29T09:59:59.999Z'],
  ])('%s of a library is read as %s', (written, read) => {
    expect(z.parse(timestamp(), written)).toBe(read);
  });

  test.each([
    '2026-11-26T07:50:31',
    '2026-11-26 07:50:31Z',
    '2026-11-26',
    '2026-02-30T00:00:00Z',
    '2026-11-26T24:00:00Z',
    '2026-11-26T07:50:31.Z',
    '2026-11-26T07:50:31.1234567890123456Z',
    '9999-12-31T23:59:59-01:00',
    '0000-01-01T00:00:00+01:00',
    '',
    1_795_256_162,
  ])('%j is refused in one sentence', (written) => {
    const { error } = z.safeParse(timestamp(), written);
    expect(error?.issues.map(({ code }) => code)).toHaveLength(1);
  });
});

describe('a text that people or appliances wrote', () => {
  test.each([
    ['בית\u200f', 'בית'],
    ['\u2068Anna\u2069s Haus', 'Annas Haus'],
    ['Haus\nAm See', 'Haus Am See'],
    ['Haus \r\n Am\tSee\u2028!', 'Haus Am See !'],
    [' a\u0000b\u001b\uFFFEc\uD800d\u200be\uFEFF ', 'abcde'],
    ['Ku\u0308che', 'Küche'],
    ['👨\u200d👩\u200d👧 ☀\uFE0F', '👨\u200d👩\u200d👧 ☀\uFE0F'],
    ['نمی\u200cخواهم', 'نمی\u200cخواهم'],
    ['x'.repeat(maxTextCharacters + 1), 'x'.repeat(maxTextCharacters)],
    [`${'x'.repeat(maxTextCharacters - 1)}🔥`, 'x'.repeat(maxTextCharacters - 1)],
    ['\u200f', ''],
  ])('%j becomes %j', (written, cleaned) => {
    expect(z.parse(writtenText(), written)).toBe(cleaned);
  });

  test('a word has at least one visible character', () => {
    expect(z.safeParse(openEnum(), '\u200f\n').success).toBe(false);
    expect(z.parse(openEnum(), ' cooling\u200e')).toBe('cooling');
  });

  test.each(['\u2028', '\u2029', '\n', '\u202e', '\uFFFE', '\uD800'])(
    'a partner’s text with %j is refused, not cleaned',
    (character) => {
      expect(z.safeParse(line(1, 64), `a${character}b`).success).toBe(false);
    },
  );
});

describe('host name', () => {
  const label = (characters: number) => 'a'.repeat(characters);
  /** Returns a host name of this many characters, with labels of at most 63. */
  const name = (characters: number) => `${`${label(63)}.`.repeat(3)}${label(characters - 192)}`;

  test.each(['a.bc', 'ab.cd', '1.a1', 'x--y.a-b', `${label(63)}.test`, `test.${label(63)}`, name(253)])(
    '%s is a host name',
    (text) => {
      expect(hostNamePattern.test(text)).toBe(true);
    },
  );

  test.each([
    ...['', 'a', 'abc', 'a.b', '.ab', 'a..bc', '-a.bc', 'a-.bc', 'a.bc-', 'a.-bc', 'a.1b', 'a.bc.', 'a b.cd', 'A.bc'],
    ...[`${label(64)}.test`, `test.${label(64)}`, name(254), 'a.bc\n', '\na.bc'],
  ])('%j is not a host name', (text) => {
    expect(hostNamePattern.test(text)).toBe(false);
  });

  test('the longest name has the maximum length of the pattern', () => {
    expect(maxHostNameCharacters).toBe(253);
  });
});

describe('stack frames', () => {
  const stack = `TypeError: It failed at 12:30 (see 2036-03-10T12:30:00Z)
    at ze (3f9a2c1d4e5f.mjs:25:39514)
    at async Kt (3f9a2c1d4e5f.mjs:25:40012)
    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)
    at async 3f9a2c1d4e5f.mjs:4:58092`;
  const frames = [
    { bundleId: '3f9a2c1d4e5f', line: 25, column: 39514 },
    { bundleId: '3f9a2c1d4e5f', line: 25, column: 40012 },
    { bundleId: '3f9a2c1d4e5f', line: 4, column: 58092 },
  ];

  test('a condensed stack has the frames of the bundle, and no others', () => {
    expect(condensedStack(stack)).toBe('3f9a2c1d4e5f.mjs:25:39514 25:40012 4:58092');
  });

  test('the frames are the same in a stack, in its condensed form, and in log lines with either', () => {
    expect(framesIn(stack)).toEqual(frames);
    expect(framesIn(condensedStack(stack))).toEqual(frames);
    expect(framesIn(JSON.stringify({ error: 'TypeError: 1:2', stack: condensedStack(stack), durationMs: 12 }))).toEqual(
      frames,
    );
    expect(framesIn(JSON.stringify({ errorType: 'TypeError', stackTrace: stack.split('\n') }))).toEqual(frames);
    expect(framesIn(`durationMs=12 stack=${condensedStack(stack)} requestId=12:30`)).toEqual(frames);
  });

  test('a truncated position is not a frame, since it would point to a wrong line', () => {
    expect(framesIn('3f9a2c1d4e5f.mjs:25:39514 25:400...')).toEqual(frames.slice(0, 1));
    expect(framesIn('3f9a2c1d4e5f.mjs:25:39514 25:...')).toEqual(frames.slice(0, 1));
    expect(framesIn('3f9a2c1d4e5f.mjs:25:395...')).toEqual([]);
  });

  test('a stack of code outside a bundle is unchanged', () => {
    const { stack: own = '' } = new Error('not bundled');
    expect(condensedStack(own)).toContain('texts.test.ts');
    expect(framesIn(own)).toEqual([]);
  });
});
