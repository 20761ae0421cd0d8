import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { clientConfigOf, createTables, startDynamoDbLocal } from 'serve-stack/dynamodb';
import { loadStack } from 'serve-stack/template';
import { settingVariable, tableVariable } from '../../lambdas/api/environment.ts';
import type { TableName } from '../../lambdas/api/tables.ts';
import { createStore, type Store } from '../../lambdas/data/store/store.ts';
import { synthesizeIfStale } from '../../local/synthesis.ts';

export type BenchStore = {
  readonly store: Store;
  readonly clientConfig: DynamoDBClientConfig;
  /** The environment variables by which a function's process finds the store. */
  readonly variables: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
};

/** Starts a DynamoDB Local with the stack's tables. */
export const openStore = async (): Promise<BenchStore> => {
  const dynamoDb = await startDynamoDbLocal({ announce: console.log });
  const clientConfig = clientConfigOf(dynamoDb.endpoint);
  const client = new DynamoDBClient(clientConfig);
  const tables = await createTables(client, loadStack(await synthesizeIfStale()));
  return {
    store: createStore(client, (table) => tables[table] ?? table),
    clientConfig,
    variables: {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'bench',
      AWS_SECRET_ACCESS_KEY: 'bench',
      AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint,
      [settingVariable('metricNamespace')]: 'bench',
      [settingVariable('canaryCompanyId')]: '-',
      [settingVariable('requiredConsentVersion')]: '1',
      [settingVariable('newestConsentVersion')]: '1',
      [settingVariable('consentPortalUrl')]: 'https://portal.example.com',
      ...Object.fromEntries(
        Object.entries(tables).map(([name, physical]) => [tableVariable(name as TableName), physical]),
      ),
    },
    close: dynamoDb.stop,
  };
};

/** Adds a latency to each call. */
export const delayed = (store: Store, latencyMs: number): Store => {
  const send = async (command: Parameters<Store['send']>[0], options?: object) => {
    await setTimeout(latencyMs);
    return store.send(command, options);
  };
  return { ...store, send } as Store;
};

/** Runs a program of this folder with the environment of a function; returns what it prints to stderr as JSON. */
export const runProbe = async <Result>(
  program: string,
  args: readonly string[],
  { variables }: BenchStore,
): Promise<Result> => {
  const file = join(import.meta.dirname, program);
  const { stderr } = await promisify(execFile)(process.execPath, [file, ...args], { env: { ...variables } });
  return JSON.parse(stderr);
};

/** Returns the value below which the given share of the sorted values lies. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);
