import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  Agent,
  type IncomingMessage,
  type RequestListener,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { buffer } from 'node:stream/consumers';

const loopback = '127.0.0.1';

/** Listens on the loopback address, on a free port by default. Resolves to `address:port`. */
export const listenOnLoopback = async (server: Server, port = 0): Promise<string> =>
  `${loopback}:${await listenOn(loopback, server, port)}`;

/** Listens on all IPv4 addresses of this machine, where other machines may reach it. Resolves to the port. */
export const listenOnAllAddresses = (server: Server, port: number): Promise<number> =>
  listenOn('0.0.0.0', server, port);

const listenOn = async (address: string, server: Server, port: number): Promise<number> => {
  server.listen(port, address);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

/** Answers a request, at once or later. */
export type Serve = (incoming: IncomingMessage, answer: ServerResponse) => unknown;

/**
 * Returns the listener of a server. If `serve` throws or rejects, `refuse` gets the error and may answer. If it does not
 * answer, the connection is closed. No request can end the process. A request with several headers Host is refused, because
 * its readers could disagree.
 */
export const listenerOf =
  (serve: Serve, refuse: (error: unknown, answer: ServerResponse) => unknown = () => undefined): RequestListener =>
  (incoming, answer) => {
    if ((incoming.headersDistinct.host?.length ?? 0) > 1)
      return void answer.writeHead(400, { 'Content-Type': 'text/plain' }).end('A request has one header Host.\n');
    useOriginForm(incoming);
    const attempt = async () => serve(incoming, answer);
    const refuseOrLeave = async (error: unknown) => {
      try {
        await refuse(error, answer);
      } finally {
        if (!answer.writableEnded) answer.destroy();
      }
    };
    // An error of `refuse` itself is ignored, because the connection is closed.
    attempt()
      .catch(refuseOrLeave)
      .catch(() => undefined);
  };

/**
 * Changes a target that is a whole URL, as clients send it to a proxy, to its path and query. Its authority replaces the header
 * Host (RFC 9112, section 3.2.2).
 */
const useOriginForm = (incoming: IncomingMessage): void => {
  const [start, authority] = /^https?:\/\/([^/?]*)/i.exec(incoming.url ?? '') ?? [];
  if (start === undefined || authority === undefined) return;
  incoming.url = incoming.url?.slice(start.length).replace(/^\/?/, '/');
  incoming.headers.host = authority;
  const isHost = (index: number) => index % 2 === 1 && /^host$/i.test(incoming.rawHeaders[index - 1] ?? '');
  incoming.rawHeaders = incoming.rawHeaders.map((text, index) => (isHost(index) ? authority : text));
};

/** Ends a server together with the connections that clients keep open. */
export const closeServer = async (server: Server): Promise<void> => {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
};

/** Ends a server when it has answered its current requests, or when the time for that is over. */
export const drainServer = async (server: Server, withinMs: number): Promise<void> => {
  const closed = once(server, 'close');
  server.close();
  // A connection that its client keeps open is idle after its last response.
  const closingIdle = setInterval(() => server.closeIdleConnections(), 20);
  const impatience = setTimeout(() => server.closeAllConnections(), withinMs);
  await closed;
  clearInterval(closingIdle);
  clearTimeout(impatience);
};

/** Ports outside the ranges from which systems assign free ports. */
const [firstPort, firstEphemeralPort] = [16_000, 32_000];

/**
 * Returns a port without a listener: the preferred one, or any. The system assigns it to no other process until the caller
 * listens there.
 */
export const freePort = async (preferred = randomInt(firstPort, firstEphemeralPort)): Promise<number> => {
  const server = createServer();
  const isTaken = await new Promise<boolean>((resolve, reject) => {
    server.once('listening', () => resolve(false));
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(true) : reject(error),
    );
    server.listen(preferred, loopback);
  });
  if (isTaken) return freePort();
  server.close();
  await once(server, 'close');
  return preferred;
};

/** The unchanged response of the server behind a proxy. */
type ForwardedAnswer = { readonly status: number; readonly rawHeaders: string[]; readonly body: Buffer };

/** Forwards requests to a server on this machine, over persistent connections. */
export const createForwarder = () => {
  const agent = new Agent({ keepAlive: true });
  return {
    /** Sends the request with this body, and aborts it if the caller's connection closes. */
    forward: (
      endpoint: string,
      { method, url, headers }: IncomingMessage,
      body: Buffer,
      answer: ServerResponse,
    ): Promise<ForwardedAnswer> =>
      new Promise((resolve, reject) => {
        const { hostname, port, host } = new URL(endpoint);
        const { 'transfer-encoding': _, expect: __, upgrade: ___, ...kept } = headers;
        const forwarded = { ...kept, host, 'content-length': body.length };
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
