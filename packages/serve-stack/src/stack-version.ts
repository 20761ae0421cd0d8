import type { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BackgroundWork, compileBackgroundWork } from './background/background-work.ts';
import type { DynamoDbProxy, StoreEvents } from './dynamodb/dynamodb-proxy.ts';
import type { ReadStream } from './dynamodb/stream-reader.ts';
import {
  functionNamed,
  type LogDestination,
  readFunctions,
  readLogDestinations,
} from './functions/function-definitions.ts';
import type { OutsideHosts } from './functions/function-process.ts';
import { createFunctions, type FunctionEvents } from './functions/functions.ts';
import type { Exchange } from './gateway/exchange.ts';
import { createGateway } from './gateway/gateway.ts';
import { compileRestApi, type RestApi } from './gateway/rest-api.ts';
import type { Serve } from './host/servers.ts';
import type { ResourcePolicy } from './iam/access.ts';
import { compileBusPolicies } from './services/event-service.ts';
import { type IpSetDefinition, type IsInIpSet, readIpSets } from './services/ip-set-service.ts';
import { accessLogName } from './services/log-service.ts';
import { readMacKeys } from './services/mac-service.ts';
import {
  compileQueuePolicies,
  type QueueDefinition,
  readQueuePolicies,
  readQueues,
} from './services/queue-definitions.ts';
import type { QueueEvents, QueueService } from './services/queue-service.ts';
import { createResolver, type Resolve } from './template/intrinsics.ts';
import type { Stack } from './template/stack.ts';

/** The events of a run that AWS would measure. Measurements that are expensive are made only while there is a listener. */
export type TelemetryEvents = StoreEvents & FunctionEvents & QueueEvents & { exchange: [exchange: Exchange] };

export type TelemetryEmitter = EventEmitter<TelemetryEvents>;

/** What all versions of a stack share while it is served. */
type Surroundings = {
  readonly tablePrefix: string | undefined;
  readonly proxy: DynamoDbProxy;
  readonly queueService: Pick<QueueService, 'endpoint' | 'client'>;
  readonly eventEndpoint: string;
  readonly macEndpoint: string;
  readonly logEndpoint: string;
  readonly isInIpSet: IsInIpSet;
  readonly logsDirectory: string;
  readonly telemetry: TelemetryEmitter;
  readonly streamReaderOf: (readerName: string, tableName: string) => ReadStream;
  readonly print: (line: string) => void;
  /** Called for every request when it is answered. */
  readonly observe: (exchange: Exchange, api: RestApi) => void;
  readonly timeFactor: number | undefined;
  readonly outside: OutsideHosts | undefined;
  readonly inspected: { readonly functionName: string; readonly port: number } | undefined;
};

/** Everything that is compiled from one synthesized template. */
export type StackVersion = {
  readonly stack: Stack;
  readonly resolve: Resolve;
  readonly api: RestApi;
  readonly gateway: Serve;
  readonly queues: readonly QueueDefinition[];
  /** The policies of queues and of event buses, by the ARN of each that has one. */
  readonly resourcePolicies: ReadonlyMap<string, ResourcePolicy>;
  /** The policies of the keys for message authentication codes, by ARN. */
  readonly macKeys: ReadonlyMap<string, ResourcePolicy>;
  readonly ipSets: readonly IpSetDefinition[];
  /** The log destinations of functions and of the access log, by the names of their files. */
  readonly logDestinations: ReadonlyMap<string, LogDestination>;
  readonly background: BackgroundWork;
  /** Starts the inspected function, so that a debugger finds it, or ends it, so that its port is free for the next version. */
  readonly startInspected: () => Promise<void>;
  readonly endInspected: () => Promise<void>;
  /** Ends the functions when they have answered. */
  readonly drain: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Compiles a stack for serving. Throws an error that names anything unknown, before anything runs. */
export const compileVersion = (stack: Stack, surroundings: Surroundings): StackVersion => {
  const { tablePrefix, proxy, queueService, eventEndpoint, macEndpoint, logEndpoint, logsDirectory } = surroundings;
  const { telemetry, timeFactor, inspected, observe, outside } = surroundings;
  const resolve = createResolver(stack, { tablePrefix, queueEndpoint: queueService.endpoint });
  const queues = readQueues(stack.template, resolve);
  const queuePolicies = compileQueuePolicies(stack, queues, readQueuePolicies(stack, resolve));
  const api = compileRestApi(stack, resolve, surroundings.isInIpSet);
  const inspectedArn =
    inspected && functionNamed(readFunctions(stack.template, resolve), stack.name, inspected.functionName).arn;

  const codeDirectory = mkdtempSync(join(tmpdir(), 'serve-stack-'));
  const removeCode = () => rmSync(codeDirectory, { recursive: true, force: true });
  try {
    const functions = createFunctions(stack, {
      resolve,
      proxy,
      codeDirectory,
      logsDirectory,
      events: telemetry,
      timeFactor,
      outside,
      endpointVariables: {
        AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: logEndpoint,
        AWS_ENDPOINT_URL_EVENTBRIDGE: eventEndpoint,
        AWS_ENDPOINT_URL_KMS: macEndpoint,
        AWS_ENDPOINT_URL_SQS: queueService.endpoint,
      },
      inspected: inspected && inspectedArn ? { arn: inspectedArn, port: inspected.port } : undefined,
    });
    const pools = readFunctions(stack.template, resolve).flatMap(({ arn }) => functions.get(arn) ?? []);
    const inspectedPool = inspectedArn ? functions.get(inspectedArn) : undefined;
    return {
      stack,
      resolve,
      api,
      queues,
      macKeys: readMacKeys(stack, resolve),
      ipSets: readIpSets(stack, resolve),
      logDestinations: new Map([
        ...readLogDestinations(stack.template, resolve),
        ...(api.accessLogGroup === undefined
          ? []
          : ([[accessLogName, { logGroup: api.accessLogGroup, logStream: accessLogName }]] as const)),
      ]),
      resourcePolicies: new Map([...queuePolicies, ...compileBusPolicies(stack, resolve)]),
      gateway: createGateway({ api, functions, observe: (exchange) => observe(exchange, api) }),
      background: compileBackgroundWork(stack, {
        ...surroundings,
        resolve,
        functions,
        queues: { definitions: queues, policies: queuePolicies, client: queueService.client },
      }),
      startInspected: async () => inspectedPool?.start(),
      endInspected: async () => inspectedPool?.close(),
      drain: async () => {
        await Promise.all(pools.map((pool) => pool.drain()));
        removeCode();
      },
      close: async () => {
        await Promise.all(pools.map((pool) => pool.close()));
        removeCode();
      },
    };
  } catch (error) {
    removeCode();
    throw error;
  }
};

/** Serves a version of a stack, and replaces it with another one on request. */
export const serveVersions = (first: StackVersion) => {
  let current = first;
  const alive = new Set([first]);

  const begin = async () => {
    await current.startInspected();
    current.background.start();
  };

  return {
    current: (): StackVersion => current,
    begin,
    /** Replaces the version. Current requests are still answered by the version that received them. */
    replaceBy: async (next: StackVersion): Promise<void> => {
      const previous = current;
      alive.add(next);
      await previous.background.stop();
      await previous.endInspected();
      current = next;
      await begin();
      void previous.drain().finally(() => alive.delete(previous));
    },
    end: async (): Promise<void> => {
      const stopped = current.background.stop();
      // A mapping may wait long for a function; the wait ends with the function's process.
      await Promise.all([...alive].map((version) => version.close()));
      await stopped;
    },
  };
};
