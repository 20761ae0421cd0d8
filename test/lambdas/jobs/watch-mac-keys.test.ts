import { createAccessKeys, startMacService } from 'serve-stack/services';
import { defaultEnvironment } from 'serve-stack/template';
import { afterAll, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { jobs } from '../../../lambdas/api/background-functions.ts';
import { type MacKeyName, macKeys, macKeyVariable } from '../../../lambdas/api/environment.ts';
import { macKeyWatchEvent } from '../../../lambdas/api/log-events/background-events.ts';
import { handler } from '../../../lambdas/jobs/watchMacKeys.ts';
import { functionEnvironment } from '../../../lambdas/runtime/function-environment.ts';
import { createKeyStateReader } from '../../../lambdas/runtime/mac-keys.ts';
import { patience } from '../../support/time.ts';

const startMs = Date.parse('2036-03-10T09:00:00Z');

/** Runs the watch; returns its log line and its error. */
const watch = async (readKeyState: ReturnType<typeof createKeyStateReader>) => {
  const lines: string[] = [];
  const failure = await handler
    .withEnvironment({
      ...functionEnvironment({ METRIC_NAMESPACE: 'test' }),
      processTimeMs: () => startMs,
      log: (line) => void lines.push(line),
      readKeyState,
    })(undefined, undefined)
    .then(
      () => undefined,
      (error: Error) => error,
    );
  expect(lines).toHaveLength(1);
  return { logged: z.parse(macKeyWatchEvent, JSON.parse(lines[0] as string)), failure };
};

test('all keys of the stage are watched', () => {
  expect([...jobs.watchMacKeys.watchedMacKeys].sort()).toEqual(Object.keys(macKeys).sort());
});

test.each([
  ['Enabled', 'Enabled', 0, undefined],
  ['Enabled', 'PendingDeletion', 1, 'ownerPseudonyms: PendingDeletion'],
  ['Disabled', 'Enabled', 1, 'webhookSecrets: Disabled'],
  ['Disabled', 'PendingReplicaDeletion', 2, 'webhookSecrets: Disabled, ownerPseudonyms: PendingReplicaDeletion'],
])(
  'of two keys in the states %s and %s, %i cannot be used',
  async (webhookSecrets, ownerPseudonyms, unusable, states) => {
    const stateOf: Record<MacKeyName, string> = { webhookSecrets, ownerPseudonyms };
    const { logged, failure } = await watch(async (name) => stateOf[name]);
    expect(failure).toBeUndefined();
    expect(logged).toMatchObject({ level: 'INFO', MacKeysUnusable: unusable });
    expect(logged.states).toBe(states);
    expect(logged._aws?.CloudWatchMetrics).toEqual([
      { Namespace: 'test', Dimensions: [[]], Metrics: [{ Name: 'MacKeysUnusable', Unit: 'None' }] },
    ]);
  },
);

test('a run that cannot read the state of a key fails, and emits no metric', async () => {
  const { logged, failure } = await watch(async (name) => {
    if (name === 'webhookSecrets') return 'Disabled';
    throw new Error('KMS is down.');
  });
  expect(failure?.message).toBe('KMS is down.');
  expect(logged).toMatchObject({ level: 'ERROR', error: 'Error: KMS is down.' });
  expect(logged.MacKeysUnusable).toBeUndefined();
});

test('the state of a key is read from KMS, which requires the permission', async () => {
  const accessKeys = createAccessKeys();
  const keyArn = 'arn:aws:kms:eu-central-1:000000000000:key/WebhookSecrets';
  const asked: string[] = [];
  const service = await startMacService({
    environment: defaultEnvironment,
    accessKeys,
    keys: () => new Map([[keyArn, () => 'implicit deny' as const]]),
  });
  afterAll(() => service.close());
  const decide = ({ action, resource }: { action: string; resource: string }) => {
    asked.push(`${action} on ${resource}`);
    return action === 'kms:DescribeKey' ? ('allow' as const) : ('implicit deny' as const);
  };
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', service.endpoint);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', accessKeys.issue({ arn: 'arn:aws:sts::000000000000:assumed-role/w/t', decide }));
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'any');
  try {
    const read = createKeyStateReader({ [macKeyVariable('webhookSecrets')]: keyArn }, patience.requestTimeouts);
    expect(await read('webhookSecrets')).toBe('Enabled');
    expect(asked).toEqual([`kms:DescribeKey on ${keyArn}`]);
    await expect(read('ownerPseudonyms')).rejects.toThrow('OWNER_PSEUDONYMS_KEY is not set');
  } finally {
    vi.unstubAllEnvs();
  }
});
