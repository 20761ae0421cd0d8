import { sendMessage } from '../../lambdas/data/queues/queue-sender.ts';
import { createPokeQueue } from '../../lambdas/data/webhooks/poke-queue.ts';
import type { WebhookId } from '../../lambdas/data/webhooks/secrets.ts';
import type { OperatorContext } from '../cli/context.ts';

/** What it takes to owe a webhook a poke on record, and to queue it. */
export const pokeRequirements = {
  tableActions: { Webhooks: ['GetItem', 'UpdateItem'], Contracts: ['GetItem'], AuditLog: ['PutItem'] },
  queueActions: { pokes: ['SendMessage'] },
} as const;

/** Queues a poke that is owed by now. If the queue does not take it, the sweeper of the stage finds the webhook. */
export const pokeNow = async (context: OperatorContext, webhook: WebhookId): Promise<void> => {
  const { seams } = await context.connect();
  const queuePoke = createPokeQueue((queue, message) => sendMessage(seams.sqs, seams.urlOf(queue), message));
  try {
    await queuePoke(webhook);
  } catch (error) {
    const { name, message } = error as Error;
    context.talk(`The queue of pokes did not take it (${name}: ${message}). The stage sends it within a minute.`);
  }
};
