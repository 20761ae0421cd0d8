import { hostNamePattern } from '../api/host-name.ts';
import { maxUrlCharacters } from '../api/limits.ts';
import type { disablingReasons, webhookStates } from '../api/schemas/webhook.ts';
import { randomBase62 } from './encoding.ts';

/** Where a company wants to be told that there is something to read, and what it has to know to trust it. */
export type Webhook = Delivery & {
  readonly companyId: string;
  /** `wh_` and 22 base62 digits. */
  readonly webhookId: string;
  readonly url: string;
  readonly state: WebhookState;
  readonly createdAtMs: number;
  /** Counts from 1. The secret itself follows from ids and version, and is kept nowhere. */
  readonly secretVersion: number;
  /** Until then the version before signs along; absent if there is none that does. */
  readonly previousSecretUntilMs?: number;
  /**
   * Goes to the URL in a poke and comes back through the API. It is no credential: it says that who holds a key of the
   * company reads what arrives there, and without such a key it is worth nothing.
   */
  readonly code: string;
  readonly codeExpiresAtMs: number;
  readonly verifiedAtMs?: number;
  readonly disabledAtMs?: number;
  readonly disabledBecause?: DisabledBecause;
};

/** Unverified: its code has not come back yet. Disabled: it gets no pokes until it is verified anew. */
export type WebhookState = (typeof webhookStates)[number];

export type DisabledBecause = (typeof disablingReasons)[number];

const idDigits = 22;

export const newWebhookId = (): string => `wh_${randomBase62(idDigits)}`;

/** 131 bits: nobody guesses it within the time that it holds. */
export const newCode = (): string => randomBase62(idDigits);

/** How far the pokes of a webhook are: who asks for one writes `asked` and `due`, who sends them the rest. */
type Delivery = {
  /** Counts the reasons to poke: one that grew while a poke was under way owes another one. */
  readonly asked: number;
  /** Present as long as a poke is owed: the partition of the index that tells of it. */
  readonly due?: DuePartition;
  /** When the next attempt is due; RFC 3339, UTC, with milliseconds, so that the order of the text is that of time. */
  readonly dueAt?: string;
  /** Attempts that have failed since the last success. */
  readonly failures: number;
  readonly failedSinceMs?: number;
  readonly lastAttempt?: Attempt;
  /** Nobody else sends to it before then. */
  readonly leasedUntilMs?: number;
  readonly pokedAtMs?: number;
};

export type DuePartition = `due#${number}`;

/** What became of one request to the URL of a webhook: a status if it was answered, or else the fault that kept it from that. */
export type Attempt = {
  readonly atMs: number;
  readonly status: number | null;
  readonly fault: string | null;
  readonly durationMs: number;
};

/** What forbids to send anything to a URL, and what was expected of it. */
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
 * What forbids to send to the URL, or undefined if nothing does. It judges the text, and not what a parser makes of it:
 * parsers read `0x7f.1`, `①②⑦.0.0.1` and `https:\\host` each in their own way, so none of these may pass. Looking up
 * the name is left to the sender, which does so at each attempt.
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
  // The parser that the sender uses has to find the same host, and one at all.
  if (!hostNamePattern.test(host) || URL.parse(url)?.hostname !== host) return 'not-a-host-name';
  if (port !== undefined && port !== '443') return 'other-port';
  return hosts.some((registered) => host === registered || host.endsWith(`.${registered}`))
    ? undefined
    : 'host-not-registered';
};

/** Whether two URLs lead to the same place, however they are spelt: a host in capitals, port 443, no path or `/`. */
export const isSameUrl = (one: string, other: string): boolean => URL.parse(one)?.href === URL.parse(other)?.href;

const scheme = 'https://';
