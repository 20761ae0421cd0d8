import type { DeliveryEvent, DeliveryOutcome } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import { findCompany } from '../data/contracts/companies.ts';
import { hasLeft } from '../data/contracts/contracts.ts';
import { type Store, withDeadline } from '../data/store/store.ts';
import { acquireLease, endLease } from '../data/webhooks/deliveries.ts';
import { putAttempt } from '../data/webhooks/webhook-attempts.ts';
import type { Company } from '../domain/company.ts';
import {
  type Webhook,
  type WebhookId,
  type WebhookSecretOf,
  type WebhookUrlFault,
  webhookUrlFault,
} from '../domain/webhook.ts';
import {
  type Ending,
  endingOf,
  heldMs,
  intentOf,
  type ListedAttempt,
  messageSpacingMs,
  messageTypeOf,
  retryAfterMsOf,
  type SignedContent,
  type Standing,
  signatureHeaders,
  signingVersions,
  standingOf,
  webhookMessageOf,
} from '../domain/webhook-message.ts';
import type { FunctionEnvironment } from '../runtime/function-environment.ts';
import { faultFields, writeEvent } from '../runtime/log-lines.ts';
import { longestDelayMs, type QueueDelivery } from './delivery-queue.ts';
import { failingLimits, type Network, type Post, type PostFault, type PostLimits, post, postLimits } from './post.ts';

export type DeliveryEnvironment = Pick<
  FunctionEnvironment,
  'store' | 'storeDeadlineMs' | 'setting' | 'log' | 'processTimeMs'
> & {
  readonly secretOf: WebhookSecretOf;
  readonly network: Network;
  readonly queueDelivery: QueueDelivery;
  /** From 0 to less than 1. */
  readonly random: () => number;
};

type Content = EventContent<DeliveryEvent>;
type Result = Omit<Content, 'level' | 'operation' | 'companyId' | 'webhookId'>;

/**
 * Sends a webhook the message that it is owed, if one is due now. Throws only for faults of ours: the message then stays owed.
 */
export const sendWebhookMessage = async (environment: DeliveryEnvironment, webhook: WebhookId): Promise<void> => {
  const common = {
    operation: 'sendWebhookMessage' as const,
    companyId: webhook.companyId,
    webhookId: webhook.webhookId,
  };
  const write = (event: Content) => writeEvent(environment, environment.processTimeMs(), event);
  try {
    write({ level: 'INFO', ...common, ...(await takeAndSend(environment, webhook)) });
  } catch (error) {
    write({ level: 'ERROR', ...common, outcome: 'failed', ...faultFields(error) });
    throw error;
  }
};

const takeAndSend = async (environment: DeliveryEnvironment, id: WebhookId): Promise<Result> => {
  const { store, storeDeadlineMs, processTimeMs, queueDelivery } = environment;
  const inTime = () => withDeadline(store, storeDeadlineMs);
  const taking = await acquireLease(inTime(), id, processTimeMs());
  if (taking.outcome === 'soon') await queueDelivery(id, messageSpacingMs);
  if (taking.outcome !== 'taken') return { outcome: taking.outcome };
  const { webhook } = taking;
  const [company, isGone] = await Promise.all([findCompany(inTime(), id.companyId), hasLeft(inTime(), id.companyId)]);
  const { told, listed, ...occasion } = await occasionOf(environment, webhook, company, standingOf(company, isGone));
  const nowMs = processTimeMs();
  // Both are waited for, even if one fails.
  const listing = listed && listAttempt(inTime(), id, listed);
  const ended = await endLease(inTime(), { taken: webhook, nowMs, ...occasion }).finally(() => listing);
  // The sweeper queues what is due later than a queue can delay.
  if (ended?.kind === 'again' && ended.atMs - nowMs <= longestDelayMs)
    await queueDelivery(id, Math.max(0, ended.atMs - nowMs));
  return { ...told, ...(await listing), outcome: ended === undefined ? 'lost' : told.outcome };
};

/** Stores an attempt for the partner to see. A fault does not affect the message: it is returned for the log line. */
const listAttempt = (store: Store, id: WebhookId, attempt: ListedAttempt): Promise<Pick<Result, 'unlisted'>> =>
  putAttempt(store, id, attempt).then(
    () => ({}),
    (fault: unknown) => ({ unlisted: String(fault) }),
  );

/** Sends the message or decides against it. Returns how this ends, and what is stored and logged about it. */
const occasionOf = async (
  environment: DeliveryEnvironment,
  webhook: Webhook,
  company: Company | undefined,
  standing: Standing,
) => {
  const nowMs = environment.processTimeMs();
  const intent = intentOf(webhook, standing, nowMs);
  if (company === undefined || intent !== 'send') {
    const ending = endingWithoutMessage[intent === 'send' ? 'hold' : intent](nowMs);
    return { ending, told: { outcome: outcomeOf(ending) } };
  }
  const content = webhookMessageOf(webhook, nowMs);
  let lastSentAtMs = nowMs;
  const whenSent = () => {
    lastSentAtMs = environment.processTimeMs();
  };
  const { retryAfter, ...posted } = await postMessage(environment, webhook, company.webhookHosts, {
    content,
    whenSent,
  });
  const endedMs = environment.processTimeMs();
  const retryAfterMs = retryAfterMsOf(retryAfter, endedMs);
  const { status } = posted;
  const random = environment.random();
  const ending = endingOf({ webhook, standing, status, retryAfterMs, nowMs: endedMs, random });
  const type = messageTypeOf(webhook);
  const told = { type, ...posted, failures: webhook.failures, outcome: outcomeOf(ending) };
  const attempt = { atMs: nowMs, ...posted };
  return {
    ending,
    attempt: { lastAttempt: attempt, lastSentAtMs },
    listed: { type, messageId: content.id, ...attempt },
    told,
  };
};

const endingWithoutMessage: Readonly<Record<'hold' | 'drop' | 'end', (nowMs: number) => Ending>> = {
  hold: (nowMs) => ({ kind: 'again', atMs: nowMs + heldMs }),
  drop: () => ({ kind: 'dropped' }),
  end: () => ({ kind: 'disabled', because: 'contract-ended' }),
};

const outcomeOf = (ending: Ending): DeliveryOutcome => {
  if (ending.kind !== 'again') return ending.kind;
  return ending.failedSinceMs === undefined ? 'held' : 'refused';
};

export type Poster = { readonly secretOf: WebhookSecretOf; readonly network: Network };

/** The result of sending a message; `fault` is null if the receiver answered. */
export type Posted = {
  readonly status: number | null;
  readonly fault: PostFault | WebhookUrlFault | null;
  readonly durationMs: number;
  readonly retryAfter?: string | undefined;
};

/** Sends the message that a webhook is owed. Throws only if its secrets cannot be derived. */
const postMessage = async (
  { secretOf, network }: Poster,
  webhook: Webhook,
  hosts: readonly string[],
  { content, whenSent }: Pick<Signed, 'content' | 'whenSent'>,
): Promise<Posted> => {
  const versions = signingVersions(webhook, content.timestampMs);
  const secrets = await Promise.all(versions.map((version) => secretOf(webhook, version)));
  const limits = webhook.failures > 0 ? failingLimits : postLimits;
  return postSigned(network, webhook.url, hosts, { content, secrets, limits, whenSent });
};

export type Signed = {
  readonly content: SignedContent;
  readonly secrets: readonly string[];
  readonly limits?: PostLimits;
  readonly whenSent?: Post['whenSent'];
};

/** Sends a message signed with these secrets, unless the company may not, or may no longer, use the URL. */
export const postSigned = async (
  network: Network,
  url: string,
  hosts: readonly string[],
  { content, secrets, limits, whenSent }: Signed,
): Promise<Posted> => {
  const fault = webhookUrlFault(url, hosts);
  if (fault !== undefined) return { status: null, fault, durationMs: 0 };
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'partner-api-webhooks/1',
    ...signatureHeaders(content, secrets),
  };
  return post(network, url, { headers, body: content.body, whenSent }, limits);
};
