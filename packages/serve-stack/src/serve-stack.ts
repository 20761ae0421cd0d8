import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { inspect } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  clientConfigOf,
  connectToDynamoDb,
  type DynamoDbLocal,
  type DynamoDbLocalOptions,
  startDynamoDbLocal,
} from './dynamodb/dynamodb-local.ts';
import { startDynamoDbProxy } from './dynamodb/dynamodb-proxy.ts';
import { openStreamReaders } from './dynamodb/stream-reader.ts';
import { lockTables } from './dynamodb/table-lock.ts';
import { createTables, deleteTables, readTables, requireUnchangedTables } from './dynamodb/tables.ts';
import { UserFacingError } from './errors.ts';
import { type Exchange, requestLogLine } from './gateway/exchange.ts';
import type { RestApi } from './gateway/rest-api.ts';
import { caFileIn, createHttpsServer, serverCertificateIn } from './host/certificates.ts';
import { lockDirectory, openLog } from './host/files.ts';
import { openAll } from './host/processes.ts';
import {
  closeServer,
  drainServer,
  freePort,
  listenerOf,
  listenOnAllAddresses,
  listenOnLoopback,
  type Serve,
} from './host/servers.ts';
import { createAccessKeys } from './iam/principals.ts';
import { openMessaging } from './messaging.ts';
import type { ServedStack, ServeStackOptions } from './served-stack.ts';
import { accessLogName } from './services/log-service.ts';
import { compileVersion, serveVersions, type TelemetryEmitter } from './stack-version.ts';
import { requireKnownTemplate } from './template/known-template.ts';
import { loadStack, resourcesOf, type Stack } from './template/stack.ts';

/** Serves a synthesized stack on this machine. Resolves when all of it answers. */
export const serveStack = <Seeded = undefined>(options: ServeStackOptions<Seeded>): Promise<ServedStack<Seeded>> =>
  openAll((onClose) => start(options, onClose));

/** The time that current requests get when a run ends. */
const answeredWithinMs = 10_000;

/** The default port of the inspectors of Chrome and of editors. */
const usualInspectorPort = 9229;

const start = async <Seeded>(
  options: ServeStackOptions<Seeded>,
  onClose: (closer: () => unknown) => void,
): Promise<Omit<ServedStack<Seeded>, 'close'>> => {
  const {
    directory,
    port = 0,
    isOnAllAddresses = false,
    keepData = false,
    tablePrefix,
    timeFactor,
    serveBeside = () => false,
    print = () => undefined,
    announce = () => undefined,
    onStoreEnd = ({ message }) => print(message),
  } = options;
  const place = await takePlace({ directory, port, isOnAllAddresses, print }, onClose);
  const outside = await resolved(options.outside);
  const logsDirectory = emptyDirectory(join(directory, 'logs'));
  const starting = options.dynamoDbEndpoint
    ? connectToDynamoDb(options.dynamoDbEndpoint)
    : startStore({ ...options, dataDirectory: keepData ? join(directory, 'dynamodb') : undefined }, onStoreEnd);
  if (!options.dynamoDbEndpoint) announce('Starting DynamoDB Local');
  onClose(async () => (await starting.catch(() => undefined))?.stop());
  const [assemblyDirectory, { endpoint }] = await Promise.all([resolved(options.assembly), starting]);

  const stack = loadKnownStack(assemblyDirectory);
  const telemetry: TelemetryEmitter = new EventEmitter();
  const { environment } = stack;
  const accessKeys = createAccessKeys();
  const proxy = await startDynamoDbProxy(endpoint, { environment, events: telemetry, accessKeys });
  onClose(proxy.close);
  const {
    queueService,
    macEndpoint,
    logEndpoint,
    ipSets,
    served: messaging,
  } = await openMessaging({
    environment,
    accessKeys,
    telemetry,
    logsDirectory,
    onClose,
    current: () => versions.current(),
  });
  const { streamReaderOf, close: closeReaders } = openStreamReaders(endpoint);
  onClose(closeReaders);
  const logAccess = openLog(join(logsDirectory, `${accessLogName}.log`), print);
  const observe = (exchange: Exchange, { accessLogLine }: RestApi) => {
    const line = accessLogLine(exchange);
    if (line) logAccess(`${new Date().toISOString()} ${line}`);
    print(requestLogLine(exchange));
    telemetry.emit('exchange', exchange);
  };
  const inspected = await inspectedFunction(options);
  const compile = (each: Stack) =>
    compileVersion(each, {
      tablePrefix,
      proxy,
      queueService,
      eventEndpoint: messaging.eventEndpoint,
      macEndpoint,
      logEndpoint,
      isInIpSet: ipSets.holds,
      logsDirectory,
      telemetry,
      streamReaderOf,
      print,
      observe,
      timeFactor,
      outside,
      inspected,
    });
  announce(`Loading ${resourcesOf(stack.template, 'AWS::Lambda::Function').length} functions`);
  const versions = serveVersions(compile(stack));
  onClose(versions.end);

  const client = new DynamoDBClient(clientConfigOf(endpoint));
  onClose(() => client.destroy());
  announce(`Creating ${readTables(stack, tablePrefix).length} tables`);
  const lock = await lockTables(client, {
    tables: tablePrefix ?? `${stack.name}-`,
    directory: resolve(directory),
    isOwnStore: options.dynamoDbEndpoint === undefined,
    onLost: onStoreEnd,
  });
  onClose(lock.release);
  if (!keepData) await deleteTables(client, stack, tablePrefix);
  const tables = { endpoint, names: await createTables(client, stack, tablePrefix) };
  await queueService.define(versions.current().queues);
  ipSets.define(versions.current().ipSets);
  const seeded = (await options.seed?.(tables)) as Seeded;

  await versions.begin();
  place.serve(async (incoming, outgoing) => {
    if ((await serveBeside(incoming, outgoing)) === false) await versions.current().gateway(incoming, outgoing);
  });

  return {
    baseUrl: `https://localhost:${place.port}/${versions.current().api.stageName}`,
    caFile: place.caFile,
    logsDirectory,
    tables,
    messaging,
    seeded,
    telemetry,
    version: versions.current,
    replace: async (from) => {
      const next = loadKnownStack(from);
      requireUnchangedTables(readTables(versions.current().stack, tablePrefix), readTables(next, tablePrefix));
      const version = compile(next);
      await createTables(client, next, tablePrefix);
      await queueService.define(version.queues);
      // As in an update of CloudFormation, old sets are removed last.
      ipSets.define([...versions.current().ipSets, ...version.ipSets]);
      await versions.replaceBy(version);
      ipSets.define(version.ipSets);
    },
    inspectorAddress: inspected && `127.0.0.1:${inspected.port}`,
    injectStoreFault: proxy.injectFault,
    pauseMappings: (arePaused) => versions.current().background.pauseMappings(arePaused),
    hastenMappings: (timesFaster) => versions.current().background.hastenMappings(timesFaster),
    runSchedules: () => versions.current().background.runSchedules(),
  };
};

type Place = Required<Pick<ServeStackOptions<unknown>, 'directory' | 'port' | 'isOnAllAddresses' | 'print'>>;

/**
 * Reserves the directory and the port, so that conflicts are reported before anything is written, created or started. Requests
 * on the port wait until the stack is served.
 */
const takePlace = async (
  { directory, port: wantedPort, isOnAllAddresses, print }: Place,
  onClose: (closer: () => unknown) => void,
) => {
  requireOwnLogs(directory);
  const lock = lockDirectory(directory);
  onClose(lock.release);
  const { caFile, ...tls } = await serverCertificateIn(directory);
  const serving = Promise.withResolvers<Serve>();
  const serveWhenUp: Serve = async (incoming, outgoing) => (await serving.promise)(incoming, outgoing);
  const server = createHttpsServer(
    tls,
    listenerOf(serveWhenUp, (error) => print(`A request got no answer: ${inspect(error)}`)),
  );
  const listen = isOnAllAddresses ? listenOnAllAddresses : listenOnLoopback;
  await listen(server, wantedPort).catch((error) => {
    throw cannotListen(wantedPort, error);
  });
  onClose(() => closeServer(server));
  const { port } = server.address() as AddressInfo;
  lock.announcePort(port);
  const serve = (serveRequest: Serve) => {
    serving.resolve(serveRequest);
    onClose(() => drainServer(server, answeredWithinMs));
  };
  return { caFile, port, serve };
};

/** Starts a store for this run. If the store ends unexpectedly, reports what is left of its data. */
const startStore = async (
  options: DynamoDbLocalOptions,
  onEnd: (reason: UserFacingError) => void,
): Promise<DynamoDbLocal> => {
  const store = await startDynamoDbLocal(options);
  const rest = options.dataDirectory
    ? `All that was written is in ${options.dataDirectory}.`
    : 'All data was in memory, and is gone.';
  void store.ended.then((reason) => onEnd(new UserFacingError(`${reason} ${rest}`)));
  return store;
};

const resolved = async <T>(given: T | (() => Promise<T>)): Promise<T> => (given instanceof Function ? given() : given);

const loadKnownStack = (assemblyDirectory: string): Stack => {
  const stack = loadStack(assemblyDirectory);
  requireKnownTemplate(stack.template);
  return stack;
};

const inspectedFunction = async ({ inspect }: { readonly inspect?: string | undefined }) =>
  inspect === undefined ? undefined : { functionName: inspect, port: await freePort(usualInspectorPort) };

/** Throws if a run would empty a folder that no run has created. */
const requireOwnLogs = (directory: string) => {
  if (existsSync(join(directory, 'logs')) && !existsSync(caFileIn(directory)))
    throw new UserFacingError(
      `${directory} has a folder "logs" that no run has made, and a run would empty it. Choose another directory.`,
      'directory',
    );
};

const emptyDirectory = (directory: string): string => {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  return directory;
};

const cannotListen = (port: number, { code, message }: NodeJS.ErrnoException) =>
  new UserFacingError(
    `Port ${port} ${code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${message})`}. Choose another one, or 0 for any free one.`,
    'port',
  );
