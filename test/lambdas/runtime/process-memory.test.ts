import { expect, test } from 'vitest';
import { createMemory, createProcessMemory } from '../../../lambdas/runtime/process-memory.ts';

test('a full memory drops the oldest value; a value that is put again is the newest', () => {
  const memory = createMemory<number>(2);
  const kept = () => ['a', 'b', 'c'].map(memory.get);
  memory.put('a', 1);
  memory.put('b', 2);
  expect(kept()).toEqual([1, 2, undefined]);
  memory.put('a', 3);
  memory.put('c', 4);
  expect(kept()).toEqual([3, undefined, 4]);
  expect([memory.pop('a'), memory.pop('a')]).toEqual([3, undefined]);
});

test('a memory for no values keeps none', () => {
  const memory = createMemory<number>(0);
  memory.put('a', 1);
  expect(memory.get('a')).toBeUndefined();
});

test('a process remembers 5000 keys', () => {
  const { validKeys } = createProcessMemory();
  for (let key = 0; key < 5000; key++) validKeys.put(`${key}`, true);
  expect(validKeys.get('0')).toBe(true);
  validKeys.put('5000', true);
  expect([validKeys.get('0'), validKeys.get('1')]).toEqual([undefined, true]);
});
