import { createAccessKeys, startMacService } from 'serve-stack/services';
import { defaultEnvironment } from 'serve-stack/template';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createWebhookSecrets } from '../../../lambdas/webhooks/secrets.ts';
import { patience } from '../../support/time.ts';

let kms: Awaited<ReturnType<typeof startKms>>;
beforeAll(async () => {
  kms = await startKms();
});

const one = { companyId: 'acme', webhookId: 'wh_1' };

test('a secret has 32 bytes, is equal in all processes, and differs by webhook, company and version', async () => {
  const secretOf = createWebhookSecrets(kms.variables, patience.requestTimeouts);
  const secret = await secretOf(one, 1);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(await createWebhookSecrets(kms.variables, patience.requestTimeouts)(one, 1)).toBe(secret);
  const others = await Promise.all([
    secretOf(one, 2),
    secretOf({ ...one, webhookId: 'wh_2' }, 1),
    secretOf({ ...one, companyId: 'other' }, 1),
  ]);
  expect(new Set([secret, ...others]).size).toBe(4);
});

test('KMS is called once in five minutes for all webhooks, even by concurrent requests', async () => {
  let nowMs = 1_000_000;
  const secretOf = createWebhookSecrets(kms.variables, patience.requestTimeouts, () => nowMs);
  const asked = async () => {
    const before = kms.calls();
    await Promise.all([secretOf(one, 1), secretOf({ ...one, companyId: 'other' }, 2)]);
    return kms.calls() - before;
  };
  expect(await asked()).toBe(1);
  nowMs += 300_000 - 1;
  expect(await asked()).toBe(0);
  nowMs += 1;
  expect(await asked()).toBe(1);
});

test('a failure is not cached', async () => {
  const variables = { WEBHOOK_SECRETS_KEY: 'arn:aws:kms:eu-central-1:000000000000:key/gone' };
  const secretOf = createWebhookSecrets(variables, patience.requestTimeouts);
  await expect(secretOf(one, 1)).rejects.toThrow('does not exist');
  variables.WEBHOOK_SECRETS_KEY = keyArn;
  expect(await secretOf(one, 1)).toMatch(/^whsec_/);
});

test('a function whose row does not name the key gets an error that says so', async () => {
  await expect(createWebhookSecrets({}, patience.requestTimeouts)(one, 1)).rejects.toThrow(
    'WEBHOOK_SECRETS_KEY is not set',
  );
});

const keyArn = 'arn:aws:kms:eu-central-1:000000000000:key/WebhookSecrets';

/** Serves GenerateMac to this process until the test file ends; `calls` returns the number of calls. */
const startKms = async () => {
  const accessKeys = createAccessKeys();
  let calls = 0;
  const decide = () => {
    calls++;
    return 'allow' as const;
  };
  const principal = { arn: 'arn:aws:sts::000000000000:assumed-role/tester/t', decide };
  const service = await startMacService({
    environment: defaultEnvironment,
    accessKeys,
    keys: () => new Map([[keyArn, () => 'implicit deny' as const]]),
  });
  const variables = {
    AWS_ENDPOINT_URL_KMS: service.endpoint,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: accessKeys.issue(principal),
    AWS_SECRET_ACCESS_KEY: 'any',
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  afterAll(async () => {
    vi.unstubAllEnvs();
    await service.close();
  });
  return {
    variables: { WEBHOOK_SECRETS_KEY: keyArn },
    calls: () => calls,
    close: service.close,
  };
};
