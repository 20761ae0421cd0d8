import { randomBytes } from 'node:crypto';
import type { Webhook } from '../domain/webhook.ts';
import { isSuccess, testMessageOf, type WebhookMessageType } from '../domain/webhook-message.ts';
import type { PostLimits } from './post.ts';
import { type Posted, type Poster, postSigned } from './send-message.ts';

/** The result of a test. */
export type WebhookTest = {
  readonly rightSignature: TestMessageResult;
  readonly wrongSignature: TestMessageResult;
  /** Null without an answer, which says nothing about the receiver's check. */
  readonly wrongSignatureRefused: boolean | null;
};

type TestMessageResult = Omit<Posted, 'fault' | 'retryAfter'> & { readonly fault: Posted['fault'] | 'not-verified' };

type TestOptions = {
  readonly type: WebhookMessageType;
  readonly hosts: readonly string[];
  readonly nowMs: number;
  readonly limits?: PostLimits;
};

/** The partner waits for the answer: a receiver that takes longer is too slow for a test. */
const testLimits: PostLimits = { connectMs: 1500, totalMs: 3000 };

/**
 * Sends two messages of a type at once, one signed with the webhook's secret and one with a random secret: a receiver that
 * accepts both does not check signatures. Neither counts as an attempt, because the answer to the partner has its result. Sends
 * nothing to a URL that was never verified. Throws only if the secret cannot be derived.
 */
export const testWebhook = async (
  { secretOf, network }: Poster,
  webhook: Webhook,
  { type, hosts, nowMs, limits = testLimits }: TestOptions,
): Promise<WebhookTest> => {
  if (webhook.verifiedAtMs === undefined)
    return { rightSignature: notVerified, wrongSignature: notVerified, wrongSignatureRefused: null };
  const secret = await secretOf(webhook, webhook.secretVersion);
  const wrongSecret = `whsec_${randomBytes(32).toString('base64')}`;
  const [rightSignature, wrongSignature] = (await Promise.all(
    [secret, wrongSecret].map(async (each): Promise<TestMessageResult> => {
      const signed = { content: testMessageOf(webhook, type, nowMs), secrets: [each], limits };
      const { status, fault, durationMs } = await postSigned(network, webhook.url, hosts, signed);
      return { status, fault, durationMs };
    }),
  )) as [TestMessageResult, TestMessageResult];
  const { status } = wrongSignature;
  return { rightSignature, wrongSignature, wrongSignatureRefused: status === null ? null : !isSuccess(status) };
};

const notVerified = { status: null, fault: 'not-verified', durationMs: 0 } as const;
