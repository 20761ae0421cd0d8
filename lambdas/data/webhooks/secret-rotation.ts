import { secretOverlapHours } from '../../api/limits.ts';
import { type AuditContext, auditPut } from '../audit/audit-log.ts';
import { retrying } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { transact } from '../store/transaction.ts';
import type { WebhookSecretOf } from './secrets.ts';
import { findWebhook, updateIfAsSeen } from './webhooks.ts';

export type Rotation =
  | { readonly outcome: 'rotated'; readonly secret: string; readonly previousSecretUntilMs: number }
  | { readonly outcome: 'webhook-not-found' };

const atMost = 5;

/**
 * Gives a webhook its next secret; the one before signs along for a day. The secret is derived first, so that nothing changes
 * if it cannot be shown. Of two at once, each gets a secret of its own. Throws StoreUnavailableError.
 */
export const rotateWebhookSecret = async (
  store: Store,
  auditContext: AuditContext,
  webhookId: string,
  secretOf: WebhookSecretOf,
): Promise<Rotation> => {
  const { companyId, nowMs } = auditContext;
  return retrying<Rotation>({ to: `replace the secret of ${webhookId}`, atMost }, async () => {
    const seen = await findWebhook(store, companyId, webhookId);
    if (!seen) return { outcome: 'webhook-not-found' };
    const secretVersion = seen.secretVersion + 1;
    const secret = await secretOf(seen, secretVersion);
    const previousSecretUntilMs = nowMs + secretOverlapHours * 3_600_000;
    const failed = await transact(store, {
      webhook: updateIfAsSeen(store, seen, ['secretVersion'], { set: { secretVersion, previousSecretUntilMs } }),
      audit: auditPut(store, auditContext, {
        webhookId,
        before: { secretVersion: seen.secretVersion },
        after: { secretVersion },
      }),
    });
    return failed ? undefined : { outcome: 'rotated', secret, previousSecretUntilMs };
  });
};
