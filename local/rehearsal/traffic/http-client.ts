import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Demo } from '../../demo/demo-file.ts';
import type { DemoCompany } from '../../demo/demo-world.ts';

/** A request as a partner sends it; what a partner leaves out is not sent. */
export type PartnerRequest = {
  readonly method?: string;
  /** The path behind the stage. */
  readonly path: string;
  readonly sourceIp: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type PartnerAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type Client = {
  readonly send: (request: PartnerRequest) => Promise<PartnerAnswer>;
  /** Requests sent so far. */
  readonly sent: () => number;
  readonly close: () => void;
};

/** The server may close a connection that waits for its next request just as that is sent; then it is sent again. */
class ReusedConnectionError extends Error {}

/** Calls the demo world through its front door, from the address that each request names. */
export const createClient = ({ baseUrl, caFile }: Demo): Client => {
  const { port, pathname } = new URL(baseUrl);
  const agent = new Agent({ keepAlive: true, ca: readFileSync(caFile) });
  let sent = 0;

  const exchange = ({ method = 'GET', path, sourceIp, headers = {}, body }: PartnerRequest) =>
    new Promise<PartnerAnswer>((resolve, reject) => {
      const target = {
        agent,
        host: 'localhost',
        family: 4,
        port,
        method,
        path: pathname + path,
        localAddress: sourceIp,
      };
      const contentLength = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      const outgoing = request({ ...target, headers: { ...headers, ...contentLength } });
      outgoing
        .on('response', (response) => {
          const headers = response.headers as PartnerAnswer['headers'];
          text(response).then(
            (answered) => resolve({ status: response.statusCode ?? 0, headers, body: answered }),
            reject,
          );
        })
        .on('error', (error) => reject(outgoing.reusedSocket ? new ReusedConnectionError('', { cause: error }) : error))
        .end(body);
    });

  const send = async (request: PartnerRequest): Promise<PartnerAnswer> => {
    sent++;
    for (;;) {
      try {
        return await exchange(request);
      } catch (error) {
        if (!(error instanceof ReusedConnectionError)) throw error;
      }
    }
  };
  return { send, sent: () => sent, close: () => agent.destroy() };
};

/** Makes a request of a company in good order: with its key, for its owner, from its address. */
export const requestOf = (
  { apiKey, userId, sourceIp }: DemoCompany,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: unknown } = {},
): PartnerRequest => ({
  method,
  path,
  sourceIp,
  headers: {
    'x-api-key': apiKey,
    'x-user-id': userId,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  },
  ...(body !== undefined && { body: JSON.stringify(body) }),
});
