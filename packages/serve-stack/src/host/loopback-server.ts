import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';

/** Listens where only this machine can reach it, on a free port unless one is named; resolves to `address:port`. */
export const listenOnLoopback = async (server: Server, port = 0): Promise<string> => {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Ends a server together with the connections that clients keep open. */
export const closeServer = async (server: Server): Promise<void> => {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
};

/** Ends a server when it has answered what is under way, or when the time for that is over. */
export const drainServer = async (server: Server, withinMs: number): Promise<void> => {
  const closed = once(server, 'close');
  server.close();
  // A connection that its client keeps open is idle from its last answer on.
  const closingIdle = setInterval(() => server.closeIdleConnections(), 20);
  const impatience = setTimeout(() => server.closeAllConnections(), withinMs);
  await closed;
  clearInterval(closingIdle);
  clearTimeout(impatience);
};

/** Finds a port that nobody listens on: the preferred one, or any. */
export const freePort = async (preferred = 0): Promise<number> => {
  const server = createServer();
  const isTaken = await new Promise<boolean>((resolve, reject) => {
    server.once('listening', () => resolve(false));
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(true) : reject(error),
    );
    server.listen(preferred, '127.0.0.1');
  });
  if (isTaken) return freePort();
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};
