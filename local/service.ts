import { EventEmitter } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { loadStageConfig } from '../config/load.ts';
import type { Store } from '../lambdas/data/store/store.ts';
import { createApiPage } from './api-page.ts';
import { connectToDynamoDb, startDynamoDbLocal } from './aws/dynamodb/dynamodb-local.ts';
import { type DynamoDbProxy, startDynamoDbProxy } from './aws/dynamodb/dynamodb-proxy.ts';
import { startEvents } from './aws/events/events.ts';
import { createFunctions } from './aws/functions/functions.ts';
import type { Exchange } from './aws/gateway/exchange.ts';
import { createGateway } from './aws/gateway/gateway.ts';
import { requestLine } from './aws/gateway/request-line.ts';
import { compileRestApi, type RestApi } from './aws/gateway/rest-api.ts';
import { closeServer, listenOnLoopback } from './aws/loopback-server.ts';
import type { TelemetryEmitter } from './aws/telemetry.ts';
import { account } from './aws/template/account.ts';
import { createResolver, type Resolve } from './aws/template/intrinsics.ts';
import { createAttributesOf } from './aws/template/resource-attributes.ts';
import { requireKnownTypes } from './aws/template/resource-types.ts';
import { loadStack, type Stack } from './aws/template/template.ts';
import { serverCertificateIn } from './aws/tls/certificate-store.ts';
import { UserFacingError } from './aws/user-facing-error.ts';
import { appliancesOf } from './demo/appliances/demo-appliances.ts';
import { createSimulatedAppliance } from './demo/appliances/simulated-appliance.ts';
import { startSimulation } from './demo/appliances/simulation.ts';
import { openDemoStore } from './demo/demo-store.ts';
import { type DemoCompany, prepareDemoWorld, prepareEmptyWorld } from './demo/demo-world.ts';
import { createHttpsServer } from './https-server.ts';
import { synthesizeIfStale } from './synthesis.ts';

/** All that a client needs to try the service; also the content of `demo.json`. */
export type Demo = { readonly baseUrl: string; readonly caFile: string; readonly companies: readonly DemoCompany[] };

export type LocalService = {
  readonly demo: Demo;
  /** Holds `demo.json`, `ca.pem`, `logs/` and, for the operator CLI, `operator.json`. */
  readonly directory: string;
  /** What is served. */
  readonly stack: Stack;
  readonly resolve: Resolve;
  readonly api: RestApi;
  /** The store as an operator reaches it, past the functions' roles and faults. */
  readonly store: Store;
  readonly telemetry: TelemetryEmitter;
  readonly injectStoreFault: DynamoDbProxy['injectFault'];
  /** Runs at once what runs by a schedule; resolves when it has, throws where it failed. */
  readonly runSchedules: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type LocalServiceOptions = {
  /** 0 for a free one. */
  readonly port: number;
  readonly directory: string;
  /** Keeps the data of this run in the directory, and takes up that of the last one. */
  readonly keepData?: boolean;
  /** Leaves it to an operator to onboard the companies of the configuration. */
  readonly isEmpty?: boolean;
  /** A DynamoDB Local that already runs; without it, one is started. */
  readonly dynamoDbEndpoint?: string | undefined;
  /** Keeps apart the tables of those who share a DynamoDB Local. */
  readonly tablePrefix?: string;
  /** Takes one line per request, and what else there is to say. */
  readonly print?: (line: string) => void;
};

/** Serves the synthesized stack on this machine; resolves when all of it answers. */
export const startLocalService = async (options: LocalServiceOptions): Promise<LocalService> => {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (let closer = closers.pop(); closer; closer = closers.pop()) await closer();
  };
  try {
    return { ...(await start(options, (closer) => closers.push(closer))), close };
  } catch (error) {
    await close();
    throw error;
  }
};

const start = async (
  {
    port,
    directory,
    keepData = false,
    isEmpty = false,
    dynamoDbEndpoint,
    tablePrefix,
    print = () => undefined,
  }: LocalServiceOptions,
  onClose: (closer: () => unknown) => void,
): Promise<Omit<LocalService, 'close'>> => {
  const logsDirectory = emptyDirectory(join(directory, 'logs'));
  const codeDirectory = mkdtempSync(join(tmpdir(), 'partner-api-'));
  onClose(() => rmSync(codeDirectory, { recursive: true }));

  const starting = dynamoDbEndpoint
    ? connectToDynamoDb(dynamoDbEndpoint)
    : startDynamoDbLocal({ dataDirectory: keepData ? join(directory, 'dynamodb') : undefined });
  onClose(async () => (await starting.catch(() => undefined))?.stop());
  const [assemblyDirectory, { endpoint }] = await Promise.all([synthesizeIfStale(), starting]);

  const stack = loadStack(assemblyDirectory);
  requireKnownTypes(stack.template);
  const prefix = tablePrefix ?? `${stack.name}-`;
  const resolve = createResolver(stack, createAttributesOf(stack, prefix));
  const api = compileRestApi(stack.template, resolve);
  const telemetry: TelemetryEmitter = new EventEmitter();
  const gate = await startDynamoDbProxy(endpoint, telemetry);
  onClose(gate.close);
  const functions = createFunctions(stack, { resolve, gate, codeDirectory, logsDirectory, events: telemetry });
  onClose(() => Promise.all([...functions.values()].map((pool) => pool.close())));

  const demoFile = join(directory, 'demo.json');
  const { store, tables, close } = await openDemoStore({
    endpoint,
    template: stack.template,
    tablePrefix: prefix,
    keepData,
  });
  onClose(close);
  const config = loadStageConfig('local');
  if (isEmpty) await prepareEmptyWorld(store, config);
  const companies = isEmpty ? [] : await prepareDemoWorld(store, config, keepData ? companiesIn(demoFile) : []);

  const { caFile, ...tls } = await serverCertificateIn(directory);
  const observe = (exchange: Exchange) => {
    appendFileSync(join(logsDirectory, 'access.log'), `${api.accessLogLine(exchange)}\n`);
    print(requestLine(exchange));
    telemetry.emit('exchange', exchange);
  };
  const gateway = createGateway({ api, functions, observe });
  const apiPage = createApiPage({ serverUrl: `/${api.stageName}`, apiKey: companies[0]?.apiKey });
  const server = createHttpsServer({ tls, gateway, apiPage });
  const address = await listenOnLoopback(server, port).catch((error) => {
    throw error.code === 'EADDRINUSE' ? portIsTaken(port) : error;
  });
  onClose(() => closeServer(server));
  const appliances = config.companies.flatMap(appliancesOf).map((each) => createSimulatedAppliance(store, each));
  const simulation = await startSimulation({ appliances, print });
  onClose(simulation.stop);
  const events = startEvents(stack, { resolve, functions, endpoint, logsDirectory, print });
  onClose(events.stop);

  const demo = { baseUrl: `https://localhost:${address.split(':')[1]}/${api.stageName}`, caFile, companies };
  const operatorFile = join(directory, 'operator.json');
  writePrivately(operatorFile, {
    stackName: stack.name,
    dynamoDbEndpoint: endpoint,
    region: account.region,
    tables,
    logsDirectory: resolvePath(logsDirectory),
    policy: api.policy,
  });
  onClose(() => rmSync(operatorFile, { force: true }));
  writePrivately(demoFile, demo);
  const { runSchedules } = events;
  return { demo, directory, stack, resolve, api, store, telemetry, injectStoreFault: gate.injectFault, runSchedules };
};

const writePrivately = (file: string, content: unknown) => {
  rmSync(file, { force: true });
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
};

const emptyDirectory = (directory: string): string => {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  return directory;
};

const companiesIn = (demoFile: string): readonly DemoCompany[] =>
  existsSync(demoFile) ? (JSON.parse(readFileSync(demoFile, 'utf8')) as Demo).companies : [];

const portIsTaken = (port: number) =>
  new UserFacingError(`Port ${port} is in use. Choose another (npm start -- --port 9443) or any free one (--port 0).`);
