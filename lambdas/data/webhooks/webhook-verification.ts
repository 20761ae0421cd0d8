import type { Webhook } from '../../domain/webhooks/webhook.ts';
import { type AuditContext, auditPut } from '../audit/audit-log.ts';
import { retrying } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { transact } from '../store/transaction.ts';
import { freshCode } from './webhook-creation.ts';
import { findWebhook, updateIfAsSeen } from './webhooks.ts';

export type Verification =
  | { readonly outcome: 'verified' | 'code-renewed' | 'unchanged'; readonly webhook: Webhook }
  | { readonly outcome: 'webhook-not-found' | 'webhook-code-mismatch' };

/** Others who change the same attributes are requests of the same company, and the sender, once. */
const atMost = 5;

/**
 * Enables a webhook whose code came back, and owes it a poke; a repeat changes nothing. Null in its place: a webhook that is
 * not enabled is owed a poke with a new code. Throws StoreUnavailableError.
 */
export const verifyWebhook = (
  store: Store,
  auditContext: AuditContext,
  webhookId: string,
  code: string | null,
): Promise<Verification> =>
  retrying<Verification>({ to: `verify webhook ${webhookId}`, atMost }, async () => {
    const webhook = await findWebhook(store, auditContext.companyId, webhookId);
    if (!webhook) return { outcome: 'webhook-not-found' };
    if (webhook.state === 'enabled' && (code === null || code === webhook.code))
      return { outcome: 'unchanged', webhook };
    if (code !== null && !isCurrentCode(webhook, code, auditContext.nowMs)) return { outcome: 'webhook-code-mismatch' };
    return (code === null ? renewCode : enable)(store, auditContext, webhook);
  });

/** The code of a disabled webhook is of the time before: it says nothing of now. */
const isCurrentCode = (webhook: Webhook, code: string, nowMs: number): boolean =>
  webhook.state === 'unverified' && code === webhook.code && nowMs < webhook.codeExpiresAtMs;

/** Undefined if somebody was faster. */
const enable = (store: Store, auditContext: AuditContext, seen: Webhook): Promise<Verification | undefined> =>
  turn(store, auditContext, seen, {
    outcome: 'verified',
    webhook: { ...seen, state: 'enabled', verifiedAtMs: auditContext.nowMs, failures: 0 },
    changed: ['state', 'verifiedAtMs', 'failures'],
  });

const renewCode = (store: Store, auditContext: AuditContext, seen: Webhook): Promise<Verification | undefined> =>
  turn(store, auditContext, seen, {
    outcome: 'code-renewed',
    webhook: { ...seen, state: 'unverified', ...freshCode(auditContext.nowMs), failures: 0 },
    changed: ['state', 'code', 'codeExpiresAtMs', 'failures'],
  });

/** What a new begin leaves behind. */
const ofThePast = ['disabledAtMs', 'disabledBecause', 'failedSinceMs'] as const;

type Turn = {
  readonly outcome: 'verified' | 'code-renewed';
  readonly webhook: Webhook;
  readonly changed: readonly (keyof Webhook)[];
};

const turn = async (
  store: Store,
  auditContext: AuditContext,
  seen: Webhook,
  { outcome, webhook, changed }: Turn,
): Promise<Verification | undefined> => {
  const failed = await transact(store, {
    webhook: updateIfAsSeen(store, seen, ['state', 'code'], {
      set: Object.fromEntries(changed.map((name) => [name, webhook[name]])),
      remove: ofThePast,
      askAtMs: auditContext.nowMs,
    }),
    audit: auditPut(store, auditContext, {
      webhookId: seen.webhookId,
      before: { state: seen.state },
      after: { state: webhook.state },
    }),
  });
  if (failed) return undefined;
  const { disabledAtMs, disabledBecause, failedSinceMs, ...current } = webhook;
  return { outcome, webhook: current };
};
