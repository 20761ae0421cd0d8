import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { UserFacingError } from '../errors/user-facing-error.ts';
import { closeServer, listenOnLoopback } from '../host/loopback-server.ts';
import type { Principal } from '../iam/principal.ts';
import { defaultEnvironment, type Environment } from '../template/environment.ts';
import { type Access, accessesOf, type StoreRequest } from './required-access.ts';
import { askingForCapacity, consumedUnitsOf, type StoreEvents, tablesOf } from './store-call.ts';
import { delayOf, isDown, type StoreFault } from './store-fault.ts';

export type DynamoDbProxy = {
  readonly endpoint: string;
  /** Gives a new access key id that acts as the principal. */
  readonly issueAccessKeyId: (principal: Principal) => string;
  /** Lets all calls suffer the fault until it is told otherwise. */
  readonly injectFault: (fault: StoreFault | undefined) => void;
  readonly close: () => Promise<void>;
};

type Options = {
  /** The account and region that tables are named in, in the roles' policies. */
  readonly environment?: Environment;
  readonly events?: Pick<EventEmitter<StoreEvents>, 'emit' | 'listenerCount'>;
};

/**
 * Stands between the functions and DynamoDB Local, which grants everything to everyone, and enforces the roles' policies
 * as IAM would. The access key id tells who asks; signatures are not checked.
 */
export const startDynamoDbProxy = async (
  storeEndpoint: string,
  { environment = defaultEnvironment, events = new EventEmitter() }: Options = {},
): Promise<DynamoDbProxy> => {
  const principals = new Map<string, Principal>();
  const agent = new Agent({ keepAlive: true });
  const store = new URL(storeEndpoint);
  let fault: StoreFault | undefined;

  const serve = async (incoming: IncomingMessage, answer: ServerResponse) => {
    const body = await buffer(incoming);
    const input: StoreRequest = JSON.parse(body.toString());
    const [, operation = ''] = String(incoming.headers['x-amz-target']).split('.');
    const accesses = accessesOf(environment, operation, input);
    const tables = tablesOf(accesses);
    if (isDown(fault, tables)) return incoming.socket.destroy();
    const refusal = refusalOf(principalOf(incoming, principals), accesses);
    if (refusal) return refuse(answer, refusal);
    const isObserved = events.listenerCount('storeCall') > 0;
    const startedMs = performance.now();
    const delayMs = delayOf(fault, tables);
    if (delayMs > 0) await wait(delayMs);
    const response = await forward(incoming, isObserved ? askingForCapacity(input) : body, answer);
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

  const forward = ({ method, url, headers }: IncomingMessage, body: Buffer, answer: ServerResponse) =>
    new Promise<StoreResponse>((resolve, reject) => {
      const { hostname, port } = store;
      const forwarded = { ...headers, host: store.host, 'content-length': body.length };
      const outgoing = request({ agent, hostname, port, method, path: url, headers: forwarded });
      outgoing.on('response', (response) => {
        const { statusCode: status = 502, rawHeaders } = response;
        buffer(response).then((body) => resolve({ status, rawHeaders, body }), reject);
      });
      outgoing.on('error', reject);
      answer.on('close', () => outgoing.destroy());
      outgoing.end(body);
    });

  const server = createServer((incoming, answer) => {
    serve(incoming, answer).catch((error) => {
      if (error instanceof UserFacingError) refuse(answer, { code: 'ValidationException', message: error.message });
      else answer.destroy();
    });
  });
  return {
    endpoint: `http://${await listenOnLoopback(server)}`,
    issueAccessKeyId: (principal) => {
      const accessKeyId = `ASIA${randomBytes(8).toString('hex').toUpperCase()}`;
      principals.set(accessKeyId, principal);
      return accessKeyId;
    },
    injectFault: (next) => {
      fault = next;
    },
    close: async () => {
      await closeServer(server);
      agent.destroy();
    },
  };
};

type StoreResponse = { readonly status: number; readonly rawHeaders: string[]; readonly body: Buffer };

type Refusal = { readonly code: string; readonly message: string };

const principalOf = ({ headers }: IncomingMessage, principals: ReadonlyMap<string, Principal>) => {
  const [, accessKeyId = ''] = headers.authorization?.match(/Credential=(\w+)\//) ?? [];
  return principals.get(accessKeyId);
};

const refusalOf = (principal: Principal | undefined, accesses: readonly Access[]): Refusal | undefined => {
  if (!principal)
    return { code: 'UnrecognizedClientException', message: 'The security token included in the request is invalid.' };
  for (const access of accesses) {
    const decision = principal.decide(access);
    if (decision !== 'allow')
      return {
        code: 'AccessDeniedException',
        message:
          `User: ${principal.arn} is not authorized to perform: ${access.action} on resource: ${access.resource} ` +
          (decision === 'explicit deny'
            ? 'with an explicit deny in an identity-based policy'
            : `because no identity-based policy allows the ${access.action} action`),
      };
  }
  return undefined;
};

const refuse = (answer: ServerResponse, { code, message }: Refusal) => {
  answer.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
  answer.end(JSON.stringify({ __type: `com.amazon.coral.service#${code}`, Message: message }));
};
