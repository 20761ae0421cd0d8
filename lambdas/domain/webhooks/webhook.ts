import type { disablingReasons, webhookStates } from '../../api/schemas/webhook.ts';
import { randomBase62 } from '../base62.ts';
import type { Delivery } from './delivery.ts';

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
