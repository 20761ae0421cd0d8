import type { WebhookSecretOf } from '../data/webhooks/secrets.ts';
import { pokeOf, type SignedContent, signatureHeaders, signingVersions } from '../domain/poke.ts';
import { type Webhook, type WebhookUrlFault, webhookUrlFault } from '../domain/webhook.ts';
import type { Network } from './network.ts';
import { type PostFault, type PostLimits, post } from './post.ts';

export type Poster = { readonly secretOf: WebhookSecretOf; readonly network: Network };

/** What a poke has come to; `fault` is null if it was answered. */
export type Posted = {
  readonly status: number | null;
  readonly fault: PostFault | WebhookUrlFault | null;
  readonly durationMs: number;
  readonly retryAfter?: string | undefined;
};

/** Sends the poke that a webhook is owed. Throws only if its secrets cannot be had. */
export const postPoke = async (
  { secretOf, network }: Poster,
  webhook: Webhook,
  hosts: readonly string[],
  nowMs: number,
): Promise<Posted> => {
  const secrets = await Promise.all(signingVersions(webhook, nowMs).map((version) => secretOf(webhook, version)));
  return postSigned(network, webhook.url, hosts, { content: pokeOf(webhook, nowMs), secrets });
};

export type Signed = {
  readonly content: SignedContent;
  readonly secrets: readonly string[];
  readonly limits?: PostLimits;
};

/** Sends a poke signed with these secrets, unless the URL is none that the company may name, or no longer is. */
export const postSigned = async (
  network: Network,
  url: string,
  hosts: readonly string[],
  { content, secrets, limits }: Signed,
): Promise<Posted> => {
  const fault = webhookUrlFault(url, hosts);
  if (fault !== undefined) return { status: null, fault, durationMs: 0 };
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'partner-api-webhooks/1',
    ...signatureHeaders(content, secrets),
  };
  return post(network, url, { headers, body: content.body }, limits);
};
