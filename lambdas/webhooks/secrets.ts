import { createHmac } from 'node:crypto';
import { GenerateMacCommand, KMSClient } from '@aws-sdk/client-kms';
import { macKeyVariable, requireVariable } from '../api/environment.ts';
import { maxAttempts, type RequestTimeouts } from '../data/store/store.ts';
import type { WebhookSecretOf } from '../domain/webhook.ts';

/** How long the root is cached: secrets of a key that is disabled in KMS sign for no longer than this. */
const rootKeptMs = 300_000;

/** The MAC that KMS computes of this text is the root of all secrets; another text would change the secret of every webhook. */
const rootText = 'webhook-secrets/1';

/**
 * Derives secrets from a root, which KMS computes with the key that the stack names in the variables. KMS is called once in
 * five minutes, not for each webhook. A secret is derived from the ids of its webhook whenever it is needed, so nothing stores
 * it; neither a secret nor the root is logged.
 */
export const createWebhookSecrets = (
  variables: Readonly<Record<string, string | undefined>>,
  timeouts: RequestTimeouts,
  nowMs: () => number = Date.now,
): WebhookSecretOf => {
  const client = new KMSClient({ maxAttempts, requestHandler: { ...timeouts, throwOnRequestTimeout: true } });
  const keyId = () => requireVariable(variables, macKeyVariable('webhookSecrets'), 'names the key in macKeys');
  const makeRoot = async (): Promise<Uint8Array> => {
    const { Mac } = await client.send(
      new GenerateMacCommand({ KeyId: keyId(), MacAlgorithm: 'HMAC_SHA_256', Message: Buffer.from(rootText) }),
    );
    if (!Mac) throw new Error('KMS answered GenerateMac without a code; expected 32 bytes.');
    return Mac;
  };
  let kept: { readonly untilMs: number; readonly root: Promise<Uint8Array> } | undefined;
  const keptRoot = (): Promise<Uint8Array> => {
    if (kept && nowMs() < kept.untilMs) return kept.root;
    const made = { untilMs: nowMs() + rootKeptMs, root: makeRoot() };
    made.root.catch(() => {
      if (kept === made) kept = undefined;
    });
    kept = made;
    return made.root;
  };
  return async ({ companyId, webhookId }, version) => {
    const code = createHmac('sha256', await keptRoot()).update(`${companyId}/${webhookId}/${version}`);
    return `whsec_${code.digest('base64')}`;
  };
};
