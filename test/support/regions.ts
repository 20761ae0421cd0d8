import type { StageConfig } from '../../config/schema.ts';
import { type MacKeyName, macKeys } from '../../lambdas/api/environment.ts';
import { retainedTables } from '../../lambdas/api/tables.ts';

type Replicas = NonNullable<StageConfig['replicas']>;

/** Returns the configuration of replicas of another stage's tables and keys in a region and account. */
export const replicasIn = (region: string, account: string, nameOf: (table: string) => string): Replicas => ({
  streams: Object.fromEntries(
    retainedTables.map((table) => [
      table,
      `arn:aws:dynamodb:${region}:${account}:table/${nameOf(table)}/stream/2026-11-24T00:00:00.000`,
    ]),
  ) as Replicas['streams'],
  keys: Object.fromEntries(
    (Object.keys(macKeys) as MacKeyName[]).map((name) => [
      name,
      `arn:aws:kms:${region}:${account}:key/mrk-0123456789abcdef`,
    ]),
  ) as Replicas['keys'],
});
