import { describe, expect, test } from 'vitest';
import { EnvironmentError } from '../../../lambdas/api/environment.ts';
import { isLasting, togetherOrAlone } from '../../../lambdas/data/set-aside.ts';
import { StoreUnavailableError } from '../../../lambdas/data/store/attempts.ts';

const named = (name: string, others: object = {}) => Object.assign(new Error('Words.'), { name, ...others });
const ofAws = (name: string, others: object = {}) => named(name, { $metadata: { httpStatusCode: 400 }, ...others });

describe('an error lasts', () => {
  test.each([
    ['of our code', new TypeError('undefined is not an object')],
    ['that is no error', 'words'],
    ['about a text that SQS never takes', ofAws('InvalidMessageContents')],
    ['about an item that DynamoDB never takes', ofAws('ValidationException')],
    [
      'about an item within a transaction',
      ofAws('TransactionCanceledException', { CancellationReasons: [{ Code: 'None' }, { Code: 'ValidationError' }] }),
    ],
  ])('%s', (_words, error) => expect(isLasting(error)).toBe(true));
});

describe('an error may pass', () => {
  test.each([
    ['throttling', ofAws('ThrottlingException')],
    ['a time-out', named('TimeoutError')],
    ['a deadline', named('AbortError')],
    ['a server fault', ofAws('AnyName', { $metadata: { httpStatusCode: 503 } })],
    ['a connection that broke', named('Error', { code: 'ECONNRESET' })],
    ['a conflict', new StoreUnavailableError('All attempts were in conflict with another write.')],
    ['a conflict within a transaction', ofAws('TransactionCanceledException', { CancellationReasons: [{}] })],
    ['a right that was taken away', ofAws('AccessDeniedException')],
    ['a queue that was deleted', ofAws('QueueDoesNotExist')],
    ['an error of AWS that nobody knows yet', ofAws('SomethingNewException')],
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
    await togetherOrAlone(all, act, async (each) => void setAside.push(each));
    return { done, setAside };
  };

  test('all are done at once', async () => {
    expect(await play(['a', 'b'], () => undefined)).toEqual({ done: [['a', 'b']], setAside: [] });
  });

  test('what fails for good is set aside, and the others are done in their order', async () => {
    const errorOf = (some: readonly string[]) => (some.includes('b') ? new TypeError('b') : undefined);
    expect(await play(['a', 'b', 'c'], errorOf)).toEqual({ done: [['a'], ['c']], setAside: ['b'] });
  });

  test('what may pass is thrown, and nothing behind it is done', async () => {
    const down = named('TimeoutError');
    const errorOf = (some: readonly string[]) =>
      some.length > 1 ? new TypeError('all') : some[0] === 'b' ? down : undefined;
    await expect(play(['a', 'b', 'c'], errorOf)).rejects.toBe(down);
  });
});
