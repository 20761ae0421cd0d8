import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from 'vitest';
import * as z from 'zod/mini';
import { pokeEvent } from '../../lambdas/api/events/poke-event.ts';
import { handler } from '../../lambdas/consumers/sendPoke.ts';
import { maxEventBytes } from '../../lambdas/data/event-log.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { WebhookId } from '../../lambdas/data/webhooks/secrets.ts';
import { findWebhook, owedFrom, toWebhookItem } from '../../lambdas/data/webhooks/webhooks.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { newWebhookId, type Webhook } from '../../lambdas/domain/webhooks/webhook.ts';
import type { PokeEnvironment } from '../../lambdas/webhooks/send-poke.ts';
import { receiverHost } from './receiver.ts';
import { onboard, startMs, theWorld, webhookSecretOf } from './world.ts';

/** A webhook of a new company, by default enabled and owed a poke since `startMs`. */
export const webhookOf = async (overrides: Partial<Webhook> = {}, contract: Partial<Contract> = {}) => {
  const { companyId } = await onboard(theWorld().store, { webhookHosts: [receiverHost], ...contract });
  return putWebhook(companyId, overrides);
};

/** A webhook of that company, by default enabled and owed a poke since `startMs`. */
export const putWebhook = async (companyId: string, overrides: Partial<Webhook> = {}): Promise<Webhook> => {
  const { store } = theWorld();
  const { webhookId = newWebhookId() } = overrides;
  const webhook: Webhook = {
    companyId,
    webhookId,
    url: `https://${receiverHost}/heating`,
    state: 'enabled',
    createdAtMs: startMs,
    secretVersion: 1,
    code: 'c0de',
    codeExpiresAtMs: startMs + 86_400_000,
    asked: 1,
    failures: 0,
    ...owedFrom(webhookId, startMs),
    ...overrides,
  };
  await store.send(new PutCommand({ TableName: store.tableName('Webhooks'), Item: toWebhookItem(webhook) }));
  return webhook;
};

export const stored = ({ companyId, webhookId }: WebhookId): Promise<Webhook | undefined> =>
  findWebhook(theWorld().store, companyId, webhookId);

export type Queued = { readonly webhookId: string; readonly delayMs: number };

type Options = Pick<PokeEnvironment, 'network'> &
  Partial<Pick<PokeEnvironment, 'secretOf' | 'random'>> & { readonly nowMs?: number; readonly store?: Store };

/** Lets the consumer take one message about the webhook; tells its line, checked, and what it has queued. */
export const poke = async ({ companyId, webhookId }: WebhookId, options: Options) => {
  const { nowMs = startMs, store = theWorld().store, ...others } = options;
  const lines: string[] = [];
  const queued: Queued[] = [];
  const record = { messageId: 'm1', body: JSON.stringify({ companyId, webhookId }) };
  const { batchItemFailures } = await handler.withEnvironment({
    ...theWorld().environment,
    store,
    secretOf: webhookSecretOf,
    random: () => 0.5,
    ...others,
    processTimeMs: () => nowMs,
    log: (line) => void lines.push(line),
    queuePoke: async (id, delayMs = 0) => void queued.push({ webhookId: id.webhookId, delayMs }),
  })({ Records: [record as never] }, undefined);
  expect(lines).toHaveLength(1);
  expect(Buffer.byteLength(lines[0] as string)).toBeLessThanOrEqual(maxEventBytes);
  const told = z.parse(pokeEvent, JSON.parse(lines[0] as string));
  expect(batchItemFailures.length).toBe(told.outcome === 'failed' ? 1 : 0);
  return { told, line: lines[0] as string, outcome: told.outcome, queued };
};
