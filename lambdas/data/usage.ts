import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { usageDays } from '../api/limits.ts';
import { endMsOf, type Period, packUsage, type Usage, unpackUsage } from '../domain/usage.ts';
import type { UsageProgress } from '../domain/usage-progress.ts';
import { readAllPages } from './store/reads.ts';
import type { Store } from './store/store.ts';
import { putIf } from './store/writes.ts';

/**
 * One partition per company, with the requests of each hour: the sort key is the hour, and a day is the sum of its hours.
 * Everything can be counted again while the log has its lines.
 */
type UsageItem = {
  readonly companyId: string;
  readonly sk: Period;
  readonly countedAtMs: number;
  readonly usage: Uint8Array;
};

/** The key of the progress, which belongs to no company. */
const progressKey = { companyId: '-', sk: 'progress' };

const dayMs = 86_400_000;

/** When the item of an hour expires: hours are kept while their day can be requested. */
const removedAtSeconds = (hour: Period): number => Math.ceil((endMsOf(hour) + (usageDays + 1) * dayMs) / 1000);

/**
 * Replaces the counts of an hour. They are totals, so the write may be repeated. Of two concurrent runs, the one that began
 * later wins.
 */
export const putUsage = (
  store: Store,
  companyId: string,
  { hour, usage }: { readonly hour: Period; readonly usage: Usage },
  countedAtMs: number,
): Promise<void> =>
  putUnlessOlder(store, {
    companyId,
    sk: hour,
    usage: packUsage(usage),
    countedAtMs,
    removeAt: removedAtSeconds(hour),
  });

/** Replaces the stored progress; a run calls it several times. */
export const putUsageProgress = (store: Store, progress: UsageProgress, countedAtMs: number): Promise<void> =>
  putUnlessOlder(store, { ...progressKey, ...progress, countedAtMs });

const putUnlessOlder = async (
  store: Store,
  Item: Readonly<Record<string, unknown>> & { readonly countedAtMs: number },
): Promise<void> => {
  await putIf(store, {
    TableName: store.tableName('Usage'),
    Item,
    ConditionExpression: 'attribute_not_exists(sk) OR countedAtMs <= :countedAtMs',
    ExpressionAttributeValues: { ':countedAtMs': Item.countedAtMs },
  });
};

/** Returns the stored progress; undefined if nothing was ever counted. */
export const findUsageProgress = async (store: Store): Promise<UsageProgress | undefined> => {
  const { Item } = await store.send(new GetCommand({ TableName: store.tableName('Usage'), Key: progressKey }));
  return Item as UsageProgress | undefined;
};

/** Returns the usage of a company by period, oldest first, from the start of one period to the end of another. */
export const readUsage = async (
  store: Store,
  companyId: string,
  { from, to }: { readonly from: Period; readonly to: Period },
): Promise<ReadonlyMap<Period, Usage>> => {
  const items = (await readAllPages((after) =>
    store.send(
      new QueryCommand({
        TableName: store.tableName('Usage'),
        KeyConditionExpression: 'companyId = :companyId AND sk BETWEEN :from AND :to',
        // After all hours of the last day.
        ExpressionAttributeValues: { ':companyId': companyId, ':from': from, ':to': `${to}~` },
        ExclusiveStartKey: after,
      }),
    ),
  )) as UsageItem[];
  return new Map(items.map(({ sk, usage }) => [sk, unpackUsage(usage)]));
};
