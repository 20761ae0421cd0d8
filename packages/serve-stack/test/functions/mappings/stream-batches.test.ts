import { expect, test } from 'vitest';
import { type StreamBatchOptions, takeInBatches } from '../../../src/background/stream-mappings.ts';
import type { StreamRecord } from '../../../src/dynamodb/stream-reader.ts';

const hourMs = 3_600_000;

/** A record for each letter; a capital letter is one of two hours ago. */
const recordsOf = (names: string): StreamRecord[] =>
  [...names].map((SequenceNumber) => {
    const ageMs = /[A-Z]/.test(SequenceNumber) ? 2 * hourMs : 0;
    return { dynamodb: { SequenceNumber, ApproximateCreationDateTime: new Date(Date.now() - ageMs) } };
  });
const namesOf = (records: readonly StreamRecord[]) => records.map(({ dynamodb }) => dynamodb?.SequenceNumber).join('');

type Case = Partial<StreamBatchOptions> & {
  /** Whoever gets it fails as a whole. */
  readonly poison?: string;
  /** What the function names of such a batch. */
  readonly named?: Readonly<Record<string, string>>;
  /** The batch at which the run is stopped. */
  readonly stopAt?: string;
};

/** Tells how many records are done with, with which the function was invoked, and which were given up. */
const take = async (names: string, { poison = '-', named = {}, stopAt, ...options }: Case) => {
  const stopping = new AbortController();
  const invoked: string[] = [];
  const given: string[] = [];
  const invoke = async (records: readonly StreamRecord[]) => {
    const batch = namesOf(records);
    invoked.push(batch);
    if (batch === stopAt) stopping.abort();
    return new Set(named[batch] ?? (batch.includes(poison) ? batch : ''));
  };
  const giveUp: StreamBatchOptions['giveUp'] = async (records, reason, invocations) =>
    void given.push(`${namesOf(records)} ${reason} ${invocations}`);
  const defaults = { batchSize: 4, bisects: false, maxAgeMs: Number.POSITIVE_INFINITY, maxRetries: 1 };
  const done = await takeInBatches(recordsOf(names), { ...defaults, invoke, giveUp, ...options }, stopping.signal);
  return { done, invoked, given };
};

test('records come in batches, in order', async () => {
  expect(await take('abcdef', {})).toEqual({ done: 6, invoked: ['abcd', 'ef'], given: [] });
});

test('a batch that fails is tried again, then given up, and those behind it follow', async () => {
  expect(await take('abcdef', { poison: 'b' })).toEqual({
    done: 6,
    invoked: ['abcd', 'abcd', 'ef'],
    given: ['abcd RetryAttemptsExhausted 2'],
  });
});

test('with bisection nothing but the bad record is given up, which costs it no retries', async () => {
  expect(await take('abcdef', { poison: 'c', bisects: true })).toEqual({
    done: 6,
    invoked: ['abcd', 'ab', 'cd', 'c', 'c', 'd', 'ef'],
    given: ['c RetryAttemptsExhausted 2'],
  });
});

test('what a function names as failed is tried again from there on', async () => {
  expect(await take('abcd', { named: { abcd: 'c' } })).toEqual({ done: 4, invoked: ['abcd', 'cd'], given: [] });
});

test('records that are too old are given up before they are handed on', async () => {
  expect(await take('ABcd', { maxAgeMs: hourMs })).toEqual({
    done: 4,
    invoked: ['cd'],
    given: ['AB RecordAgeExceeded 0'],
  });
});

test.each([
  ['between batches', 'abcdef', { stopAt: 'abcd' }, 4],
  ['amid retries without end', 'abcdef', { stopAt: 'abcd', poison: 'b', maxRetries: Number.POSITIVE_INFINITY }, 0],
  ['amid a bisection', 'abcd', { stopAt: 'cd', poison: 'c', bisects: true }, 2],
])('a run that is stopped %s tells what is left for the next one', async (_, names, options, done) => {
  expect((await take(names, options)).done).toBe(done);
});
