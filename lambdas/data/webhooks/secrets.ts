import { GenerateMacCommand, KMSClient } from '@aws-sdk/client-kms';
import { macKeyVariable, requireVariable } from '../../api/environment.ts';
import { maxAttempts, type RequestTimeouts } from '../store/store.ts';

export type WebhookId = { readonly companyId: string; readonly webhookId: string };

/** Gives the secret of a webhook in one of its versions, which count from 1. Throws what the SDK throws if KMS is down. */
export type WebhookSecretOf = (webhook: WebhookId, version: number) => Promise<string>;

/** How long a secret is kept in the process: a key that is disabled in KMS signs no longer than that. */
export const secretKeptMs = 300_000;

/** About 1 MB if it is full. */
const maxKept = 5000;

type Kept = { readonly untilMs: number; readonly secret: Promise<string> };

/**
 * Derives secrets with the key of KMS that the stack names in the variables. A secret is computed anew from the ids of its
 * webhook, so that nothing stores it; and it stands in no log.
 */
export const createWebhookSecrets = (
  variables: Readonly<Record<string, string | undefined>>,
  timeouts: RequestTimeouts,
  nowMs: () => number = Date.now,
): WebhookSecretOf => {
  const client = new KMSClient({ maxAttempts, requestHandler: { ...timeouts, throwOnRequestTimeout: true } });
  const keyId = () => requireVariable(variables, macKeyVariable('webhookSecrets'), 'names the key in macKeys');
  const derive = async (message: string): Promise<string> => {
    const { Mac } = await client.send(
      new GenerateMacCommand({ KeyId: keyId(), MacAlgorithm: 'HMAC_SHA_256', Message: Buffer.from(message) }),
    );
    if (!Mac) throw new Error('KMS answered GenerateMac without a code; expected 32 bytes.');
    return `whsec_${Buffer.from(Mac).toString('base64')}`;
  };
  const kept = new Map<string, Kept>();
  return ({ companyId, webhookId }, version) => {
    const message = `webhook/1/${companyId}/${webhookId}/${version}`;
    const found = kept.get(message);
    if (found && nowMs() < found.untilMs) return found.secret;
    const secret = derive(message);
    kept.delete(message);
    kept.set(message, { untilMs: nowMs() + secretKeptMs, secret });
    secret.catch(() => kept.delete(message));
    const [oldest] = kept.keys();
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
    return secret;
  };
};
