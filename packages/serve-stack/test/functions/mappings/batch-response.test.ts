import { expect, test } from 'vitest';
import { failedItems } from '../../../src/background/mappings.ts';

const all = ['a', 'b', 'c'];
const failuresOf = (...identifiers: unknown[]) => ({
  batchItemFailures: identifiers.map((itemIdentifier) => ({ itemIdentifier })),
});

test.each<[string, unknown, string[]]>([
  ['nothing', null, []],
  ['an empty object', {}, []],
  ['no list', { batchItemFailures: null }, []],
  ['an empty list', failuresOf(), []],
  ['one of the batch', failuresOf('b'), ['b']],
  ['one that is not of the batch', failuresOf('b', 'z'), all],
  ['an empty identifier', failuresOf(''), all],
  ['no identifier', failuresOf(null), all],
  ['an identifier under another name', { batchItemFailures: [{ id: 'b' }] }, all],
  ['something else than a list', { batchItemFailures: 'b' }, all],
  ['a text', 'fine', all],
])('of a function that may name what failed and answers %s', (_, payload, failed) => {
  const outcome = { kind: 'answer', payload: JSON.stringify(payload) } as const;
  expect([...failedItems(outcome, all, true)]).toEqual(failed);
  expect([...failedItems(outcome, all, false)]).toEqual([]);
});

test('all have failed where the function has', () => {
  const outcome = { kind: 'failure', reason: 'x', processIsLost: false } as const;
  expect([...failedItems(outcome, all, true)]).toEqual(all);
});
