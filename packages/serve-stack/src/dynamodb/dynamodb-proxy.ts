import { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { UserFacingError } from '../errors/user-facing-error.ts';
import { createForwarder } from '../host/forwarder.ts';
import { closeServer, listenOnLoopback } from '../host/loopback-server.ts';
import { type AccessKeys, createAccessKeys } from '../iam/access-keys.ts';
import type { Principal } from '../iam/principal.ts';
import { refusalMessage } from '../iam/refusal.ts';
import { defaultEnvironment, type Environment } from '../template/environment.ts';
import { type Access, accessesOf, type StoreRequest } from './required-access.ts';
import { askingForCapacity, consumedUnitsOf, type StoreEvents, tablesOf } from './store-call.ts';
import { delayOf, isDown, type StoreFault } from './store-fault.ts';

export type DynamoDbProxy = {
  readonly endpoint: string;
  /** Gives a new access key id that acts as the principal. */
  readonly issueAccessKeyId: AccessKeys['issue'];
  /** Lets all calls suffer the fault until it is told otherwise. */
  readonly injectFault: (fault: StoreFault | undefined) => void;
  readonly close: () => Promise<void>;
};

type Options = {
  /** The account and region that tables are named in, in the roles' policies. */
  readonly environment?: Environment;
  readonly events?: Pick<EventEmitter<StoreEvents>, 'emit' | 'listenerCount'>;
  /** Those of a run with more services than this one. */
  readonly accessKeys?: AccessKeys;
};

/**
 * Stands between the functions and DynamoDB Local, which grants everything to everyone, and enforces the roles' policies
 * as IAM would. The access key id tells who asks; signatures are not checked.
 */
export const startDynamoDbProxy = async (
  storeEndpoint: string,
  { environment = defaultEnvironment, events = new EventEmitter(), accessKeys = createAccessKeys() }: Options = {},
): Promise<DynamoDbProxy> => {
  const { forward, close: closeForwarder } = createForwarder();
  let fault: StoreFault | undefined;

  const serve = async (incoming: IncomingMessage, answer: ServerResponse) => {
    const body = await buffer(incoming);
    const input: StoreRequest = JSON.parse(body.toString());
    const [, operation = ''] = String(incoming.headers['x-amz-target']).split('.');
    const accesses = accessesOf(environment, operation, input);
    const tables = tablesOf(accesses);
    if (isDown(fault, tables)) return incoming.socket.destroy();
    const refusal = refusalOf(accessKeys.principalOf(incoming), accesses);
    if (refusal) return refuse(answer, refusal);
    const isObserved = events.listenerCount('storeCall') > 0;
    const startedMs = performance.now();
    const delayMs = delayOf(fault, tables);
    if (delayMs > 0) await wait(delayMs);
    const response = await forward(storeEndpoint, incoming, isObserved ? askingForCapacity(input) : body, answer);
    if (isObserved)
      events.emit('storeCall', {
        operation,
        tables,
        status: response.status,
        latencyMs: performance.now() - startedMs,
        consumed: consumedUnitsOf(operation, response.body),
      });
    return answer.writeHead(response.status, response.rawHeaders).end(response.body);
  };

  const server = createServer((incoming, answer) => {
    serve(incoming, answer).catch((error) => {
      if (error instanceof UserFacingError) refuse(answer, { code: 'ValidationException', message: error.message });
      else answer.destroy();
    });
  });
  return {
    endpoint: `http://${await listenOnLoopback(server)}`,
    issueAccessKeyId: accessKeys.issue,
    injectFault: (next) => {
      fault = next;
    },
    close: async () => {
      await closeServer(server);
      closeForwarder();
    },
  };
};

type Refusal = { readonly code: string; readonly message: string };

const refusalOf = (principal: Principal | undefined, accesses: readonly Access[]): Refusal | undefined => {
  if (!principal)
    return { code: 'UnrecognizedClientException', message: 'The security token included in the request is invalid.' };
  for (const access of accesses) {
    const decision = principal.decide(access);
    if (decision !== 'allow')
      return {
        code: 'AccessDeniedException',
        message: refusalMessage(principal, access, {
          kind: 'identity-based',
          isExplicit: decision === 'explicit deny',
        }),
      };
  }
  return undefined;
};

const refuse = (answer: ServerResponse, { code, message }: Refusal) => {
  answer.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
  answer.end(JSON.stringify({ __type: `com.amazon.coral.service#${code}`, Message: message }));
};
