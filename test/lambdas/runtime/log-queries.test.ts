import { CloudWatchLogsClient, MalformedQueryException } from '@aws-sdk/client-cloudwatch-logs';
import { describe, expect, test, vi } from 'vitest';
import { requestTimeouts } from '../../../lambdas/runtime/function-environment.ts';
import { createLogReader, logReaderOf, maxLogRows, mayBeCutOff } from '../../../lambdas/runtime/log-queries.ts';
import { maxAnswerRows } from '../../support/usage.ts';

const range = { fromMs: Date.parse('2026-11-25T09:00:00.900Z'), toMs: Date.parse('2026-11-25T10:00:00.100Z') };
const row = (id: string) => [{ field: 'companyId', value: id }, { field: 'reason', value: '' }, { field: 'keyId' }];

/** A client that returns these responses, and the commands it received. */
const clientWith = (...answers: readonly (object | Error)[]) => {
  const asked: object[] = [];
  const waiting = [...answers];
  const send = async ({ input }: { readonly input: object }) => {
    asked.push(input);
    const answer = waiting.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { client: { send } as unknown as CloudWatchLogsClient, asked };
};

const pagesOf = async (client: CloudWatchLogsClient) => {
  vi.spyOn(CloudWatchLogsClient.prototype, 'send').mockImplementation(client.send);
  const read = createLogReader({ REQUEST_LOG: 'requests' }, requestTimeouts);
  const pages: unknown[] = [];
  for await (const page of read('fields a', range)) pages.push(page);
  return pages;
};

test('all pages of a result are read, each row with the fields that have a value', async () => {
  const { client, asked } = clientWith(
    { queryId: 'q' },
    { status: 'Complete', results: [row('acme')], nextToken: 'next' },
    { status: 'Complete', results: [row('globex')] },
  );
  expect(await pagesOf(client)).toEqual([[{ companyId: 'acme' }], [{ companyId: 'globex' }]]);
  expect(asked).toEqual([
    {
      logGroupName: 'requests',
      queryString: 'fields a',
      limit: maxAnswerRows,
      startTime: Date.parse('2026-11-25T09:00:00Z') / 1000,
      endTime: Date.parse('2026-11-25T10:00:00Z') / 1000,
    },
    { queryId: 'q', maxItems: maxLogRows },
    { queryId: 'q', maxItems: maxLogRows, nextToken: 'next' },
  ]);
});

test('a reader of one page reads the first page', async () => {
  const { client, asked } = clientWith(
    { queryId: 'q' },
    { status: 'Complete', results: [row('acme')], nextToken: 'next' },
  );
  expect(await logReaderOf(client, () => 'requests')('fields a', range)).toEqual([{ companyId: 'acme' }]);
  expect(asked[0]).toMatchObject({ limit: maxLogRows });
  expect(asked).toHaveLength(2);
});

describe('a query that is refused', () => {
  const refusal = (message: string) => new MalformedQueryException({ message, $metadata: {} });

  test.each([
    "Query's end date and time is either before the log groups creation time or exceeds the log groups log retention settings ([0,79])",
    "Query's end date and time is either before the log group's creation time",
  ])('because the log has no lines of its time returns no rows: %s', async (message) => {
    expect(await pagesOf(clientWith(refusal(message)).client)).toEqual([]);
    expect(await logReaderOf(clientWith(refusal(message)).client, () => 'requests')('fields a', range)).toEqual([]);
  });

  test('for another reason is an error', async () => {
    await expect(pagesOf(clientWith(refusal('unexpected symbol found | at line 1')).client)).rejects.toThrow(
      'unexpected',
    );
    await expect(pagesOf(clientWith(new Error('before the log group')).client)).rejects.toThrow('before the log group');
  });
});

test('a query that ends without a result is an error', async () => {
  const { client } = clientWith({ queryId: 'q' }, { status: 'Timeout' });
  await expect(pagesOf(client)).rejects.toThrow('A query of requests has ended with Timeout.');
});

test.each([
  [0, false],
  [maxLogRows - 1, false],
  [maxLogRows, true],
  [maxLogRows + 1, false],
  [maxAnswerRows, true],
])('a result of %i rows may be truncated: %s', (rows, isPossible) => {
  expect(mayBeCutOff(rows)).toBe(isPossible);
});
