import type { ServerResponse } from 'node:http';

/** An answer of a service whose protocol is JSON. */
export type JsonAnswer = { readonly status: number; readonly body: unknown };

export const putJson = (outgoing: ServerResponse, { status, body }: JsonAnswer): void =>
  void outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
