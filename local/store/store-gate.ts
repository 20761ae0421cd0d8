import { randomBytes } from 'node:crypto';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Decision, PolicyRequest } from '../iam/iam-policy.ts';
import { closeServer, listenOnLoopback } from '../loopback-server.ts';
import { accessesOf } from './store-accesses.ts';

/** Who asks, and what its role's policies say. */
export type Principal = { readonly arn: string; readonly decide: (request: PolicyRequest) => Decision };

export type StoreGate = {
  readonly endpoint: string;
  /** A new access key id that acts as the principal. */
  readonly issueAccessKeyId: (principal: Principal) => string;
  readonly close: () => Promise<void>;
};

/**
 * Stands between the functions and DynamoDB Local, which grants everything to everyone, and enforces the roles' policies
 * as IAM would. The access key id tells who asks; signatures are not checked.
 */
export const startStoreGate = async (storeEndpoint: string): Promise<StoreGate> => {
  const principals = new Map<string, Principal>();
  const agent = new Agent({ keepAlive: true });
  const store = new URL(storeEndpoint);

  const serve = async (incoming: IncomingMessage, answer: ServerResponse) => {
    const body = await buffer(incoming);
    const refusal = refusalOf(incoming, body, principals);
    if (refusal) refuse(answer, refusal);
    else forward(incoming, body, answer);
  };

  const forward = ({ method, url, headers }: IncomingMessage, body: Buffer, answer: ServerResponse) => {
    const { hostname, port } = store;
    const outgoing = request({ agent, hostname, port, method, path: url, headers: { ...headers, host: store.host } });
    outgoing.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => outgoing.destroy());
    outgoing.end(body);
  };

  const server = createServer((incoming, answer) => {
    serve(incoming, answer).catch(() => answer.destroy());
  });
  return {
    endpoint: `http://${await listenOnLoopback(server)}`,
    issueAccessKeyId: (principal) => {
      const accessKeyId = `ASIA${randomBytes(8).toString('hex').toUpperCase()}`;
      principals.set(accessKeyId, principal);
      return accessKeyId;
    },
    close: async () => {
      await closeServer(server);
      agent.destroy();
    },
  };
};

type Refusal = { readonly code: string; readonly message: string };

const refusalOf = (
  { headers }: IncomingMessage,
  body: Buffer,
  principals: ReadonlyMap<string, Principal>,
): Refusal | undefined => {
  const [, accessKeyId = ''] = headers.authorization?.match(/Credential=(\w+)\//) ?? [];
  const principal = principals.get(accessKeyId);
  if (!principal)
    return { code: 'UnrecognizedClientException', message: 'The security token included in the request is invalid.' };
  const [, operation = ''] = String(headers['x-amz-target']).split('.');
  for (const access of accessesOf(operation, JSON.parse(body.toString()))) {
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
