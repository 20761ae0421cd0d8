import { changeOutput, changeView, differencesOf, makeChange } from '../cli/change.ts';
import { defineCommand } from '../cli/command.ts';
import { requireContract } from '../contracts/contract-change.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { pokeNow, pokeRequirements } from '../webhooks/poke-now.ts';
import { changeWebhook, oneWebhook, requireWebhook } from '../webhooks/webhook-change.ts';

export const webhookEnable = defineCommand({
  noun: 'webhook',
  verb: 'enable',
  summary: 'Send a webhook pokes again, the first one at once, if its company has verified it before',
  arguments: oneWebhook,
  options: {},
  changes: true,
  requirements: pokeRequirements,
  output: changeOutput,
  run: async (context, { companyId, webhookId }) => {
    const { store } = await context.connect();
    const contract = await requireContract(store, companyId);
    const seen = await requireWebhook(store, companyId, webhookId);
    if (contract.state === 'ended')
      throw new OperatorError('refused', `The contract of ${companyId} has ended: none of its webhooks gets pokes.`);
    if (seen.verifiedAtMs === undefined)
      throw new OperatorError(
        'refused',
        `${webhookId} was never verified: nobody has shown that it is the company's. Let the company ask for a code, with {"code":null} to POST /webhooks/${webhookId}/verification, and send back the code that arrives.`,
      );
    const { state, disabledAtMs = null, disabledBecause = null } = seen;
    const enabled = { state: 'enabled', disabledAtMs: null, disabledBecause: null };
    return makeChange(context, {
      companyId,
      differences: differencesOf({ state, disabledAtMs, disabledBecause }, enabled),
      apply: async () => {
        await changeWebhook(context, seen, {
          set: { state: 'enabled', failures: 0 },
          remove: ['disabledAtMs', 'disabledBecause', 'failedSinceMs'],
          askAtMs: context.nowMs,
          onRecord: { before: { state }, after: { state: 'enabled' } },
        });
        await pokeNow(context, seen);
      },
    });
  },
  view: changeView,
});
