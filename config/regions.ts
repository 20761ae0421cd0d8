import * as z from 'zod';
import { type MacKeyName, macKeys } from '../lambdas/api/environment.ts';
import { type RetainedTableName, retainedTables } from '../lambdas/api/tables.ts';
import { invalid } from './values.ts';

export const region = z
  .string()
  .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, invalid('is not an AWS region; write a region such as eu-central-1.'));

const streamArn = z
  .string()
  .regex(
    /^arn:[\w-]+:dynamodb:[\w-]+:\d{12}:table\/[\w.-]+\/stream\/[\w:.-]+$/,
    invalid('is not the stream of a table; write the LatestStreamArn that DescribeTable returns for the replica.'),
  );

const keyArn = z
  .string()
  .regex(
    /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/mrk-\w+$/,
    invalid('is not a multi-Region key; write the ARN of the replica, which ends in key/mrk-…'),
  );

const byName = <Name extends string, Value extends z.ZodType>(names: readonly Name[], value: Value) =>
  z.strictObject(Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>);

/** The entries about a second region, whose purpose docs/region-loss.md describes. Without them, there is no second region. */
export const regionEntries = {
  /** The region with a replica of each table with history. The stack there belongs to another stage. */
  replicaRegion: region.optional(),
  /** Replicas that another stage's stack created in this region. This stage uses them instead of its own tables and keys. */
  replicas: z
    .strictObject({
      /** The stream of each table. Its ARN contains the table's name. */
      streams: byName<RetainedTableName, typeof streamArn>(retainedTables, streamArn),
      keys: byName<MacKeyName, typeof keyArn>(Object.keys(macKeys) as MacKeyName[], keyArn),
    })
    .optional(),
  /** The stage only waits to take over: it serves no request, and no queue, stream or schedule invokes its functions. */
  isStandby: z.boolean(invalid('is neither true nor false; write true as long as another region serves.')).optional(),
  /**
   * The number of times that another region has taken over, including this time. Versions of changes start above all versions
   * that the earlier regions assigned. Leave it out until the first time.
   */
  takeovers: z
    .int(invalid('is not a whole number; write one.'))
    .positive(invalid('is not a whole number above 0; write one.'))
    .optional(),
};

type Replicas = NonNullable<z.output<(typeof regionEntries)['replicas']>>;

/** Returns the ARN of a table, with which its stream's ARN begins. */
export const tableArnOf = (replicas: Replicas, table: RetainedTableName): string =>
  replicas.streams[table].replace(/\/stream\/.*$/, '');

/**
 * Returns the names of the tables that another stage's stack created, and the ARNs of its keys; empty if there are no replicas.
 */
export const replicaNamesOf = (replicas: Replicas | undefined): Readonly<Record<string, string>> =>
  replicas
    ? Object.fromEntries([
        ...retainedTables.map((table) => [table, tableArnOf(replicas, table).replace(/^.*\//, '')]),
        ...Object.entries(replicas.keys).map(([key, arn]) => [capitalized(key), arn]),
      ])
    : {};

/** `webhookSecrets` → `WebhookSecrets`, as the stack names it. */
const capitalized = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
