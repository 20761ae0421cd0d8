import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { defaultProvider } from '../../../lambdas/runtime/sdk-stand-ins.ts';

beforeEach(() => onTestFinished(() => void vi.unstubAllEnvs()));

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
