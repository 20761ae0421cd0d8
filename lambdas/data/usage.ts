import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { usageDays } from '../api/limits.ts';
import { added, endMsOf, type Period, type Usage, type UsageProgress } from '../domain/usage.ts';
import { readAllPages } from './store/reads.ts';
import type { Store } from './store/store.ts';

/**
 * One partition per company, of the requests counted by day and, as long as the day is not settled, by hour: the sort key is
 * the period, so that a day stands right before its hours. All of it can be counted again as long as the log has its lines.
 */
type UsageItem = Usage & { readonly companyId: string; readonly sk: Period; readonly countedAtMs: number };

/** The place of what is of no company. */
const progressKey = { companyId: '-', sk: 'progress' };

/** Hours are done without when their day is settled; they stay for the case that this takes a while. */
export const hourKeptDays = 3;

const dayMs = 86_400_000;

/** When the item of a period may go; days are kept as long as somebody may ask for them. */
const removedAtSeconds = (period: Period): number => {
  const keptDays = period.length > '2026-11-25'.length ? hourKeptDays : usageDays + 1;
  return Math.ceil((endMsOf(period) + keptDays * dayMs) / 1000);
};

/**
 * Puts what was counted of a period in the place of what was counted before: totals, so that it may be put any number of times.
 * Of two runs at once, that counts which began later.
 */
export const putUsage = (
  store: Store,
  companyId: string,
  period: Period,
  usage: Usage,
  countedAtMs: number,
): Promise<void> =>
  putUnlessOlder(store, { companyId, sk: period, ...usage, countedAtMs, removeAt: removedAtSeconds(period) });

export const putUsageProgress = (store: Store, progress: UsageProgress, countedAtMs: number): Promise<void> =>
  putUnlessOlder(store, { ...progressKey, ...progress, countedAtMs });

const putUnlessOlder = async (
  store: Store,
  Item: Readonly<Record<string, unknown>> & { readonly countedAtMs: number },
): Promise<void> => {
  try {
    await store.send(
      new PutCommand({
        TableName: store.tableName('Usage'),
        Item,
        ConditionExpression: 'attribute_not_exists(sk) OR countedAtMs <= :countedAtMs',
        ExpressionAttributeValues: { ':countedAtMs': Item.countedAtMs },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
};

/** Undefined if nothing was ever counted. */
export const findUsageProgress = async (store: Store): Promise<UsageProgress | undefined> => {
  const { Item } = await store.send(new GetCommand({ TableName: store.tableName('Usage'), Key: progressKey }));
  return Item as UsageProgress | undefined;
};

/** The usage of a company by day, from one day to another; a day that is not settled is the sum of its hours. */
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
        // Behind all hours of the last day.
        ExpressionAttributeValues: { ':companyId': companyId, ':from': from, ':to': `${to}~` },
        ExclusiveStartKey: after,
      }),
    ),
  )) as UsageItem[];
  const byDay = Map.groupBy(items, ({ sk }) => sk.slice(0, '2026-11-25'.length));
  return new Map(
    [...byDay].map(([day, ofDay]) => [
      day,
      usageOf(
        ofDay.find(({ sk }) => sk === day),
        ofDay,
      ),
    ]),
  );
};

const usageOf = (settled: UsageItem | undefined, hours: readonly UsageItem[]): Usage =>
  settled ?? {
    counts: added(hours.map(({ counts }) => counts)),
    limitedPaths: added(hours.map(({ limitedPaths }) => limitedPaths)),
  };
