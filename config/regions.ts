import * as z from 'zod';
import { type MacKeyName, macKeys } from '../lambdas/api/environment.ts';
import { type RetainedTableName, retainedTables } from '../lambdas/api/tables.ts';
import { invalid, withoutFault } from './values.ts';

/** The regions of AWS's commercial partition. */
export const regions = [
  ...['af-south-1', 'ap-east-1', 'ap-east-2', 'ap-northeast-1', 'ap-northeast-2', 'ap-northeast-3', 'ap-south-1'],
  ...['ap-south-2', 'ap-southeast-1', 'ap-southeast-2', 'ap-southeast-3', 'ap-southeast-4', 'ap-southeast-5'],
  ...['ap-southeast-6', 'ap-southeast-7', 'ca-central-1', 'ca-west-1', 'eu-central-1', 'eu-central-2', 'eu-north-1'],
  ...['eu-south-1', 'eu-south-2', 'eu-west-1', 'eu-west-2', 'eu-west-3', 'il-central-1', 'me-central-1', 'me-south-1'],
  ...['me-west-1', 'mx-central-1', 'sa-east-1', 'us-east-1', 'us-east-2', 'us-west-1', 'us-west-2'],
] as const;

export const region = z.string().check(
  withoutFault((text) => {
    if (regions.some((name) => name === text)) return undefined;
    return /^(cn|eusc|us-gov|\w+-iso\w*)-/.test(text)
      ? 'is in a partition that this service does not support, such as China or GovCloud; write a region such as eu-central-1.'
      : 'is not an AWS region; write a region such as eu-central-1.';
  }),
);

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
