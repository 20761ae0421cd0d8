import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** An answer of the server behind a gate, as it came. */
export type ForwardedAnswer = { readonly status: number; readonly rawHeaders: string[]; readonly body: Buffer };

/** Hands requests on to a server on this machine, over connections that it keeps. */
export const createForwarder = () => {
  const agent = new Agent({ keepAlive: true });
  return {
    /** Sends the request with this body; what the asker gives up is given up. */
    forward: (
      endpoint: string,
      { method, url, headers }: IncomingMessage,
      body: Buffer,
      answer: ServerResponse,
    ): Promise<ForwardedAnswer> =>
      new Promise((resolve, reject) => {
        const { hostname, port, host } = new URL(endpoint);
        const forwarded = { ...headers, host, 'content-length': body.length };
        const outgoing = request({ agent, hostname, port, method, path: url, headers: forwarded });
        outgoing.on('response', (response) => {
          const { statusCode: status = 502, rawHeaders } = response;
          buffer(response).then((content) => resolve({ status, rawHeaders, body: content }), reject);
        });
        outgoing.on('error', reject);
        answer.on('close', () => outgoing.destroy());
        outgoing.end(body);
      }),
    close: () => agent.destroy(),
  };
};
