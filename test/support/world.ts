import { createHash, randomUUID } from 'node:crypto';
import { PutCommand, type PutCommandInput, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { onTestFinished } from 'vitest';
import type { Settings } from '../../lambdas/api/environment.ts';
import type { TableName } from '../../lambdas/api/tables.ts';
import { createApiKey } from '../../lambdas/data/api-keys/api-key-creation.ts';
import { putCompany } from '../../lambdas/data/contracts/companies.ts';
import { putContract, unopenedContract } from '../../lambdas/data/contracts/contracts.ts';
import type { RequestTimeouts, Store } from '../../lambdas/data/store/store.ts';
import { defaultKeyOptions } from '../../lambdas/domain/api-key.ts';
import type { Company } from '../../lambdas/domain/company.ts';
import { consentGivenAt } from '../../lambdas/domain/consent.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import type { WebhookSecretOf } from '../../lambdas/domain/webhook.ts';
import type { FunctionEnvironment } from '../../lambdas/runtime/function-environment.ts';
import { createProcessMemory } from '../../lambdas/runtime/process-memory.ts';
import type { QueueDelivery } from '../../lambdas/webhooks/delivery-queue.ts';
import type { Network } from '../../lambdas/webhooks/post.ts';
import type { FaultProxy } from './fault-proxy.ts';
import { patience } from './time.ts';
import { openTables } from './world-tables.ts';

/** The time at which tests start. It is in the future, because the store removes expired buckets by its own clock. */
export const startMs = Date.parse('2036-03-10T12:00:00Z');

type WorldOptions = {
  readonly requestTimeouts?: RequestTimeouts;
  readonly storeDeadlineMs?: number;
  /** Creates the tables with their streams. */
  readonly hasStreams?: boolean;
};

/** Services other than the store that some handlers call. */
type Dependencies = {
  readonly secretOf: WebhookSecretOf;
  readonly queueDelivery: QueueDelivery;
  readonly network: Network;
};

/** A valid secret that is unique to its webhook and version. */
export const webhookSecretOf: WebhookSecretOf = async ({ companyId, webhookId }, version) =>
  `whsec_${createHash('sha256').update(`${companyId} ${webhookId} ${version}`).digest('base64')}`;

/** Resolves no name. */
const noNetwork: Network = {
  resolve: async () => [],
  connect: () => {
    throw new Error('This world has no network; give the environment one.');
  },
};

export type World = {
  readonly proxy: FaultProxy;
  readonly store: Store;
  readonly environment: FunctionEnvironment & Dependencies;
  readonly lines: string[];
  readonly takeNewTables: (...names: TableName[]) => Promise<void>;
  /** Restores the retry quota of the SDK client, which faults use up. */
  readonly takeNewClient: () => void;
};

let opened: World | undefined;

/** The world that the test file has opened. */
export const theWorld = (): World => {
  if (!opened) throw new Error('No world is open: call openWorld in beforeAll.');
  return opened;
};

const settings: Settings = {
  requiredConsentVersion: 3,
  newestConsentVersion: 4,
  consentPortalUrl: 'https://portal.example.com/consent',
  metricNamespace: 'PartnerApi-test',
  canaryCompanyId: '-',
  logRetentionDays: 90,
};

/**
 * Creates tables for the test file from the synthesized template, and the environment that the stack gives a function. All
 * requests of the code under test pass `proxy`, and its log lines are in `lines`.
 */
export const openWorld = async (options: WorldOptions = {}): Promise<World> => {
  const { requestTimeouts, storeDeadlineMs, hasStreams = false } = { ...patience, ...options };
  const { proxy, connect, takeNewTables } = await openTables(hasStreams, requestTimeouts);
  let connected = connect();
  const send = async (...command: Parameters<Store['send']>) => reordered(await connected.send(...command));
  const store: Store = { send: send as Store['send'], tableName: (table) => connected.tableName(table) };
  const lines: string[] = [];
  const environment: World['environment'] = {
    store,
    storeDeadlineMs,
    memory: createProcessMemory(),
    // Tests set the clock of API Gateway, which is never ahead of the clock of the process.
    processTimeMs: () => Number.MAX_SAFE_INTEGER,
    setting: (name) => settings[name],
    log: (line) => void lines.push(line),
    secretOf: webhookSecretOf,
    queueDelivery: async () => {},
    network: noNetwork,
  };
  const takeNewClient = () => {
    connected = connect();
  };
  opened = { proxy, store, environment, lines, takeNewTables, takeNewClient };
  return opened;
};

/** What DynamoDB returns has the properties of an object in any order, of which this is one. */
const reordered = <Value>(value: Value): Value => {
  if (Array.isArray(value)) return value.map(reordered) as Value;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, each]) => [name, reordered(each)])
      .reverse(),
  ) as Value;
};

/** Injects faults into the responses of the store until the end of the test. */
export const injectFault = ({ proxy, takeNewClient }: World, plan: NonNullable<Parameters<typeof proxy.begin>[0]>) => {
  proxy.begin(plan);
  onTestFinished(() => {
    proxy.begin();
    takeNewClient();
  });
};

let companies = 0;

export type Overrides = Partial<Omit<Company & Contract, 'state'>> & {
  /** `suspended` is a state of the company, `ended` and `unopened` are states of its contract. */
  readonly state?: Company['state'] | Contract['state'];
  readonly keys?: number;
  readonly nowMs?: number;
};

/** The company, and the owner of the contract that `onboard` creates. */
export const partiesOf = (companyId: string) => ({ companyId, userId: `owner-of-${companyId}` });

/** Onboards a new company with an open contract and the given number of valid keys. */
export const onboard = async (store: Store, overrides: Overrides = {}) => {
  const { keys: keyCount = 1, nowMs = startMs, state = 'active', ...others } = overrides;
  const {
    // Commands sort by id: ids sort as the companies were created.
    companyId = `company${process.pid}x${String(companies++).padStart(3, '0')}`,
    name = 'A company',
    allowedCidrs = ['127.0.0.1/32'],
    webhookHosts = [],
    ...contractOverrides
  } = others;
  const company: Company = {
    companyId,
    name,
    state: state === 'suspended' ? state : 'active',
    allowedCidrs,
    webhookHosts,
  };
  const contract: Contract = {
    ...unopenedContract(partiesOf(companyId)),
    state: state === 'suspended' ? 'active' : state,
    sinceMs: startMs,
    ...consentGivenAt(3, startMs),
    // Every report of a test is newer.
    consentChangedAtMs: null,
    consentClaimedAtMs: null,
    ...contractOverrides,
  };
  const keys: Awaited<ReturnType<typeof issueKey>>[] = [];
  await putAtOnce(store, async (collector) => {
    await putCompany(collector, company);
    await putContract(collector, contract);
    for (let made = 0; made < keyCount; made++) keys.push(await issueKey(collector, companyId, nowMs));
  });
  const [firstKey] = keys;
  if (!firstKey) throw new Error('A company needs at least one key to call with.');
  return { companyId, company, contract, key: firstKey, keys };
};

/** Writes up to a hundred new items in one transaction, which costs far less than one write for each. */
export const putAtOnce = async (store: Store, act: (collector: Store) => Promise<void>): Promise<void> => {
  const puts: Pick<PutCommandInput, 'TableName' | 'Item'>[] = [];
  const send = async (command: object) => {
    if (command instanceof PutCommand) puts.push(command.input);
    if (command instanceof TransactWriteCommand)
      puts.push(...(command.input.TransactItems ?? []).flatMap(({ Put }) => Put ?? []));
    if (!(command instanceof QueryCommand)) return {};
    const { ':prefix': prefix } = command.input.ExpressionAttributeValues ?? {};
    return { Items: puts.flatMap(({ Item }) => (String(Item?.sk).startsWith(prefix) ? [Item] : [])) };
  };
  await act({ ...store, send: send as Store['send'] });
  const TransactItems = puts.map(({ TableName, Item }) => ({ Put: { TableName, Item } }));
  await store.send(new TransactWriteCommand({ TransactItems }));
};

/** A key that the operator issues. */
export const issueKey = async (
  store: Store,
  companyId: string,
  nowMs: number = startMs,
  options = defaultKeyOptions,
) => {
  const auditContext = { companyId, nowMs, requestId: randomUUID(), operation: 'issue', actorKey: null };
  const creation = await createApiKey(store, auditContext, options);
  if (creation.outcome !== 'created') throw new Error(`No key could be issued: ${creation.outcome}`);
  return creation.key;
};
