import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { issueServerCertificate } from 'serve-stack/host';
import { afterAll, expect } from 'vitest';
import * as z from 'zod/mini';
import { deliveryEvent } from '../../lambdas/api/log-events/background-events.ts';
import { handler } from '../../lambdas/consumers/sendWebhookMessage.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { findWebhook, owedFrom, toWebhookItem } from '../../lambdas/data/webhooks/webhooks.ts';
import { newWebhookId, type Webhook, type WebhookId } from '../../lambdas/domain/webhook.ts';
import type { Network } from '../../lambdas/webhooks/post.ts';
import type { DeliveryEnvironment } from '../../lambdas/webhooks/send-message.ts';
import { type Overrides, onboard, startMs, theWorld, webhookSecretOf } from './world.ts';

/** Creates a webhook of a new company, by default enabled and with a message due since `startMs`. */
export const webhookOf = async (overrides: Partial<Webhook> = {}, company: Overrides = {}) => {
  const { companyId } = await onboard(theWorld().store, { webhookHosts: [receiverHost], ...company });
  return putWebhook(companyId, overrides);
};

/** Writes a webhook of a company, by default enabled and with a message due since `startMs`. */
export const putWebhook = async (
  companyId: string,
  overrides: Partial<Webhook> = {},
  store: Store = theWorld().store,
): Promise<Webhook> => {
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

type Queued = { readonly webhookId: string; readonly delayMs: number };

type Options = Pick<DeliveryEnvironment, 'network'> &
  Partial<Pick<DeliveryEnvironment, 'secretOf' | 'random' | 'processTimeMs'>> & {
    readonly nowMs?: number;
    readonly store?: Store;
  };

/** Sends one message about the webhook to the consumer; returns its checked log line and the messages that it queued. */
export const deliver = async (webhook: WebhookId, options: Options) => {
  const { lines, queued } = await deliverBatch([webhook], options);
  const [line] = lines as [string];
  const logged = z.parse(deliveryEvent, JSON.parse(line));
  return { logged, line, outcome: logged.outcome, queued };
};

/** Sends the consumer a batch with one message for each webhook; returns its log lines and the messages that it queued. */
export const deliverBatch = async (webhooks: readonly WebhookId[], options: Options) => {
  const { nowMs = startMs, store = theWorld().store, ...others } = options;
  const lines: string[] = [];
  const queued: Queued[] = [];
  const records = webhooks.map(({ companyId, webhookId }, index) => ({
    messageId: `m${index + 1}`,
    body: JSON.stringify({ companyId, webhookId }),
  }));
  const { batchItemFailures } = await handler.withEnvironment({
    ...theWorld().environment,
    store,
    secretOf: webhookSecretOf,
    random: () => 0.5,
    processTimeMs: () => nowMs,
    ...others,
    log: (line) => void lines.push(line),
    queueDelivery: async (id, delayMs = 0) => void queued.push({ webhookId: id.webhookId, delayMs }),
  })({ Records: records as never[] }, undefined);
  expect(lines).toHaveLength(webhooks.length);
  for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(1024);
  expect(batchItemFailures).toEqual([]);
  return { lines, queued };
};

export type Arrived = {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};
type Answer = (outgoing: ServerResponse, arrived: Arrived, incoming: IncomingMessage) => void;

export const receiverHost = 'hooks.acme.example';

/** A public address. Nothing is sent to it: the receiver of a test answers in its place. */
export const publicAddress = '128.66.0.1';

/**
 * Starts a partner's receiver on this machine, with a certificate for `receiverHost`, until the end of the test file. `network`
 * connects every request to it, and records the address that was checked.
 */
export const startReceiver = async () => {
  const { ca, certificate, privateKey } = await issueServerCertificate(Date.now(), [receiverHost]);
  const arrived: Arrived[] = [];
  const connections: { readonly hostName: string; readonly addresses: readonly string[] }[] = [];
  let answer: Answer = (outgoing) => outgoing.writeHead(204).end();
  let resolved: readonly string[] = [publicAddress];
  const server = createServer({ cert: certificate, key: privateKey }, async (incoming, outgoing) => {
    const request = { path: incoming.url, headers: incoming.headers, body: await text(incoming).catch(() => '') };
    arrived.push(request);
    answer(outgoing, request, incoming);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const network: Network = {
    resolve: async () => resolved,
    connect: (hostName, addresses) => {
      connections.push({ hostName, addresses });
      return connect({ host: '127.0.0.1', port, servername: hostName, ca, ALPNProtocols: ['http/1.1'] });
    },
  };
  return {
    network,
    arrived,
    connections,
    port,
    answerWith: (next: Answer | number) => {
      answer = typeof next === 'number' ? (outgoing) => outgoing.writeHead(next).end() : next;
    },
    resolveTo: (...addresses: readonly string[]) => {
      resolved = addresses;
    },
  };
};
