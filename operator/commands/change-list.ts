import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { OpenChange } from '../../lambdas/data/appliances/open-changes.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Refusal } from '../../lambdas/domain/appliances/appliance.ts';
import { defineCommand } from '../cli/command.ts';
import { openChange, openChangeRow, presentOpenChange } from '../seams/open-change.ts';

const unitsMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const age = z
  .string()
  .regex(/^\d{1,4}[mhd]$/, 'is no age; write minutes, hours or days, like 30m, 1h or 2d.')
  .transform((text) => Number.parseInt(text, 10) * (unitsMs[text.slice(-1)] ?? 0));

export const changeList = defineCommand({
  noun: 'change',
  verb: 'list',
  summary: 'List requested changes that their appliances have not fulfilled for long; reads all of Appliances',
  arguments: {},
  options: {
    olderThan: {
      summary: 'requested longer ago than this: minutes, hours or days, like 30m, 1h or 2d',
      placeholder: 'age',
      schema: age.prefault('1h'),
    },
    limit: {
      summary: 'at most so many, up to 10000',
      placeholder: 'n',
      schema: z.coerce
        .number('is no number.')
        .int('is no whole number.')
        .min(1, 'is less than 1.')
        .max(10_000, 'is more than 10000.')
        .default(100),
    },
  },
  changes: false,
  requirements: { tableActions: { Appliances: ['Scan'] } },
  output: z.strictObject({
    changes: z.array(openChange),
    /** Whether the limit has left some out. */
    hasMore: z.boolean(),
  }),
  run: async (context, { olderThan, limit }) => {
    const { store } = await context.connect();
    const found = await scanOpenChanges(store, context.nowMs - olderThan, limit + 1);
    const hasMore = found.length > limit;
    if (hasMore) context.talk(`There are more: raise --limit (${limit}), or --older-than.`);
    const oldestFirst = found.slice(0, limit).toSorted((one, other) => one.desiredBy.atMs - other.desiredBy.atMs);
    return { changes: oldestFirst.map(presentOpenChange), hasMore };
  },
  view: ({ changes }) => [{ rows: changes.map(openChangeRow), ifEmpty: 'no open change is so old' }],
});

type OldChange = Omit<OpenChange, 'desired'> & { readonly lastRefusal?: Refusal };

/** Open changes that were requested before that time, at most `limit`; reads no page more than it needs. */
const scanOpenChanges = async (store: Store, beforeMs: number, limit: number): Promise<OldChange[]> => {
  const found: OldChange[] = [];
  let after: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await store.send(
      new ScanCommand({
        TableName: store.tableName('Appliances'),
        FilterExpression: 'attribute_exists(desired) AND desiredBy.atMs < :before',
        ProjectionExpression: 'gatewayId, sk, version, desiredBy, lastRefusal',
        ExpressionAttributeValues: { ':before': beforeMs },
        ExclusiveStartKey: after,
      }),
    );
    found.push(...(Items as OldChange[]));
    after = LastEvaluatedKey;
  } while (after && found.length < limit);
  return found.slice(0, limit);
};
