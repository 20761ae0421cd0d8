import { createHash, createHmac } from 'node:crypto';
import type { Company } from './company.ts';
import { randomBase62 } from './encoding.ts';
import { toTimestamp } from './time.ts';
import type { DisabledBecause, Webhook } from './webhook.ts';

/** What a poke is about: the code of the handshake, or that there is something to read. It holds nothing personal. */
export type PokeType = 'webhook.verify' | 'events.available' | 'webhook.test';

type Poked = Pick<Webhook, 'webhookId' | 'state' | 'code' | 'asked'>;

/** A webhook that is not verified yet gets its code, which none gets later. */
export const pokeTypeOf = ({ state }: Pick<Webhook, 'state'>) =>
  state === 'unverified' ? ('webhook.verify' as const) : ('events.available' as const);

/** A poke that is tried again keeps its id, and one that more was asked of gets another. */
export const pokeOf = (webhook: Poked, nowMs: number): SignedContent => {
  const { webhookId, code, asked } = webhook;
  const type = pokeTypeOf(webhook);
  const data = { webhookId, ...(type === 'webhook.verify' && { code }) };
  const content = `${type} ${webhookId} ${asked}${type === 'webhook.verify' ? ` ${code}` : ''}`;
  return {
    id: `poke_${createHash('sha256').update(content).digest('hex').slice(0, idDigits)}`,
    timestampMs: nowMs,
    body: bodyOf(type, nowMs, data),
  };
};

const idDigits = 32;

/** A poke that only tries the way: nobody has to read anything for it. */
export const testPokeOf = ({ webhookId }: Pick<Webhook, 'webhookId'>, nowMs: number): SignedContent => ({
  id: `poke_${randomBase62(22)}`,
  timestampMs: nowMs,
  body: bodyOf('webhook.test', nowMs, { webhookId }),
});

const bodyOf = (type: PokeType, nowMs: number, data: object): string =>
  JSON.stringify({ type, timestamp: toTimestamp(wholeSecond(nowMs)), data });

const wholeSecond = (ms: number): number => Math.floor(ms / 1000) * 1000;

/** The versions of the secret that sign: the current one first, and the one before it for as long as it signs along. */
export const signingVersions = (
  { secretVersion, previousSecretUntilMs = 0 }: Pick<Webhook, 'secretVersion' | 'previousSecretUntilMs'>,
  nowMs: number,
): readonly number[] => (nowMs < previousSecretUntilMs ? [secretVersion, secretVersion - 1] : [secretVersion]);

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

/** What is to be done about a poke that is owed. */
export type Intent = 'send' | 'hold' | 'drop' | 'end';

/** How an occasion to poke ends. */
export type Ending =
  | { readonly kind: 'delivered' }
  /** Due again; not counted as a failure unless it names the first one. */
  | { readonly kind: 'again'; readonly atMs: number; readonly failedSinceMs?: number }
  | { readonly kind: 'disabled'; readonly because: DisabledBecause }
  /** Nothing is owed any more. */
  | { readonly kind: 'dropped' };

/** How long a poke of a suspended company waits until somebody looks again. */
export const heldMs = 900_000;

type Owing = Pick<Webhook, 'state' | 'codeExpiresAtMs'>;

/** Whether a company may be poked. */
export type Standing = 'active' | 'suspended' | 'ended' | 'unknown';

export const standingOf = (company: Company | undefined, hasLeft: boolean): Standing => {
  if (!company) return 'unknown';
  if (company.state === 'suspended') return 'suspended';
  return hasLeft ? 'ended' : 'active';
};

/**
 * What becomes of a poke that is owed: a suspended company gets none, until it is no longer suspended. A company whose
 * contract has ended gets a last one, which `endingOf` makes the last.
 */
export const intentOf = ({ state, codeExpiresAtMs }: Owing, standing: Standing, nowMs: number): Intent => {
  if (state === 'disabled') return 'drop';
  if (standing === 'unknown' || standing === 'suspended') return 'hold';
  if (state === 'enabled') return 'send';
  if (standing === 'ended') return 'end';
  return nowMs < codeExpiresAtMs ? 'send' : 'drop';
};

export type Tried = {
  readonly webhook: Pick<Webhook, 'state' | 'codeExpiresAtMs' | 'failures' | 'failedSinceMs'>;
  readonly standing: Standing;
  readonly status: number | null;
  readonly retryAfterMs?: number | undefined;
  readonly nowMs: number;
  readonly random: number;
};

export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

/** How a poke that was sent ends, by what the receiver answered; a status that is null was no answer. */
export const endingOf = ({ webhook, standing, status, retryAfterMs, nowMs, random }: Tried): Ending => {
  if (standing === 'ended') return { kind: 'disabled', because: 'contract-ended' };
  if (isSuccess(status)) return { kind: 'delivered' };
  if (status === 410) return { kind: 'disabled', because: 'gone' };
  const { state, codeExpiresAtMs, failures, failedSinceMs = nowMs } = webhook;
  const atMs = nextAttemptMs({ failures: failures + 1, failedSinceMs, nowMs, retryAfterMs, random });
  // Nobody has verified it: there is nothing to tell of.
  if (state === 'unverified' && (atMs === undefined || atMs >= codeExpiresAtMs)) return { kind: 'dropped' };
  return atMs === undefined ? { kind: 'disabled', because: 'unreachable' } : { kind: 'again', atMs, failedSinceMs };
};

/**
 * What becomes of an ending if the webhook changed meanwhile: what was asked for while a poke was under way is owed still,
 * and a webhook that begins anew does so at once.
 */
export const revisedEnding = (ending: Ending, before: Webhook, now: Webhook, nextMs: number): Ending => {
  if (now.state === 'disabled') return { kind: 'dropped' };
  const hasBegunAnew = now.state !== before.state || now.code !== before.code;
  if (hasBegunAnew && !(ending.kind === 'disabled' && ending.because === 'contract-ended'))
    return { kind: 'again', atMs: nextMs };
  if (now.asked === before.asked) return ending;
  return ending.kind === 'delivered' || ending.kind === 'dropped' ? { kind: 'again', atMs: nextMs } : ending;
};

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Nobody is sent pokes more often. */
export const pokeSpacingMs = second;

/** For so long a webhook is tried that never answers well. */
export const givenUpAfterMs = 72 * hour;

/** A `Retry-After` holds up to here. */
export const longestRetryAfterMs = hour;

const firstWaits = [5 * second, minute, 5 * minute, 30 * minute, hour];
const laterWait = 3 * hour;
const jitterShare = 0.1;

/** When each attempt after the first is due, counted from the first failure, before jitter: all that fit into the time. */
export const retryOffsetsMs: readonly number[] = (() => {
  const offsets: number[] = [];
  for (let at = firstWaits[0] as number; at <= givenUpAfterMs; at += firstWaits[offsets.length] ?? laterWait)
    offsets.push(at);
  return offsets;
})();

export const maxAttemptsOfPoke = retryOffsetsMs.length + 1;

export type Failing = {
  /** The attempts that have failed in a row, at least one. */
  readonly failures: number;
  readonly failedSinceMs: number;
  readonly nowMs: number;
  /** How long the receiver has asked to wait. */
  readonly retryAfterMs?: number | undefined;
  /** From 0 to less than 1. */
  readonly random: number;
};

/**
 * When to try again, or undefined if the webhook is to be given up. Attempts keep to their plan from the first failure on, so
 * that jitter does not add up; one that came late, since the service was down, leaves out those that are past.
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

/** How long a `Retry-After` asks to wait, in seconds or until a date; undefined if it says neither. */
export const retryAfterMsOf = (header: string | undefined, nowMs: number): number | undefined => {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * second;
  const atMs = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
};
