import { owedFrom } from '../../lambdas/data/webhooks/webhooks.ts';
import { intentOf } from '../../lambdas/domain/webhooks/ending.ts';
import type { Webhook } from '../../lambdas/domain/webhooks/webhook.ts';
import { changeOutput, changeView, makeChange } from '../cli/change.ts';
import { defineCommand } from '../cli/command.ts';
import { requireContract } from '../contracts/contract-change.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { pokeNow, pokeRequirements } from '../webhooks/poke-now.ts';
import { changeWebhook, oneWebhook, requireWebhook } from '../webhooks/webhook-change.ts';

export const webhookTest = defineCommand({
  noun: 'webhook',
  verb: 'test',
  summary:
    'Send a webhook a poke at once, like one that is owed: a failing one does not wait for its next attempt. webhook list shows how it went',
  arguments: oneWebhook,
  options: {},
  changes: true,
  requirements: pokeRequirements,
  output: changeOutput,
  run: async (context, { companyId, webhookId }) => {
    const { store } = await context.connect();
    const contract = await requireContract(store, companyId);
    const seen = await requireWebhook(store, companyId, webhookId);
    if (contract.state !== 'active')
      throw new OperatorError('refused', `The contract of ${companyId} is ${contract.state}: it gets no pokes.`);
    if (intentOf(seen, contract, context.nowMs) !== 'send')
      throw new OperatorError('refused', `${webhookId} gets no pokes: ${remedyOf(seen)}`);
    const { dueAt } = owedFrom(webhookId, context.nowMs);
    return makeChange(context, {
      companyId,
      differences: [{ what: 'poke due', before: seen.dueAt ?? null, after: dueAt }],
      apply: async () => {
        await changeWebhook(context, seen, { set: {}, askAtMs: context.nowMs });
        await pokeNow(context, seen);
      },
    });
  },
  view: changeView,
});

const remedyOf = ({ state, companyId, webhookId }: Webhook): string =>
  state === 'disabled'
    ? `it is disabled. To enable it: webhook enable ${companyId} ${webhookId}.`
    : 'it is not verified, and its code has expired. Let the company ask for a new one.';
