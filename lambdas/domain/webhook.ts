import { hostNamePattern } from '../api/host-name.ts';
import { maxUrlCharacters } from '../api/limits.ts';
import type { disablingReasons, webhookStates } from '../api/schemas/webhook.ts';
import { randomBase62 } from './encoding.ts';

/** A URL at which a company wants messages when there is something to read, with its verification and its secret's version. */
export type Webhook = Delivery & {
  readonly companyId: string;
  /** `wh_` and 22 base62 digits. */
  readonly webhookId: string;
  readonly url: string;
  readonly state: WebhookState;
  readonly createdAtMs: number;
  /** Counts from 1. The secret itself is derived from ids and version, and stored nowhere. */
  readonly secretVersion: number;
  /** Until when the previous version also signs; absent if there is no such version. */
  readonly previousSecretUntilMs?: number;
  /**
   * Sent to the URL in a webhook message, and returned through the API. It is no credential: it proves that a holder of a key
   * of the company reads what arrives at the URL, and is worth nothing without such a key.
   */
  readonly code: string;
  readonly codeExpiresAtMs: number;
  readonly verifiedAtMs?: number;
  readonly disabledAtMs?: number;
  readonly disabledBecause?: DisabledBecause;
};

export type WebhookId = { readonly companyId: string; readonly webhookId: string };

/** Returns the secret of a webhook in one of its versions, which count from 1. Throws the SDK's errors if KMS is down. */
export type WebhookSecretOf = (webhook: WebhookId, version: number) => Promise<string>;

/** Unverified: its code has not been returned yet. Disabled: it gets no webhook messages until it is verified again. */
export type WebhookState = (typeof webhookStates)[number];

export type DisabledBecause = (typeof disablingReasons)[number];

const idDigits = 22;

export const newWebhookId = (): string => `wh_${randomBase62(idDigits)}`;

/** 131 bits: impossible to guess before the code expires. */
export const newCode = (): string => randomBase62(idDigits);

/**
 * The delivery of a webhook's messages: a request for a message writes `asked` and when it is due, the sender writes the rest.
 */
type Delivery = {
  /** Counts the requests for a message: if it grows during a delivery, another message is owed. */
  readonly asked: number;
  /** The partition of the index in which the webhook is listed; present as long as a webhook message is owed. */
  readonly due?: DuePartition;
  /** When the next attempt is due; RFC 3339, UTC, with milliseconds, so that texts sort in the order of time. */
  readonly dueAt?: string;
  /** Attempts that have failed since the last success. */
  readonly failures: number;
  readonly failedSinceMs?: number;
  readonly lastAttempt?: Attempt;
  /** No other process sends to the webhook before then. */
  readonly leasedUntilMs?: number;
  /**
   * When the last request was sent, or its attempt began if it was not; the next attempt begins `messageSpacingMs` later at the
   * earliest.
   */
  readonly lastSentAtMs?: number;
};

export type DuePartition = `due#${number}`;

/** The result of one request to the URL of a webhook: the status of the response, or the fault if there was none. */
export type Attempt = {
  readonly atMs: number;
  readonly status: number | null;
  readonly fault: string | null;
  readonly durationMs: number;
};

/** The reasons to send nothing to a URL, and what was expected of it. */
export const webhookUrlFaults = {
  'too-long': `Expected at most ${maxUrlCharacters} characters.`,
  'not-ascii': 'Expected ASCII characters without spaces, control characters and backslashes.',
  'not-https': 'Expected a URL that begins with https://.',
  'has-fragment': 'Expected a URL without a fragment.',
  'has-user-info': 'Expected a URL without a user name or password.',
  'other-port': 'Expected port 443, which a URL does not need to name.',
  'not-a-host-name':
    'Expected a host name such as hooks.example.com: no address in any spelling, and no dot at its end.',
  'host-not-registered': 'Expected a host that is registered for the company, or one below it.',
} as const;

export type WebhookUrlFault = keyof typeof webhookUrlFaults;

/**
 * Returns why nothing may be sent to the URL, or undefined if it is allowed. Checks the text and not the result of a parser:
 * parsers read `0x7f.1`, `①②⑦.0.0.1` and `https:\\host` each in their own way, so all of these are rejected. The sender
 * resolves the name at each attempt.
 */
export const webhookUrlFault = (url: string, hosts: readonly string[]): WebhookUrlFault | undefined => {
  if (url.length > maxUrlCharacters) return 'too-long';
  if (!/^[!-[\]-~]*$/.test(url)) return 'not-ascii';
  if (!url.toLowerCase().startsWith(scheme)) return 'not-https';
  if (url.includes('#')) return 'has-fragment';
  const [authority = ''] = url.slice(scheme.length).split(/[/?]/, 1);
  if (authority.includes('@')) return 'has-user-info';
  const [, name = '', port] = /^(.*?)(?::(\d*))?$/.exec(authority) ?? [];
  const host = name.toLowerCase();
  // The parser that the sender uses has to find a host, and the same one.
  if (!hostNamePattern.test(host) || URL.parse(url)?.hostname !== host) return 'not-a-host-name';
  if (port !== undefined && port !== '443') return 'other-port';
  return hosts.some((registered) => host === registered || host.endsWith(`.${registered}`))
    ? undefined
    : 'host-not-registered';
};

/** Whether two URLs lead to the same place, however they are spelt: a host in capitals, port 443, no path or `/`. */
export const isSameUrl = (one: string, other: string): boolean => URL.parse(one)?.href === URL.parse(other)?.href;

const scheme = 'https://';
