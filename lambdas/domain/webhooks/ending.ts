import type { Contract } from '../contract.ts';
import { nextAttemptMs } from './retries.ts';
import type { DisabledBecause, Webhook } from './webhook.ts';

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

/**
 * What the contract makes of a poke that is owed: a suspended company gets none, until it is no longer suspended. A company
 * whose contract has ended gets a last one, which `endingOf` makes the last.
 */
export const intentOf = ({ state, codeExpiresAtMs }: Owing, contract: Contract | undefined, nowMs: number): Intent => {
  if (state === 'disabled') return 'drop';
  if (!contract || contract.state === 'suspended') return 'hold';
  if (state === 'enabled') return 'send';
  if (contract.state === 'ended') return 'end';
  return nowMs < codeExpiresAtMs ? 'send' : 'drop';
};

export type Tried = {
  readonly webhook: Pick<Webhook, 'state' | 'codeExpiresAtMs' | 'failures' | 'failedSinceMs'>;
  readonly contract: Pick<Contract, 'state'>;
  readonly status: number | null;
  readonly retryAfterMs?: number | undefined;
  readonly nowMs: number;
  readonly random: number;
};

export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

/** How a poke that was sent ends, by what the receiver answered; a status that is null was no answer. */
export const endingOf = ({ webhook, contract, status, retryAfterMs, nowMs, random }: Tried): Ending => {
  if (contract.state === 'ended') return { kind: 'disabled', because: 'contract-ended' };
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
