import { createHash } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { DuePartition, Webhook } from '../../domain/webhook.ts';
import { queryPartition } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import type { TransactItem } from '../store/writes.ts';

/**
 * One partition per company: `WEBHOOK#<webhookId>` is a webhook; `IDS` holds the ids of all webhooks as a set of limited size.
 * So a company never has too many, even with concurrent requests.
 */
type Item = Record<string, unknown>;

export const webhookKey = (companyId: string, webhookId: string) => ({ companyId, sk: `${webhookPrefix}${webhookId}` });

export const webhookPrefix = 'WEBHOOK#';

export const webhookIdOf = (sk: string): string => sk.slice(webhookPrefix.length);

export const idsKey = (companyId: string) => ({ companyId, sk: 'IDS' });

export const toWebhookItem = (webhook: Webhook): Item => ({
  ...webhookKey(webhook.companyId, webhook.webhookId),
  ...webhook,
});

export const toWebhook = ({ sk, ...webhook }: Item): Webhook => webhook as unknown as Webhook;

export const findWebhook = async (store: Store, companyId: string, webhookId: string): Promise<Webhook | undefined> => {
  const command = {
    TableName: store.tableName('Webhooks'),
    Key: webhookKey(companyId, webhookId),
    ConsistentRead: true,
  };
  const { Item } = await store.send(new GetCommand(command));
  return Item && toWebhook(Item);
};

/** Returns a page of the company's webhooks in the order of their ids; `after` is the last id of the previous page. */
export const listWebhooks = async (store: Store, companyId: string, limit: number, after?: string) => {
  const page = { limit, after: after === undefined ? undefined : webhookKey(companyId, after) };
  const { items, hasMore } = await queryPartition(
    store,
    'Webhooks',
    { partition: companyId, prefix: webhookPrefix },
    page,
  );
  const webhooks = items.map(toWebhook);
  return { webhooks, next: hasMore ? webhooks.at(-1)?.webhookId : undefined };
};

/**
 * Reads the set of the ids of a company's webhooks, and then the webhooks: as long as the set does not change, no new webhook
 * is missing. One query of both would not guarantee that, since it is no snapshot.
 */
export const readAllWebhooks = async (store: Store, companyId: string) => {
  const command = { TableName: store.tableName('Webhooks'), Key: idsKey(companyId), ConsistentRead: true };
  const { Item: { webhookIds = new Set() } = {} } = await store.send(new GetCommand(command));
  const { items } = await queryPartition(store, 'Webhooks', { partition: companyId, prefix: webhookPrefix });
  return { ids: webhookIds as ReadonlySet<string>, webhooks: items.map(toWebhook) };
};

type WebhookChange = {
  readonly set: Partial<Webhook>;
  readonly remove?: readonly (keyof Webhook)[];
  /** Marks the webhook as owed a message from this time on. */
  readonly askAtMs?: number;
};

/** The transaction item that changes a webhook. It fails if one of the compared attributes has changed since it was read. */
export const updateIfAsSeen = (
  store: Store,
  seen: Webhook,
  compared: readonly (keyof Webhook)[],
  { set, remove = [], askAtMs }: WebhookChange,
): TransactItem => {
  const changed = Object.entries({ ...set, ...(askAtMs !== undefined && owedFrom(seen.webhookId, askAtMs)) });
  const removal = remove.length === 0 ? '' : ` REMOVE ${remove.map((name) => `#${name}`).join(', ')}`;
  const asking = askAtMs === undefined ? '' : ' ADD #asked :one';
  const named = [...changed.map(([name]) => name), ...remove, ...compared, ...(asking ? ['asked'] : [])];
  return {
    Update: {
      TableName: store.tableName('Webhooks'),
      Key: webhookKey(seen.companyId, seen.webhookId),
      UpdateExpression: `SET ${changed.map(([name]) => `#${name} = :${name}`).join(', ')}${removal}${asking}`,
      ConditionExpression: compared.map((name) => `#${name} = :seen_${name}`).join(' AND '),
      ExpressionAttributeNames: Object.fromEntries(named.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: {
        ...Object.fromEntries(changed.map(([name, value]) => [`:${name}`, value])),
        ...Object.fromEntries(compared.map((name) => [`:seen_${name}`, seen[name]])),
        ...(asking && { ':one': 1 }),
      },
    },
  };
};

/** The attributes of a webhook that is owed a message from that time on. */
export const owedFrom = (webhookId: string, atMs: number) => ({
  due: duePartitionOf(webhookId),
  dueAt: new Date(atMs).toISOString(),
});

/**
 * The partitions of the index of webhooks that are owed a message; the sweeper reads all of them. A single partition, once hot,
 * would throttle the writes of the table. To add one, first deploy a sweeper that reads it.
 */
export const duePartitions: readonly DuePartition[] = Array.from(
  { length: 8 },
  (_, number) => `due#${number}` as const,
);

const duePartitionOf = (webhookId: string): DuePartition => {
  const [byte = 0] = createHash('sha256').update(webhookId).digest();
  return duePartitions[byte % duePartitions.length] as DuePartition;
};
