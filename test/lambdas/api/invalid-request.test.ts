import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { maxReportedErrors, maxTextCharacters } from '../../../lambdas/api/limits.ts';
import { invalidRequest } from '../../../lambdas/api/problems.ts';
import { pointerTo } from '../../../lambdas/api/schemas/common.ts';

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
