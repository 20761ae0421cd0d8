import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import { isForApiPage } from './api-page.ts';

type Options = {
  readonly tls: { readonly key: string; readonly cert: string };
  readonly gateway: RequestListener;
  readonly apiPage: RequestListener;
};

/** The one HTTPS port: the page is at its place, all else is as API Gateway takes it. */
export const createHttpsServer = ({ tls, gateway, apiPage }: Options): Server =>
  createServer({ ...tls, minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] }, (incoming, outgoing) =>
    (isForApiPage(incoming.url) ? apiPage : gateway)(incoming, outgoing),
  );
