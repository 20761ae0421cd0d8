import { createAccessKeys, startMacService } from 'serve-stack/services';
import { defaultEnvironment } from 'serve-stack/template';
import { afterAll } from 'vitest';

export const keyArn = 'arn:aws:kms:eu-central-1:000000000000:key/WebhookSecrets';

/** Serves GenerateMac to this process until the test file is done; `calls` counts how often it was asked. */
export const startKms = async () => {
  const accessKeys = createAccessKeys();
  let calls = 0;
  const principal = { arn: 'arn:aws:sts::000000000000:assumed-role/tester/t', decide: () => 'allow' as const };
  const service = await startMacService({
    environment: defaultEnvironment,
    accessKeys,
    keys: () => {
      calls++;
      return new Map([[keyArn, () => 'implicit deny' as const]]);
    },
  });
  const variables = {
    AWS_ENDPOINT_URL_KMS: service.endpoint,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: accessKeys.issue(principal),
    AWS_SECRET_ACCESS_KEY: 'any',
  };
  const before = { ...process.env };
  Object.assign(process.env, variables);
  afterAll(async () => {
    process.env = before;
    await service.close();
  });
  return {
    variables: { WEBHOOK_SECRETS_KEY: keyArn },
    calls: () => calls,
    close: service.close,
  };
};
