import { auditPut } from '../../lambdas/data/audit/audit-log.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { transact } from '../../lambdas/data/store/transaction.ts';
import { findWebhook, updateIfAsSeen } from '../../lambdas/data/webhooks/webhooks.ts';
import type { Webhook } from '../../lambdas/domain/webhooks/webhook.ts';
import { companyId, idOf } from '../cli/arguments.ts';
import type { OperatorContext } from '../cli/context.ts';
import { OperatorError } from '../errors/operator-error.ts';

/** The arguments of the commands that are about one webhook. */
export const oneWebhook = { companyId, webhookId: { summary: 'as in webhook list', schema: idOf('webhook') } };

export const requireWebhook = async (store: Store, company: string, webhookId: string): Promise<Webhook> => {
  const webhook = await findWebhook(store, company, webhookId);
  if (webhook) return webhook;
  throw new OperatorError(
    'not-found',
    `${company} has no webhook ${webhookId}; perhaps it is deleted already. See which it has: webhook list ${company}.`,
  );
};

type Change = Parameters<typeof updateIfAsSeen>[3] & {
  /** What the record shows as before and after, beside the id. */
  readonly onRecord?: Pick<Parameters<typeof auditPut>[2], 'before' | 'after'>;
};

/** Changes a webhook and puts that on record, both or none; refuses if it did not stay as it was seen. */
export const changeWebhook = async (
  context: OperatorContext,
  seen: Webhook,
  { onRecord = {}, ...change }: Change,
): Promise<void> => {
  const { store } = await context.connect();
  const { companyId: company, webhookId } = seen;
  const failed = await transact(store, {
    webhook: updateIfAsSeen(store, seen, ['state', 'code'], change),
    audit: auditPut(store, await context.auditContext(company), { webhookId, ...onRecord }),
  });
  if (failed)
    throw new OperatorError(
      'conflict',
      `${webhookId} was changed by somebody else at the same moment, and nothing was done here. Look with webhook list ${company}, and run again if it still makes sense.`,
    );
};
