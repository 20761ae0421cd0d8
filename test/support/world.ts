import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { inject, onTestFinished } from 'vitest';
import { settingVariable, tableVariable } from '../../lambdas/api/environment-variables.ts';
import type { TableName } from '../../lambdas/api/tables.ts';
import { createApiKey } from '../../lambdas/data/api-keys/api-key-creation.ts';
import { putContract } from '../../lambdas/data/contracts/contracts.ts';
import { createStoreClient, type Store } from '../../lambdas/data/store/store.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { createTables } from '../../local/aws/dynamodb/tables.ts';
import { loadStack } from '../../local/aws/template/template.ts';
import { startFaultProxy } from './fault-proxy.ts';

/** When tests begin; they set the time themselves. In the future, or the store would take buckets for expired and remove them. */
export const startMs = Date.parse('2036-03-10T12:00:00Z');

/**
 * Tables of the test file's own, created from the synthesized template, and the environment that the stack would give a
 * function. All that the code under test asks of the store goes through `proxy`.
 */
export const openWorld = async () => {
  const proxy = await startFaultProxy(inject('dynamoDbEndpoint'));
  Object.assign(process.env, {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
    [settingVariable('requiredConsentVersion')]: '3',
    [settingVariable('consentPortalUrl')]: 'https://portal.example.com/consent',
    [settingVariable('metricNamespace')]: 'PartnerApi-test',
  });
  await takeNewTables();
  return { proxy, store: createStoreClient() };
};

/** Creates empty tables, which the code under test finds from now on instead of those that it has used. */
export const takeNewTables = async (): Promise<void> => {
  const { template } = loadStack(inject('assemblyDirectory'));
  const admin = new DynamoDBClient({ endpoint: inject('dynamoDbEndpoint') });
  const tables = await createTables(admin, template, `${randomUUID()}-`);
  for (const [name, physicalName] of Object.entries(tables))
    process.env[tableVariable(name as TableName)] = physicalName;
};

/** Spoils the store's answers for the rest of the test. */
export const injectFault = (
  { proxy }: Awaited<ReturnType<typeof openWorld>>,
  plan: NonNullable<Parameters<typeof proxy.begin>[0]>,
) => {
  proxy.begin(plan);
  onTestFinished(() => proxy.begin());
};

let companies = 0;

/** A company that nobody else has, its contract in order, with as many valid keys as asked for. */
export const onboard = async (store: Store, overrides: Partial<Contract> & { keys?: number; nowMs?: number } = {}) => {
  const { keys: keyCount = 1, nowMs = startMs, ...contractOverrides } = overrides;
  const companyId = `company${process.pid}x${companies++}`;
  const contract: Contract = {
    companyId,
    name: 'A company',
    state: 'active',
    sinceMs: startMs,
    userId: `owner-of-${companyId}`,
    allowedCidrs: ['127.0.0.1/32'],
    acceptedConsentVersion: 3,
    acceptedAtMs: startMs,
    ...contractOverrides,
  };
  await putContract(store, contract);
  const keys = [];
  for (let made = 0; made < keyCount; made++) keys.push(await issueKey(store, companyId, nowMs));
  const [firstKey] = keys;
  if (!firstKey) throw new Error('A company needs at least one key to call with.');
  return { companyId, contract, key: firstKey, keys };
};

/** A key that the operator issues. */
export const issueKey = async (store: Store, companyId: string, nowMs: number = startMs) => {
  const auditContext = { companyId, nowMs, requestId: randomUUID(), operation: 'issue', actorKeyId: null };
  const creation = await createApiKey(store, auditContext);
  if (creation.outcome !== 'created') throw new Error(`No key could be issued: ${creation.outcome}`);
  return creation.key;
};
