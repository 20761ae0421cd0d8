import { createHmac } from 'node:crypto';

/** What is signed of a poke: all that a receiver gets. */
export type SignedContent = { readonly id: string; readonly timestampMs: number; readonly body: string };

const secretPrefix = 'whsec_';

/**
 * The headers of Standard Webhooks, with one signature for each secret, separated by spaces: a receiver that has either secret
 * finds its own while one replaces the other.
 */
export const signatureHeaders = (content: SignedContent, secrets: readonly string[]): Record<string, string> => {
  const seconds = Math.floor(content.timestampMs / 1000);
  return {
    'webhook-id': content.id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map((secret) => signatureOf(content, seconds, secret)).join(' '),
  };
};

const signatureOf = ({ id, body }: SignedContent, seconds: number, secret: string): string => {
  if (!secret.startsWith(secretPrefix)) throw new Error(`The secret of a webhook begins with ${secretPrefix}.`);
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
};
