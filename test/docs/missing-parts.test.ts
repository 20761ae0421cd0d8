import { describe, expect, test } from 'vitest';
import { missingParts, missingPartsOf } from '../../docs/generate/missing-parts.ts';

const whole = {
  endpoints: { getThing: { ratePolicy: 'calm' } },
  ratePolicies: { calm: {} },
  problems: { 'thing-broken': {} },
  problemDocs: { 'thing-broken': {} },
  handlers: { getThing: { file: 'lambdas/handlers/things.ts', isThere: true } },
} as const;

test('nothing is missing', () => {
  expect(missingPartsOf(whole)).toEqual([]);
  expect(missingParts('.')).toEqual([]);
});

describe('who forgets a part reads which file to edit', () => {
  test.each([
    [
      'the numbers of a rate policy',
      { ratePolicies: {} },
      'The row of getThing uses the rate policy "calm". Add it to lambdas/api/limits.ts',
    ],
    [
      'the row that uses a rate policy',
      { ratePolicies: { calm: {}, wild: {} } },
      'No row of lambdas/api/endpoints/endpoints.ts uses the rate policy "wild".',
    ],
    [
      'the handler',
      { handlers: { getThing: { file: 'lambdas/handlers/things.ts', isThere: false } } },
      'Export it from lambdas/handlers/things.ts.',
    ],
    ['the words about a problem', { problemDocs: {} }, 'Nobody explains the problem thing-broken. Add its cause'],
  ])('%s', (_, without, sentence) => {
    const sentences = missingPartsOf({ ...whole, ...without });
    expect(sentences).toHaveLength(1);
    expect(sentences[0]).toContain(sentence);
  });
});
