import { expect, test } from 'vitest';
import { isAddressIn, networksOf } from '../../../lambdas/domain/company.ts';
import { createMemory, createProcessMemory, networksIn } from '../../../lambdas/runtime/process-memory.ts';

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

test('a process parses the networks of a company once, as long as it remembers them', () => {
  const memory = createProcessMemory();
  const networks = (company: number) => networksIn(memory, [`10.0.${company}.0/24`, '2001:db8::/32']);
  const first = networks(0);
  expect(isAddressIn('10.0.0.7', first)).toBe(true);
  expect(isAddressIn('10.0.1.7', first)).toBe(false);
  for (let company = 1; company < 200; company++) networks(company);
  expect(memory.networks.get('10.0.0.0/24 2001:db8::/32')).toBe(first);
  expect(networks(0)).toBe(first);
  networks(200);
  expect(networks(1)).toEqual(networksOf(['10.0.1.0/24', '2001:db8::/32']));
  expect(memory.networks.get('10.0.2.0/24 2001:db8::/32')).toBeUndefined();
  expect(networks(0)).toBe(first);
});
