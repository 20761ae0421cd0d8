import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeServer, listenOnLoopback } from '../host/loopback-server.ts';

/** Tells how an invocation ended: with what the handler returned, or without, and then perhaps without its process. */
export type Outcome =
  | { readonly kind: 'answer'; readonly payload: string }
  | { readonly kind: 'failure'; readonly reason: string; readonly processIsLost: boolean };

export type RuntimeApi = {
  /** The process finds it here: `AWS_LAMBDA_RUNTIME_API`. */
  readonly address: string;
  /** Hands the process an event; one at a time. */
  readonly invoke: (event: string, traceId: string, invokedArn: string) => Promise<Outcome>;
  /** Tells that the process is gone, which ends the invocation under way. */
  readonly loseProcess: (reason: string) => void;
  readonly close: () => Promise<void>;
};

type Pending = {
  readonly requestId: string;
  readonly event: string;
  readonly traceId: string;
  readonly invokedArn: string;
  readonly resolve: (outcome: Outcome) => void;
};

/** Limits the time until a function asks for its first event, and then the time for each event. */
export type TimeLimits = { readonly initializationMs: number; readonly invocationMs: number };

/** Starts the Lambda Runtime API as one process of a function sees it, with limits on the time that it may take. */
export const startRuntimeApi = async (limits: TimeLimits): Promise<RuntimeApi> => {
  let waitingProcess: ServerResponse | undefined;
  let pending: Pending | undefined;
  let limit: NodeJS.Timeout | undefined;

  const limitTo = (ms: number, reason: string) => {
    clearTimeout(limit);
    limit = setTimeout(loseProcess, ms, reason);
  };

  const deliver = () => {
    if (!waitingProcess || !pending) return;
    limitTo(limits.invocationMs, `it timed out after ${limits.invocationMs / 1000} s`);
    waitingProcess.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': pending.requestId,
      'lambda-runtime-deadline-ms': Date.now() + limits.invocationMs,
      'lambda-runtime-invoked-function-arn': pending.invokedArn,
      'lambda-runtime-trace-id': pending.traceId,
    });
    waitingProcess.end(pending.event);
    waitingProcess = undefined;
  };

  const settle = (outcome: Outcome) => {
    clearTimeout(limit);
    pending?.resolve(outcome);
    pending = undefined;
  };

  const loseProcess = (reason: string) => settle({ kind: 'failure', reason, processIsLost: true });

  const serve = async (incoming: IncomingMessage, answer: ServerResponse) => {
    const body = await text(incoming);
    const path = incoming.url?.replace('/2018-06-01/runtime/', '');
    if (incoming.method === 'GET' && path === 'invocation/next') {
      waitingProcess = answer;
      return deliver();
    }
    if (path === 'init/error') loseProcess(`its initialization failed: ${errorMessageOf(body)}`);
    else if (path === `invocation/${pending?.requestId}/response`) settle({ kind: 'answer', payload: body });
    else if (path === `invocation/${pending?.requestId}/error`)
      settle({ kind: 'failure', reason: `its handler threw: ${errorMessageOf(body)}`, processIsLost: false });
    else return answer.writeHead(404).end();
    return answer.writeHead(202).end();
  };

  // A handler may take any time, and answers through the connection that brought the event.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, answer) => {
    serve(incoming, answer).catch(() => answer.destroy());
  });
  return {
    address: await listenOnLoopback(server),
    invoke: (event, traceId, invokedArn) =>
      new Promise((resolve) => {
        pending = { requestId: randomUUID(), event, traceId, invokedArn, resolve };
        limitTo(limits.initializationMs, `its initialization took longer than ${limits.initializationMs / 1000} s`);
        deliver();
      }),
    loseProcess,
    close: () => closeServer(server),
  };
};

const errorMessageOf = (body: string): string => JSON.parse(body).errorMessage;
