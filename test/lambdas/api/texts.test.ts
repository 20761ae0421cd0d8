import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hostNamePattern, maxHostNameCharacters } from '../../../lambdas/api/host-name.ts';
import { maxReportedErrors, maxTextCharacters } from '../../../lambdas/api/limits.ts';
import { condensedStack, framesIn } from '../../../lambdas/api/log-events/stack-frames.ts';
import { invalidRequest } from '../../../lambdas/api/problems.ts';
import { pointerTo } from '../../../lambdas/api/schemas/common.ts';

describe('invalid request', () => {
  /** Reads a pointer as RFC 6901 says. */
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

  test('a refusal tells the first faults, and no more than the limit', () => {
    const faults = Array.from({ length: maxReportedErrors + 1 }, (_, index) => ({ pointer: `/${index}`, detail: 'x' }));
    expect(invalidRequest(faults).occurrence).toEqual({ errors: faults.slice(0, maxReportedErrors) });
  });

  test('a long text of the request is cut, and a long pointer leads to what is around the fault', () => {
    const name = 'x'.repeat(maxTextCharacters);
    const faults = [
      { pointer: pointerTo('body', 'a', name), detail: `${name.slice(1)}🔥` },
      { pointer: pointerTo('body', name.slice('/body/'.length)), detail: name },
    ];
    expect(invalidRequest(faults).occurrence).toEqual({
      errors: [
        { pointer: '/body/a', detail: `${name.slice(1)}\ufffd` },
        { pointer: `/body/${name.slice('/body/'.length)}`, detail: name },
      ],
    });
  });

  test('no other place makes this problem', () => {
    const files = readdirSync('lambdas', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const makers = files.filter((name) =>
      readFileSync(`lambdas/${name}`, 'utf8').includes("new Problem('invalid-request'"),
    );
    expect(makers).toEqual(['api/problems.ts']);
  });
});

describe('host name', () => {
  const label = (characters: number) => 'a'.repeat(characters);
  /** A name of so many characters, in labels of 63 at most. */
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
  ])('%j is none', (text) => {
    expect(hostNamePattern.test(text)).toBe(false);
  });

  test('the longest name is as long as the pattern lets it be', () => {
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

  test('the frames are the same in a stack, in its condensed form, and in lines of a log that hold either', () => {
    expect(framesIn(stack)).toEqual(frames);
    expect(framesIn(condensedStack(stack))).toEqual(frames);
    expect(framesIn(JSON.stringify({ error: 'TypeError: 1:2', stack: condensedStack(stack), durationMs: 12 }))).toEqual(
      frames,
    );
    expect(framesIn(JSON.stringify({ errorType: 'TypeError', stackTrace: stack.split('\n') }))).toEqual(frames);
    expect(framesIn(`durationMs=12 stack=${condensedStack(stack)} requestId=12:30`)).toEqual(frames);
  });

  test('a position that was cut off is no frame: it would lead to a wrong line', () => {
    expect(framesIn('3f9a2c1d4e5f.mjs:25:39514 25:400...')).toEqual(frames.slice(0, 1));
    expect(framesIn('3f9a2c1d4e5f.mjs:25:39514 25:...')).toEqual(frames.slice(0, 1));
    expect(framesIn('3f9a2c1d4e5f.mjs:25:395...')).toEqual([]);
  });

  test('a stack of code that is in no bundle stays as it is', () => {
    const { stack: own = '' } = new Error('not bundled');
    expect(condensedStack(own)).toContain('texts.test.ts');
    expect(framesIn(own)).toEqual([]);
  });
});
