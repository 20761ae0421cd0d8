import { createHash } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { DuePartition, Webhook } from '../../domain/webhook.ts';
import { queryPartition } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import type { TransactItem } from '../store/writes.ts';

/**
 * One partition per company: `WEBHOOK#<webhookId>` is a webhook; `IDS` holds the ids of all of them as a set, whose size
 * has a limit. So there is never one too many, whatever happens at once.
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

/** A page of the company's webhooks in the order of their ids; `after` is the last id of the page before. */
export const listWebhooks = async (store: Store, companyId: string, limit: number, after?: string) => {
  const page = { limit, after: after === undefined ? undefined : webhookKey(companyId, after) };
  const { items, hasMore } = await queryPartition(store, 'Webhooks', companyId, webhookPrefix, page);
  const webhooks = items.map(toWebhook);
  return { webhooks, next: hasMore ? webhooks.at(-1)?.webhookId : undefined };
};

/**
 * The set of the ids of a company's webhooks, and then all of them: so as long as the set is this one, no webhook has come
 * that is not among them. A query of both would not do, since it is no snapshot.
 */
export const readAllWebhooks = async (store: Store, companyId: string) => {
  const command = { TableName: store.tableName('Webhooks'), Key: idsKey(companyId), ConsistentRead: true };
  const { Item: { webhookIds = new Set() } = {} } = await store.send(new GetCommand(command));
  const { items } = await queryPartition(store, 'Webhooks', companyId, webhookPrefix);
  return { ids: webhookIds as ReadonlySet<string>, webhooks: items.map(toWebhook) };
};

type WebhookChange = {
  readonly set: Partial<Webhook>;
  readonly remove?: readonly (keyof Webhook)[];
  /** Owes a poke from then on. */
  readonly askAtMs?: number;
};

/** The part of a transaction that changes a webhook, as long as these of its attributes are as they were seen. */
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

/** What makes a poke owed from that time on. */
export const owedFrom = (webhookId: string, atMs: number) => ({
  due: duePartitionOf(webhookId),
  dueAt: new Date(atMs).toISOString(),
});

/**
 * The partitions of the index of webhooks that are owed a poke, all of which the sweeper reads. One alone would throttle the
 * writes of its table once it is hot. A sweeper that reads more has to be there before the first poke that is owed in one.
 */
export const duePartitions: readonly DuePartition[] = Array.from(
  { length: 8 },
  (_, number) => `due#${number}` as const,
);

const duePartitionOf = (webhookId: string): DuePartition => {
  const [byte = 0] = createHash('sha256').update(webhookId).digest();
  return duePartitions[byte % duePartitions.length] as DuePartition;
};
