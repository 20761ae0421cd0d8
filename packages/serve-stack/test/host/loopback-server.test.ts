import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { expect, test } from 'vitest';
import { drainServer, listenOnLoopback } from '../../src/host/servers.ts';

test('a request that never ends does not keep a server from ending', async () => {
  const server = createServer(() => undefined);
  const outgoing = request(`http://${await listenOnLoopback(server)}`).end();
  const failed = once(outgoing, 'error');
  await once(server, 'request');
  await drainServer(server, 1);
  expect(await failed).toMatchObject([{ code: 'ECONNRESET' }]);
});
