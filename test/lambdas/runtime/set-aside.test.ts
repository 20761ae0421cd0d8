import { describe, expect, test } from 'vitest';
import { EnvironmentError } from '../../../lambdas/api/environment.ts';
import { StoreUnavailableError } from '../../../lambdas/data/store/attempts.ts';
import { isLasting, isolateFailures } from '../../../lambdas/runtime/set-aside.ts';

const named = (name: string, others: object = {}) => Object.assign(new Error('Words.'), { name, ...others });
const ofAws = (name: string, others: object = {}) => named(name, { $metadata: { httpStatusCode: 400 }, ...others });

describe('a lasting error is', () => {
  test.each([
    ['an error of our code', new TypeError('undefined is not an object')],
    ['a value that is no error', 'words'],
    ['a text that SQS never accepts', ofAws('InvalidMessageContents')],
    ['an item that DynamoDB never accepts', ofAws('ValidationException')],
    [
      'such an item in a transaction',
      ofAws('TransactionCanceledException', { CancellationReasons: [{ Code: 'None' }, { Code: 'ValidationError' }] }),
    ],
  ])('%s', (_words, error) => expect(isLasting(error)).toBe(true));
});

describe('a temporary error is', () => {
  test.each([
    ['throttling', ofAws('ThrottlingException')],
    ['a time-out', named('TimeoutError')],
    ['a deadline', named('AbortError')],
    ['a server fault', ofAws('AnyName', { $metadata: { httpStatusCode: 503 } })],
    ['a connection that broke', named('Error', { code: 'ECONNRESET' })],
    ['a conflict', new StoreUnavailableError('All attempts were in conflict with another write.')],
    ['a conflict within a transaction', ofAws('TransactionCanceledException', { CancellationReasons: [{}] })],
    ['a removed permission', ofAws('AccessDeniedException')],
    ['a deleted queue', ofAws('QueueDoesNotExist')],
    ['an unknown error of AWS', ofAws('SomethingNewException')],
    ['a variable that the stack did not set', new EnvironmentError('X is not set.')],
  ])('%s', (_words, error) => expect(isLasting(error)).toBe(false));
});

describe('together or alone', () => {
  const play = async (all: readonly string[], errorOf: (some: readonly string[]) => unknown) => {
    const done: (readonly string[])[] = [];
    const setAside: string[] = [];
    const act = async (some: readonly string[]) => {
      const error = errorOf(some);
      if (error !== undefined) throw error;
      done.push(some);
    };
    await isolateFailures(all, act, async (each) => void setAside.push(each));
    return { done, setAside };
  };

  test('all are processed in one call', async () => {
    expect(await play(['a', 'b'], () => undefined)).toEqual({ done: [['a', 'b']], setAside: [] });
  });

  test('what fails permanently is set aside, and the others are processed in their order', async () => {
    const errorOf = (some: readonly string[]) => (some.includes('b') ? new TypeError('b') : undefined);
    expect(await play(['a', 'b', 'c'], errorOf)).toEqual({ done: [['a'], ['c']], setAside: ['b'] });
  });

  test('a temporary error is thrown, and nothing after it is processed', async () => {
    const down = named('TimeoutError');
    const errorOf = (some: readonly string[]) =>
      some.length > 1 ? new TypeError('all') : some[0] === 'b' ? down : undefined;
    await expect(play(['a', 'b', 'c'], errorOf)).rejects.toBe(down);
  });
});
