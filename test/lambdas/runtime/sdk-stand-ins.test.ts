import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { defaultProvider, loadConfig } from '../../../lambdas/runtime/sdk-stand-ins.ts';

beforeEach(() => onTestFinished(() => void vi.unstubAllEnvs()));

describe('a setting of the SDK', () => {
  const load = (byDefault: string | (() => string | Promise<string>)) =>
    loadConfig({ environmentVariableSelector: ({ AWS_REGION }) => AWS_REGION, default: byDefault });

  test('is that of the environment, and is read once', async () => {
    vi.stubEnv('AWS_REGION', 'eu-north-1');
    const region = load('eu-central-1');
    expect(await region()).toBe('eu-north-1');
    vi.stubEnv('AWS_REGION', 'eu-west-1');
    expect(await region()).toBe('eu-north-1');
  });

  test.each([
    ['a value', 'eu-central-1'],
    ['a function', () => 'eu-central-1'],
    ['a promise', async () => 'eu-central-1'],
  ])('is its default otherwise: %s', async (_, byDefault) => {
    vi.stubEnv('AWS_REGION', undefined);
    expect(await load(byDefault)()).toBe('eu-central-1');
  });

  test('without a default is refused with the words of the SDK', async () => {
    vi.stubEnv('AWS_REGION', undefined);
    const region = load(() => {
      throw new Error('Region is missing');
    });
    await expect(region()).rejects.toThrow('Region is missing');
  });
});

describe('the credentials', () => {
  test('are those of the environment', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    vi.stubEnv('AWS_SESSION_TOKEN', undefined);
    expect(await defaultProvider()()).toEqual({ accessKeyId: 'id', secretAccessKey: 'secret' });
    vi.stubEnv('AWS_SESSION_TOKEN', 'token');
    expect(await defaultProvider()()).toEqual({ accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'token' });
  });

  test('that are missing are named', async () => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined);
    await expect(defaultProvider()()).rejects.toThrow('AWS_SECRET_ACCESS_KEY');
  });
});
