import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll } from 'vitest';
import type { Network } from '../../lambdas/webhooks/network.ts';
import { issueServerCertificate } from '../../local/aws/tls/certificate.ts';

export type Arrived = {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};
type Answer = (outgoing: ServerResponse, arrived: Arrived, incoming: IncomingMessage) => void;

export const receiverHost = 'hooks.acme.example';

/** An address of the internet; the receiver of a test stands in for it, and nothing is ever sent there. */
export const publicAddress = '128.66.0.1';

/**
 * A partner's receiver on this machine, with a certificate for `receiverHost`, until the test file is done. `network` leads
 * every connection to it, whatever address was vetted for it, and notes that address.
 */
export const startReceiver = async () => {
  const { ca, certificate, privateKey } = await issueServerCertificate(Date.now(), [receiverHost]);
  const arrived: Arrived[] = [];
  const connections: { readonly hostName: string; readonly addresses: readonly string[] }[] = [];
  let answer: Answer = (outgoing) => outgoing.writeHead(204).end();
  let resolved: readonly string[] = [publicAddress];
  const server = createServer({ cert: certificate, key: privateKey }, async (incoming, outgoing) => {
    const request = { path: incoming.url, headers: incoming.headers, body: await text(incoming).catch(() => '') };
    arrived.push(request);
    answer(outgoing, request, incoming);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const network: Network = {
    resolve: async () => resolved,
    connect: (hostName, addresses) => {
      connections.push({ hostName, addresses });
      return connect({ host: '127.0.0.1', port, servername: hostName, ca, ALPNProtocols: ['http/1.1'] });
    },
  };
  return {
    ...{ network, arrived, connections, port },
    answerWith: (next: Answer | number) => {
      answer = typeof next === 'number' ? (outgoing) => outgoing.writeHead(next).end() : next;
    },
    resolveTo: (...addresses: readonly string[]) => {
      resolved = addresses;
    },
  };
};
