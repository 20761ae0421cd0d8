import { expect, test } from 'vitest';
import { condensedStack, framesIn } from '../../../lambdas/api/log-events/stack-frames.ts';

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
  expect(condensedStack(own)).toContain('stack-frames.test.ts');
  expect(framesIn(own)).toEqual([]);
});
