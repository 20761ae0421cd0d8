import { describe, expect, test } from 'vitest';
import { chainDiagram, tableDiagram } from '../../docs/generate/diagrams.ts';
import { fleetListing, fleetTable } from '../../docs/generate/limits.ts';
import { textOf } from '../../docs/generate/main.ts';
import { missingParts, partsIn } from '../../docs/generate/missing-parts.ts';
import { stages } from '../../lambdas/api/chain.ts';
import { pageSize, ratePolicies } from '../../lambdas/api/limits.ts';
import { type Table, tables } from '../../lambdas/api/tables.ts';
import { arrivalAfterConsumingMs, retryAfterMs } from '../../lambdas/domain/token-bucket.ts';

describe('the diagram of a request’s path', () => {
  test('contains every stage once, in the order of the chain', () => {
    const nodes = [...chainDiagram().matchAll(/^ {2}(\w+)\["/gm)].map(([, name]) => name);
    expect(nodes).toEqual(['gateway', ...Object.keys(stages), 'handler']);
    expect(chainDiagram()).toContain(`gateway --> ${Object.keys(stages).join(' --> ')} --> handler`);
  });

  test('shows a stage’s refusal statuses, of every endpoint and of some, and its store calls', () => {
    expect(chainDiagram()).toContain('authentication: 401, 403, 404, 429<br/>change: 403"]');
    expect(chainDiagram()).toContain('<br/>on behalf of user: 400, 403, 451<br/>');
    expect(chainDiagram().match(/\w+ -\. "(\w+)" \.->/g)).toEqual([
      'authentication -. "GetItem" .->',
      'authentication -. "BatchGetItem" .->',
      'rateLimit -. "PutItem" .->',
      'rateLimit -. "UpdateItem" .->',
      'rateLimit -. "GetItem" .->',
      'preloads -. "BatchGetItem" .->',
    ]);
  });
});

test('the diagram of the tables shows each with its keys, its readers and its writers', () => {
  for (const [name, { partitionKey }] of Object.entries<Table>(tables))
    expect(tableDiagram()).toContain(`${name}["${name}<br/>${partitionKey}`);
  expect(tableDiagram()).toContain('handlers -- read and write --> AuditLog');
  expect(tableDiagram()).toContain('jobs -- read --> ApiKeys');
});

test('a fleet lists its gateways as fast as the bucket of its requests admits them', () => {
  const limit = ratePolicies.general;
  for (const owners of [1, 500, 501, 1000, 10_000]) {
    const { requests, seconds } = fleetListing(owners);
    expect((requests - 1) * pageSize.max < owners && owners <= requests * pageSize.max).toBe(true);
    let [nowMs, arrivalMs] = [0, 0];
    for (let request = 0; request < requests; request++) {
      nowMs += Math.max(0, retryAfterMs(arrivalMs, nowMs, limit));
      arrivalMs = arrivalAfterConsumingMs(arrivalMs, nowMs, limit);
    }
    expect(seconds * 1000).toBe(nowMs);
  }
  expect(fleetTable()).toContain('| 10,000 | 100 | 48 s | 10,000 | 8.3 min |');
});

describe('missing parts', () => {
  const whole = {
    endpoints: { getThing: { ratePolicy: 'calm' } },
    ratePolicies: { calm: {} },
    problems: { 'thing-broken': {} },
    problemDocs: { 'thing-broken': {} },
    handlers: { getThing: { file: 'lambdas/handlers/things.ts', isThere: true } },
  } as const;

  test('nothing is missing', () => {
    expect(missingParts(whole)).toEqual([]);
    expect(missingParts(partsIn('.'))).toEqual([]);
  });

  describe('a missing part is reported with the file to edit', () => {
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
      const sentences = missingParts({ ...whole, ...without });
      expect(sentences).toHaveLength(1);
      expect(sentences[0]).toContain(sentence);
    });
  });
});

describe('an error of npm run generate is printed', () => {
  test('as its sentence alone if a file of this repository threw it to say what to edit', () => {
    const error = new Error('The row has no summary. Add it.');
    expect(textOf(error)).toBe('The row has no summary. Add it.');
  });

  const ofLibrary = new Error('unexpected');
  ofLibrary.stack = 'Error: unexpected\n    at parse (/app/node_modules/zod/index.js:1:1)';

  test.each([
    ['a fault of the program', new TypeError('x is not a function')],
    ['an error of a library', ofLibrary],
  ])('with its stack if it is %s', (_, error) => {
    expect(textOf(error)).toBe(error.stack);
  });
});
