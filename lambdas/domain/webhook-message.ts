import { createHash, createHmac } from 'node:crypto';
import type { webhookMessageTypes } from '../api/schemas/webhook.ts';
import type { Company } from './company.ts';
import { randomBase62 } from './encoding.ts';
import { toTimestamp } from './time.ts';
import { type Attempt, type DisabledBecause, newCode, type Webhook } from './webhook.ts';

export type WebhookMessageType = (typeof webhookMessageTypes)[number];

type Addressed = Pick<Webhook, 'webhookId' | 'state' | 'code' | 'asked'>;

/** Only an unverified webhook receives its code. */
export const messageTypeOf = ({ state }: Pick<Webhook, 'state'>) =>
  state === 'unverified' ? ('webhook.verify' as const) : ('events.available' as const);

/**
 * Returns the message of a webhook. A retry keeps the id, unless a further message or a new code was requested since the last
 * attempt.
 */
export const webhookMessageOf = (webhook: Addressed, nowMs: number): SignedContent => {
  const { webhookId, code, asked } = webhook;
  const type = messageTypeOf(webhook);
  const data = { webhookId, ...(type === 'webhook.verify' && { code }) };
  const content = `${type} ${webhookId} ${asked}${type === 'webhook.verify' ? ` ${code}` : ''}`;
  return {
    id: `msg_${createHash('sha256').update(content).digest('hex').slice(0, idDigits)}`,
    timestampMs: nowMs,
    body: bodyOf(type, nowMs, data),
  };
};

const idDigits = 32;

/** Returns a message that a partner has requested as a test. The code in it was never valid. */
export const testMessageOf = (
  { webhookId }: Pick<Webhook, 'webhookId'>,
  type: WebhookMessageType,
  nowMs: number,
): SignedContent => ({
  id: `msg_${randomBase62(22)}`,
  timestampMs: nowMs,
  body: bodyOf(type, nowMs, { webhookId, ...(type === 'webhook.verify' && { code: newCode() }) }),
});

const bodyOf = (type: WebhookMessageType, nowMs: number, data: object): string =>
  JSON.stringify({ type, timestamp: toTimestamp(wholeSecond(nowMs)), data });

const wholeSecond = (ms: number): number => Math.floor(ms / 1000) * 1000;

/** Returns the versions of the secret that sign: the current one first, then the previous one while it also signs. */
export const signingVersions = (
  { secretVersion, previousSecretUntilMs = 0 }: Pick<Webhook, 'secretVersion' | 'previousSecretUntilMs'>,
  nowMs: number,
): readonly number[] => (nowMs < previousSecretUntilMs ? [secretVersion, secretVersion - 1] : [secretVersion]);

/** The signed parts of a message, which are all that a receiver gets. */
export type SignedContent = { readonly id: string; readonly timestampMs: number; readonly body: string };

const secretPrefix = 'whsec_';

/**
 * Returns the headers of Standard Webhooks, with one signature for each secret, separated by spaces: during a rotation,
 * receivers with either secret find their signature.
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

/** What to do about a message that is owed. */
export type Intent = 'send' | 'hold' | 'drop' | 'end';

/** The outcome of a delivery. */
export type Ending =
  | { readonly kind: 'delivered' }
  /** The message is due again. It counts as a failure only if `failedSinceMs` is set. */
  | { readonly kind: 'again'; readonly atMs: number; readonly failedSinceMs?: number }
  | { readonly kind: 'disabled'; readonly because: DisabledBecause }
  /** No message is owed any more. */
  | { readonly kind: 'dropped' };

/** How long the message of a suspended or unknown company waits until the next check. */
export const heldMs = 900_000;

type Owing = Pick<Webhook, 'state' | 'codeExpiresAtMs'>;

/** Whether a company may receive messages. */
export type Standing = 'active' | 'suspended' | 'ended' | 'unknown';

export const standingOf = (company: Company | undefined, hasLeft: boolean): Standing => {
  if (!company) return 'unknown';
  if (company.state === 'suspended') return 'suspended';
  return hasLeft ? 'ended' : 'active';
};

/**
 * Returns what to do about a message that is owed. A suspended company gets no messages during its suspension. A company whose
 * contracts have all ended gets one more message, after which `endingOf` disables the webhook.
 */
export const intentOf = ({ state, codeExpiresAtMs }: Owing, standing: Standing, nowMs: number): Intent => {
  if (state === 'disabled') return 'drop';
  if (standing === 'unknown' || standing === 'suspended') return 'hold';
  if (state === 'enabled') return 'send';
  if (standing === 'ended') return 'end';
  return nowMs < codeExpiresAtMs ? 'send' : 'drop';
};

export type DeliveryResult = {
  readonly webhook: Pick<Webhook, 'state' | 'codeExpiresAtMs' | 'failures' | 'failedSinceMs'>;
  readonly standing: Standing;
  readonly status: number | null;
  readonly retryAfterMs?: number | undefined;
  readonly nowMs: number;
  readonly random: number;
};

export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

/** Returns the outcome of a message that was sent, from the receiver's status; null if there was no response. */
export const endingOf = ({ webhook, standing, status, retryAfterMs, nowMs, random }: DeliveryResult): Ending => {
  if (standing === 'ended') return { kind: 'disabled', because: 'contract-ended' };
  if (isSuccess(status)) return { kind: 'delivered' };
  if (status === 410) return { kind: 'disabled', because: 'gone' };
  const { state, codeExpiresAtMs, failures, failedSinceMs = nowMs } = webhook;
  const atMs = nextAttemptMs({ failures: failures + 1, failedSinceMs, nowMs, retryAfterMs, random });
  // An unverified webhook gets no further messages anyway, so it need not be disabled.
  if (state === 'unverified' && (atMs === undefined || atMs >= codeExpiresAtMs)) return { kind: 'dropped' };
  return atMs === undefined ? { kind: 'disabled', because: 'unreachable' } : { kind: 'again', atMs, failedSinceMs };
};

/**
 * Returns the outcome of a delivery if the webhook has changed since its start: a message that was requested meanwhile is still
 * owed, and a webhook that was started over is due as soon as possible.
 */
export const revisedEnding = (ending: Ending, before: Webhook, now: Webhook, nextMs: number): Ending => {
  if (now.state === 'disabled') return { kind: 'dropped' };
  const hasBegunAnew = now.state !== before.state || now.code !== before.code;
  if (hasBegunAnew && !(ending.kind === 'disabled' && ending.because === 'contract-ended'))
    return { kind: 'again', atMs: nextMs };
  if (now.asked === before.asked) return ending;
  return ending.kind === 'delivered' || ending.kind === 'dropped' ? { kind: 'again', atMs: nextMs } : ending;
};

/** An attempt in the list of those of its webhook. */
export type ListedAttempt = Attempt & {
  readonly type: WebhookMessageType;
  /** The id of the message, which its receiver sees. */
  readonly messageId: string;
};

/** Returns when the message of an attempt is sent again; undefined if it is not, or if another attempt was made since. */
export const nextAttemptAt = (
  { lastAttempt, failedSinceMs, dueAt }: Pick<Webhook, 'lastAttempt' | 'failedSinceMs' | 'dueAt'>,
  { atMs, status }: Pick<Attempt, 'atMs' | 'status'>,
): string | undefined =>
  lastAttempt?.atMs === atMs && failedSinceMs !== undefined && !isSuccess(status) ? dueAt : undefined;

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** The minimum time between two messages to a webhook, from sending one to the lease of the next. */
export const messageSpacingMs = second;

/** How long a failing webhook is retried. */
const givenUpAfterMs = 72 * hour;

/** The longest wait of a `Retry-After` that is respected. */
const longestRetryAfterMs = hour;

const firstWaits = [5 * second, minute, 5 * minute, 30 * minute, hour];
const laterWait = 3 * hour;
const jitterShare = 0.1;

/** When each retry is due, counted from the first failure, before jitter: all retries that fit into `givenUpAfterMs`. */
const retryOffsetsMs: readonly number[] = (() => {
  const offsets: number[] = [];
  for (let at = firstWaits[0] as number; at <= givenUpAfterMs; at += firstWaits[offsets.length] ?? laterWait)
    offsets.push(at);
  return offsets;
})();

export type Failing = {
  /** The number of attempts that have failed in a row, at least one. */
  readonly failures: number;
  readonly failedSinceMs: number;
  readonly nowMs: number;
  /** How long the receiver has asked to wait. */
  readonly retryAfterMs?: number | undefined;
  /** From 0 to less than 1. */
  readonly random: number;
};

/**
 * Returns when to retry; undefined if the webhook is to be given up. Retries keep to their schedule from the first failure on,
 * so that jitter does not add up. After a late attempt, because the service was down, retries that are past are left out.
 */
export const nextAttemptMs = ({
  failures,
  failedSinceMs,
  nowMs,
  retryAfterMs = 0,
  random,
}: Failing): number | undefined => {
  const elapsedMs = nowMs - failedSinceMs;
  const index = retryOffsetsMs.findIndex((offset, each) => each >= failures - 1 && offset > elapsedMs);
  const offset = retryOffsetsMs[index];
  if (offset === undefined) return undefined;
  const jitterMs = index < firstWaits.length ? 0 : Math.round((2 * random - 1) * jitterShare * laterWait);
  const plannedMs = failedSinceMs + offset + jitterMs;
  return Math.max(plannedMs, nowMs + Math.min(retryAfterMs, longestRetryAfterMs));
};

/** Parses a `Retry-After`, in seconds or as a date. Returns the wait in milliseconds; undefined if it is neither. */
export const retryAfterMsOf = (header: string | undefined, nowMs: number): number | undefined => {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * second;
  const atMs = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
};
