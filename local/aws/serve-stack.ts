import { EventEmitter } from 'node:events';
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientConfigOf, connectToDynamoDb, startDynamoDbLocal } from './dynamodb/dynamodb-local.ts';
import { startDynamoDbProxy } from './dynamodb/dynamodb-proxy.ts';
import { openStreamReaders } from './dynamodb/stream-readers.ts';
import { readTables, requireUnchangedTables } from './dynamodb/table-definitions.ts';
import { createTables, deleteTables } from './dynamodb/tables.ts';
import { UserFacingError } from './errors/user-facing-error.ts';
import type { Exchange } from './gateway/exchange.ts';
import { requestLogLine } from './gateway/request-log-line.ts';
import type { RestApi } from './gateway/rest-api.ts';
import { closeServer, freePort, listenOnLoopback } from './host/loopback-server.ts';
import { openAll } from './host/open-all.ts';
import { createAccessKeys } from './iam/access-keys.ts';
import { openMessaging } from './messaging.ts';
import type { ServedStack, ServeStackOptions } from './served-stack.ts';
import { serveVersions } from './served-versions.ts';
import { compileVersion } from './stack-version.ts';
import type { TelemetryEmitter } from './telemetry.ts';
import { requireKnownTemplate } from './template/known-template.ts';
import { loadStack, type Stack } from './template/template.ts';
import { serverCertificateIn } from './tls/certificate-store.ts';
import { createHttpsServer } from './tls/https-server.ts';

/** Serves a synthesized stack on this machine; resolves when all of it answers. */
export const serveStack = <Seeded = undefined>(options: ServeStackOptions<Seeded>): Promise<ServedStack<Seeded>> =>
  openAll((onClose) => start(options, onClose));

/** The inspectors of Chrome and of editors look here first. */
const usualInspectorPort = 9229;

const start = async <Seeded>(
  options: ServeStackOptions<Seeded>,
  onClose: (closer: () => unknown) => void,
): Promise<Omit<ServedStack<Seeded>, 'close'>> => {
  const {
    directory,
    port = 0,
    keepData = false,
    tablePrefix,
    timeFactor,
    outside,
    serveBeside = () => false,
    print = () => undefined,
  } = options;
  const logsDirectory = emptyDirectory(join(directory, 'logs'));
  const starting = options.dynamoDbEndpoint
    ? connectToDynamoDb(options.dynamoDbEndpoint)
    : startDynamoDbLocal({ dataDirectory: keepData ? join(directory, 'dynamodb') : undefined });
  onClose(async () => (await starting.catch(() => undefined))?.stop());
  const [assemblyDirectory, { endpoint }] = await Promise.all([options.assembly, starting]);

  const stack = loadKnownStack(assemblyDirectory);
  const telemetry: TelemetryEmitter = new EventEmitter();
  const { environment } = stack;
  const accessKeys = createAccessKeys();
  const proxy = await startDynamoDbProxy(endpoint, { environment, events: telemetry, accessKeys });
  onClose(proxy.close);
  const {
    queueService,
    macEndpoint,
    served: messaging,
  } = await openMessaging({
    ...{ environment, accessKeys, telemetry, onClose },
    current: () => versions.current(),
  });
  const { streamReaderOf, close: closeReaders } = openStreamReaders(endpoint);
  onClose(closeReaders);
  const observe = (exchange: Exchange, { accessLogLine }: RestApi) => {
    const line = accessLogLine(exchange);
    if (line) appendFileSync(join(logsDirectory, 'access.log'), `${line}\n`);
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
      logsDirectory,
      telemetry,
      streamReaderOf,
      print,
      observe,
      timeFactor,
      outside,
      inspected,
    });
  const versions = serveVersions(compile(stack));
  onClose(versions.end);

  const client = new DynamoDBClient(clientConfigOf(endpoint));
  onClose(() => client.destroy());
  if (!keepData) await deleteTables(client, stack, tablePrefix);
  const tables = { endpoint, names: await createTables(client, stack, tablePrefix) };
  await queueService.define(versions.current().queues);
  const seeded = (await options.seed?.(tables)) as Seeded;

  const { caFile, ...tls } = await serverCertificateIn(directory);
  const server = createHttpsServer(tls, (incoming, outgoing) => {
    if (!serveBeside(incoming, outgoing)) versions.current().gateway(incoming, outgoing);
  });
  const address = await listenOnLoopback(server, port).catch((error) => {
    throw error.code === 'EADDRINUSE' ? portIsTaken(port) : error;
  });
  onClose(() => closeServer(server));
  await versions.begin();

  return {
    baseUrl: `https://localhost:${address.split(':')[1]}/${versions.current().api.stageName}`,
    ...{ caFile, logsDirectory, tables, messaging, seeded, telemetry },
    version: versions.current,
    replace: async (from) => {
      const next = loadKnownStack(from);
      requireUnchangedTables(readTables(versions.current().stack, tablePrefix), readTables(next, tablePrefix));
      const version = compile(next);
      await createTables(client, next, tablePrefix);
      await queueService.define(version.queues);
      await versions.replaceBy(version);
    },
    inspectorAddress: inspected && `127.0.0.1:${inspected.port}`,
    injectStoreFault: proxy.injectFault,
    pauseMappings: (arePaused) => versions.current().background.pauseMappings(arePaused),
    hastenMappings: (timesFaster) => versions.current().background.hastenMappings(timesFaster),
    runSchedules: () => versions.current().background.runSchedules(),
  };
};

const loadKnownStack = (assemblyDirectory: string): Stack => {
  const stack = loadStack(assemblyDirectory);
  requireKnownTemplate(stack.template);
  return stack;
};

const inspectedFunction = async ({ inspect }: { readonly inspect?: string | undefined }) =>
  inspect === undefined ? undefined : { functionName: inspect, port: await freePort(usualInspectorPort) };

const emptyDirectory = (directory: string): string => {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  return directory;
};

const portIsTaken = (port: number) =>
  new UserFacingError(`Port ${port} is in use. Choose another one, or 0 for any free one.`, 'port');
