import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { again, isStoreUnavailable, retrying, retryingFrom } from '../../../lambdas/data/store/attempts.ts';

const attempts = { to: 'take a slot', atMost: 3 };

describe('attempts', () => {
  test('end with the first result, even if it is false', async () => {
    const results = [undefined, false, true];
    expect(await retrying(attempts, async () => results.shift())).toBe(false);
    expect(results).toEqual([true]);
  });

  test('start from what the previous attempt saw', async () => {
    const seen: [number, number][] = [];
    const last = await retryingFrom(10, attempts, async (known, count) => {
      seen.push([known, count]);
      return count === 2 ? 'done' : again(known + 1);
    });
    expect([seen, last]).toEqual([
      [
        [10, 0],
        [11, 1],
        [12, 2],
      ],
      'done',
    ]);
  });

  test('are limited in number; after the last one the store is unavailable', async () => {
    let count = 0;
    const overtaken = async () => void count++;
    await expect(retrying(attempts, overtaken)).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      message: 'Gave up after 3 attempts to take a slot, each in conflict with another write.',
    });
    expect(count).toBe(3);
  });

  test('end with an error', async () => {
    const fault = new Error('The store was asked wrongly.');
    await expect(retrying(attempts, () => Promise.reject(fault))).rejects.toBe(fault);
  });
});

describe('store errors', () => {
  /** Returns the error that Node.js itself throws. */
  const errorOf = async (attempt: () => unknown): Promise<Error & { code?: string }> => {
    try {
      await attempt();
    } catch (error) {
      return error as Error;
    }
    throw new Error('It did not fail.');
  };

  const connectTo = (port: number, host: string) =>
    new Promise((resolve, reject) => connect(port, host, () => resolve('connected')).on('error', reject));

  const closedPort = async () => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    await new Promise((closed) => server.close(closed));
    return port;
  };

  describe('the store is unavailable', () => {
    test('if nothing listens at its address, whichever address of its name was tried', async () => {
      const port = await closedPort();
      expect(await errorOf(() => connectTo(port, '127.0.0.1'))).toSatisfy(isStoreUnavailable);
      expect(await errorOf(() => connectTo(port, 'localhost'))).toSatisfy(isStoreUnavailable);
    });

    test.each([
      'EAI_AGAIN',
      'ECONNABORTED',
      'ECONNRESET',
      'EHOSTUNREACH',
      'ENETUNREACH',
      'ENOTFOUND',
      'EPIPE',
      'EPROTO',
      'ETIMEDOUT',
      'ERR_STREAM_PREMATURE_CLOSE',
    ])('if a connection ends with %s', (code) => {
      expect(Object.assign(new Error(code), { code })).toSatisfy(isStoreUnavailable);
    });
  });

  describe('a mistake of our own does not make the store unavailable', () => {
    test.each<[string, () => unknown]>([
      ['ERR_INVALID_ARG_TYPE', () => Buffer.byteLength(undefined as never)],
      ['ERR_INVALID_URL', () => new URL('nowhere')],
      ['ENOENT', () => readFile('there-is-no-such-file')],
      ['EISDIR', () => readFile('.')],
    ])('%s', async (code, mistake) => {
      const error = await errorOf(mistake);
      expect(error.code).toBe(code);
      expect(error).not.toSatisfy(isStoreUnavailable);
    });
  });
});
