import { changeOutput, changeView, differencesOf, makeChange } from '../cli/change.ts';
import { defineCommand } from '../cli/command.ts';
import { changeWebhook, oneWebhook, requireWebhook } from '../webhooks/webhook-change.ts';

export const webhookDisable = defineCommand({
  noun: 'webhook',
  verb: 'disable',
  summary: 'Send a webhook no pokes any more, until it is enabled again or its company verifies it anew',
  arguments: oneWebhook,
  options: {},
  changes: true,
  requirements: { tableActions: { Webhooks: ['GetItem', 'UpdateItem'], AuditLog: ['PutItem'] } },
  output: changeOutput,
  run: async (context, { companyId, webhookId }) => {
    const { store } = await context.connect();
    const seen = await requireWebhook(store, companyId, webhookId);
    const disabled = { state: 'disabled', disabledAtMs: context.nowMs, disabledBecause: 'operator' } as const;
    return makeChange(context, {
      companyId,
      differences: seen.state === 'disabled' ? [] : differencesOf({ ...seen }, disabled),
      apply: () =>
        changeWebhook(context, seen, {
          set: { ...disabled, failures: 0 },
          remove: ['due', 'dueAt', 'failedSinceMs'],
          onRecord: { before: { state: seen.state }, after: { state: 'disabled' } },
        }),
    });
  },
  view: changeView,
});
