import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientConfigOf, createTables } from 'serve-stack/dynamodb';
import { loadStack, type Stack } from 'serve-stack/template';
import { inject } from 'vitest';
import type { TableName } from '../../lambdas/api/tables.ts';
import { connectStore, type RequestTimeouts, type Store } from '../../lambdas/data/store/store.ts';
import { bypassWhileFaultless, type FaultProxy, startFaultProxy } from './fault-proxy.ts';

/** The tables of a test file, and the way to them. */
export type WorldTables = {
  readonly proxy: FaultProxy;
  /** Returns a store with a new client, whose requests pass the proxy. */
  readonly connect: () => Store;
  /** Creates empty tables, all or those with these names, which all stores use from now on. */
  readonly takeNewTables: (...names: TableName[]) => Promise<void>;
};

/** Creates tables in DynamoDB Local from the synthesized template. */
export const openTables = async (hasStreams: boolean, requestTimeouts: RequestTimeouts): Promise<WorldTables> => {
  const proxy = await startFaultProxy(inject('dynamoDbEndpoint'));
  let tables = await createNewTables(hasStreams);
  const connect = () => {
    const requestHandler = bypassWhileFaultless(proxy, inject('dynamoDbEndpoint'), requestTimeouts);
    const settings = { ...clientConfigOf(proxy.endpoint), requestHandler };
    return connectStore((table) => tables[table], requestTimeouts, settings).store;
  };
  const takeNewTables = async (...names: TableName[]) => {
    tables = { ...tables, ...(await createNewTables(hasStreams, names)) };
  };
  return { proxy, connect, takeNewTables };
};

/** The synthesized template and a client, which the test files of a process share. */
const stacks = new Map<string, Stack>();
const admins = new Map<string, DynamoDBClient>();

const createNewTables = async (hasStreams: boolean, names: readonly string[] = []) => {
  const [directory, endpoint] = [inject('assemblyDirectory'), inject('dynamoDbEndpoint')];
  const stack = stacks.get(directory) ?? loadStack(directory);
  stacks.set(directory, stack);
  const admin = admins.get(endpoint) ?? new DynamoDBClient(clientConfigOf(endpoint));
  admins.set(endpoint, admin);
  const tables = await createTables(admin, withoutBackgroundWork(stack, hasStreams, names), `${randomUUID()}-`);
  return tables as Record<TableName, string>;
};

/**
 * Reduces the template to its tables, all or those with these names. It omits the removal of expired items, which uses another
 * clock than the tests, and streams without a reader: DynamoDB Local scans all tables of the run for the former, and stores
 * each change for the latter.
 */
const withoutBackgroundWork = (stack: Stack, hasStreams: boolean, names: readonly string[]): Stack => {
  const tables = Object.entries(stack.template.Resources).flatMap(([logicalId, resource]) => {
    const isNamed = names.length === 0 || names.some((name) => logicalId.startsWith(name));
    if (resource.Type !== 'AWS::DynamoDB::GlobalTable' || !isNamed) return [];
    const { StreamSpecification, TimeToLiveSpecification: _, ...others } = resource.Properties ?? {};
    return [[logicalId, { ...resource, Properties: { ...others, ...(hasStreams && { StreamSpecification }) } }]];
  });
  return { ...stack, template: { ...stack.template, Resources: Object.fromEntries(tables) } };
};
