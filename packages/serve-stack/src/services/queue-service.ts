import type { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { UserFacingError } from '../errors.ts';
import { closeServer, createForwarder, listenerOf, listenOnLoopback } from '../host/servers.ts';
import { type ResourcePolicy, refusalOfAccess } from '../iam/access.ts';
import type { AccessKeys } from '../iam/principals.ts';
import type { Environment } from '../template/stack.ts';
import { createMoveTasks, isMoveOperation, MoveRefusal, moveAccessesOf } from './move-tasks.ts';
import { type QueueDefinition, queueAccessOf } from './queue-definitions.ts';
import type { QueueDepth, QueueEngine } from './queue-engine.ts';

export type QueueService = {
  /** The endpoint for clients, where roles and policies decide what they may do. */
  readonly endpoint: string;
  /** Returns a client to which no policy applies. */
  readonly client: () => Promise<SQSClient>;
  readonly define: (queues: readonly QueueDefinition[]) => Promise<void>;
  readonly close: () => Promise<void>;
};

type Options = {
  readonly environment: Environment;
  readonly accessKeys: AccessKeys;
  /** Returns the current policy of the queue with this ARN. */
  readonly policyOf: (queueArn: string) => ResourcePolicy | undefined;
  readonly events: QueueEmitter;
};

/** Only the account's own roles may use a queue without a policy. */
const noPolicy: ResourcePolicy = () => 'implicit deny';

/**
 * Starts a proxy between clients and a queue engine, which grants everyone everything. The proxy enforces policies as SQS
 * would. The engine starts with the first queue or request.
 */
export const startQueueService = async ({
  environment,
  accessKeys,
  policyOf,
  events,
}: Options): Promise<QueueService> => {
  const { forward, close: closeForwarder } = createForwarder();
  let starting: Promise<QueueEngine> | undefined;
  const engine = () => {
    starting ??= import('./queue-engine.ts').then(({ startQueueEngine }) => startQueueEngine(environment));
    return starting;
  };
  const client = async () => (await engine()).client;
  let definitions: readonly QueueDefinition[] = [];
  const moveTasks = createMoveTasks({ definitions: () => definitions, client });
  const depthOf = async (queueName: string) => (await engine()).depthOf(queueName);
  const following = followQueues(() => definitions.map(({ name }) => name), depthOf, events);

  const serve = async (incoming: IncomingMessage, answer: ServerResponse) => {
    const body = await buffer(incoming);
    const [, operation = ''] = String(incoming.headers['x-amz-target']).split('.');
    const request = JSON.parse(body.toString() || '{}');
    const isMove = isMoveOperation(operation);
    const accesses = isMove ? moveAccessesOf(operation, request) : [queueAccessOf(environment, operation, request)];
    const principal = accessKeys.principalOf(incoming);
    if (!principal) return refuse(answer, 403, 'InvalidClientTokenId', unknownKey);
    for (const access of accesses) {
      // Traffic within one machine is not encrypted, and does not need to be.
      const refusal = refusalOfAccess(
        principal,
        { ...access, secureTransport: true },
        { policy: policyOf(access.resource) ?? noPolicy, accountId: environment.accountId },
      );
      if (refusal) return refuse(answer, 403, 'AccessDenied', refusal);
    }
    if (isMove) {
      const result = JSON.stringify(await moveTasks.answer(operation, request));
      return answer.writeHead(200, { 'content-type': contentType }).end(result);
    }
    const running = await engine();
    const response = await forward(running.endpoint, incoming, body, answer);
    const shown = namingOperations.includes(operation) ? inOwnNames(response.body) : response.body;
    return answer
      .writeHead(response.status, { 'content-type': contentType, ...errorOf(response.rawHeaders) })
      .end(shown);
  };

  const server = createServer(
    listenerOf(serve, (error, answer) => {
      if (error instanceof UserFacingError) refuse(answer, 400, 'InvalidAction', error.message);
      if (error instanceof MoveRefusal) refuse(answer, error.status, error.code, error.message);
    }),
  );
  const endpoint = `http://${await listenOnLoopback(server)}`;

  /** Replaces the engine's own endpoint and account id. */
  const inOwnNames = (body: Buffer): string =>
    body
      .toString()
      .replaceAll(/http:\/\/[^/"]+\/\d{12}\//g, `${endpoint}/${environment.accountId}/`)
      .replaceAll(/:sqs:([\w-]+):\d{12}:/g, `:sqs:$1:${environment.accountId}:`);

  return {
    endpoint,
    client,
    define: async (queues) => {
      if (queues.length > 0) await (await engine()).define(queues);
      definitions = queues;
    },
    close: async () => {
      await following.stop();
      await moveTasks.stop();
      await (await starting)?.close();
      await closeServer(server);
      closeForwarder();
    },
  };
};

/** The operations whose answers name queues. */
const namingOperations = ['GetQueueAttributes', 'GetQueueUrl', 'ListQueues'];

const unknownKey = 'The security token included in the request is invalid.';

const contentType = 'application/x-amz-json-1.0';

/** Clients that expect SQS's older protocol read errors from this header. */
const errorHeader = 'x-amzn-query-error';

const errorOf = (rawHeaders: readonly string[]) => {
  const index = rawHeaders.findIndex((name) => name.toLowerCase() === errorHeader);
  return index < 0 ? {} : { [errorHeader]: rawHeaders[index + 1] };
};

const refuse = (answer: ServerResponse, status: number, code: string, message: string) => {
  answer.writeHead(status, { 'content-type': contentType, [errorHeader]: `${code};Sender` });
  answer.end(JSON.stringify({ __type: `com.amazon.coral.service#${code}`, message }));
};

/** Emitted for each queue twice a second. */
export type QueueEvents = { queueDepth: [depth: QueueDepth] };

type QueueEmitter = Pick<EventEmitter<QueueEvents>, 'emit' | 'listenerCount'>;

const intervalMs = 500;

/** Measures the queues while there is a listener; `stop` ends it. */
const followQueues = (
  names: () => readonly string[],
  depthOf: (queueName: string) => Promise<QueueDepth>,
  events: QueueEmitter,
) => {
  const measure = async () => {
    if (events.listenerCount('queueDepth') === 0) return;
    for (const depth of await Promise.all(names().map(depthOf))) events.emit('queueDepth', depth);
  };
  let measuring: Promise<unknown> = Promise.resolve();
  // A measurement that takes longer than the interval delays the next one; a failed measurement is skipped.
  const timer = setInterval(() => {
    measuring = measuring.then(measure).catch(() => undefined);
  }, intervalMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await measuring;
    },
  };
};
