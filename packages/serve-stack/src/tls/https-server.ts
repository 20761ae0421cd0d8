import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';

/** Creates the HTTPS server, as API Gateway's is: it speaks HTTP/1.1 and no TLS older than 1.2. */
export const createHttpsServer = (
  tls: { readonly key: string; readonly cert: string },
  listener: RequestListener,
): Server => createServer({ ...tls, minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] }, listener);
