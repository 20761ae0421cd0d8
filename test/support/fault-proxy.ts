import { EventEmitter, once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { RequestTimeouts } from '../../lambdas/data/store/store.ts';

/** One request to DynamoDB over the wire, with its response or its injected fault. */
export type Exchange = { readonly action: string; readonly input: Wire; output?: Wire };

// biome-ignore lint/suspicious/noExplicitAny: the wire format differs by action, and tests read all of it.
type Wire = Record<string, any>;

/** Whether a request writes one item. */
export const isItemWrite = ({ action }: Exchange): boolean => /^(Put|Update)Item$/.test(action);

/** A fault: no response, an error of DynamoDB (`deny` cannot be retried), or an applied request whose response is lost. */
export type Fault = 'hang' | 'deny' | 'throttle' | 'conflict' | 'unprocessed' | 'lose-answer';

/** A batch read whose hot items DynamoDB returns as unprocessed. */
type HotItems = { readonly isHot: (table: string, key: Wire) => boolean };

/** Chooses the fault by the action and its position among all exchanges. */
export type FaultPlan = (exchange: Exchange, ordinal: number) => Fault | HotItems | undefined;

const target = 'DynamoDB_20120810';

/**
 * A proxy between the code under test and the real DynamoDB Local. It records each exchange, asks for the consumed capacity,
 * and injects the planned faults. It never imitates the store.
 */
export const startFaultProxy = async (dynamoDbEndpoint: string) => {
  const exchanges: Exchange[] = [];
  let plan: FaultPlan | undefined;
  let isOpen = true;
  let hung = 0;
  const hangs = new EventEmitter();

  const record = (header: string | string[] | undefined, body: string): Exchange => {
    const exchange: Exchange = { action: String(header).replace(`${target}.`, ''), input: JSON.parse(body) };
    exchanges.push(exchange);
    return exchange;
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    // Node caches its Date header for a second. If a test sets its clock meanwhile, the SDK corrects its own and retries.
    response.setHeader('date', new Date().toUTCString());
    const exchange = record(request.headers['x-amz-target'], (await buffer(request)).toString());
    const { input } = exchange;
    const fault = plan?.(exchange, exchanges.length - 1);
    if (fault === 'hang') {
      hung++;
      hangs.emit('hang');
      return;
    }
    if (typeof fault === 'object') return leaveHot(request, response, input, fault);
    if (fault && fault !== 'lose-answer') return refuse(response, fault, input);
    const { statusCode, body } = await passOn(request, inputOf(exchange));
    exchange.output = JSON.parse(body);
    if (fault === 'lose-answer') request.socket.destroy();
    else response.writeHead(statusCode, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
  };

  const passOn = (request: IncomingMessage, input: Wire) =>
    new Promise<{ statusCode: number; body: string }>((resolve, reject) => {
      const payload = JSON.stringify(input);
      const headers = { ...request.headers, 'content-length': Buffer.byteLength(payload) };
      forward(dynamoDbEndpoint, { method: 'POST', headers }, async (answered) => {
        resolve({ statusCode: answered.statusCode ?? 500, body: (await buffer(answered)).toString() });
      })
        .on('error', reject)
        .end(payload);
    });

  const leaveHot = async (request: IncomingMessage, response: ServerResponse, input: Wire, { isHot }: HotItems) => {
    const tables: [string, Wire][] = Object.entries(input.RequestItems);
    const part = (isTaken: (table: string, key: Wire) => boolean) =>
      Object.fromEntries(
        tables
          .map(
            ([name, asked]) =>
              [name, { ...asked, Keys: asked.Keys.filter((key: Wire) => isTaken(name, key)) }] as const,
          )
          .filter(([, { Keys }]) => Keys.length > 0),
      );
    const [UnprocessedKeys, cool] = [part(isHot), part((table, key) => !isHot(table, key))];
    if (Object.keys(cool).length === 0) return refuse(response, 'throttle', input);
    const { statusCode, body } = await passOn(request, { ...input, RequestItems: cool });
    const answered = JSON.stringify({ ...JSON.parse(body), UnprocessedKeys });
    response.writeHead(statusCode, { 'content-type': 'application/x-amz-json-1.0' }).end(answered);
  };

  const server = createServer((request, response) => void answer(request, response));
  const listen = (port: number) => {
    isOpen = true;
    return new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const close = () => {
    isOpen = false;
    server.closeAllConnections();
    return new Promise((closed) => server.close(closed));
  };
  return {
    endpoint: `http://127.0.0.1:${port}`,
    /** All exchanges since the last `begin`. */
    exchanges,
    /** Clears the recorded exchanges, and injects the faults of the plan from now on. */
    begin: (next?: FaultPlan) => {
      exchanges.length = 0;
      hung = 0;
      plan = next;
    },
    /** Whether it forwards every request without a fault. */
    isFaultless: () => isOpen && plan === undefined,
    record,
    inputOf,
    /** Resolves when this many requests since the last `begin` hang. */
    untilHung: async (count: number) => {
      while (hung < count) await once(hangs, 'hang');
    },
    /** Refuses connections until `open` is called. */
    close,
    open: () => listen(port),
  };
};

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>;

/** Asks for the consumed capacity too. */
const inputOf = ({ input }: Exchange): Wire => ({ ...input, ReturnConsumedCapacity: 'TOTAL' });

const refuse = (response: ServerResponse, fault: Exclude<Fault, 'hang' | 'lose-answer'>, input: Wire) => {
  const refusals = {
    deny: [400, { __type: 'com.amazon.coral.service#AccessDeniedException', Message: 'Not you.' }],
    throttle: [400, { __type: `${exceptions}ProvisionedThroughputExceededException`, message: 'Too fast.' }],
    conflict: [
      400,
      {
        __type: `${exceptions}TransactionCanceledException`,
        message: 'Transaction cancelled.',
        CancellationReasons: (input.TransactItems ?? []).map(() => ({ Code: 'TransactionConflict' })),
      },
    ],
    unprocessed: [200, { Responses: {}, UnprocessedKeys: input.RequestItems }],
  } as const;
  const [status, body] = refusals[fault];
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
};

const exceptions = 'com.amazonaws.dynamodb.v20120810#';

/**
 * Returns a request handler for clients of the proxy. It sends requests to DynamoDB Local directly while no fault is planned: the
 * proxy takes as long as the request. Both ways record the same exchange and return the same response.
 */
export const bypassWhileFaultless = (proxy: FaultProxy, dynamoDbEndpoint: string, timeouts: RequestTimeouts) => {
  const { hostname, port, host } = new URL(dynamoDbEndpoint);
  const { requestHandler } = new DynamoDBClient({ requestHandler: { ...timeouts, throwOnRequestTimeout: true } })
    .config;
  const handle: typeof requestHandler.handle = async (request, options) => {
    if (!proxy.isFaultless()) return requestHandler.handle(request, options);
    const exchange = proxy.record(request.headers['x-amz-target'], request.body);
    const body = JSON.stringify(proxy.inputOf(exchange));
    const headers = { ...request.headers, host, 'content-length': `${Buffer.byteLength(body)}` };
    // A copy: the next attempt starts from the request of the SDK, which is addressed to the proxy.
    const answered = await requestHandler.handle({ ...request, hostname, port: Number(port), headers, body }, options);
    const { response } = answered;
    const payload = await buffer(response.body);
    exchange.output = JSON.parse(payload.toString());
    response.body = payload;
    response.headers.date = new Date().toUTCString();
    return answered;
  };
  return { handle };
};
