import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type CipherNameAndProtocol, TLSSocket } from 'node:tls';
import { traceIdAt } from '../functions/function-process.ts';

export type Header = readonly [name: string, value: string];

/** A request as API Gateway took it in. */
export type ApiRequest = {
  /** The account of the API. */
  readonly accountId: string;
  /** The id is API Gateway's, unless the client sends one of its own. */
  readonly requestId: string;
  /** The id that no client can choose. */
  readonly extendedRequestId: string;
  readonly traceId: string;
  readonly arrivedAtMs: number;
  readonly sourceIp: string;
  readonly port: number;
  readonly httpMethod: string;
  /** The first segment of the client's path. */
  readonly stage: string;
  /** The rest of it, in the client's spelling. */
  readonly path: string;
  readonly queryString: string;
  readonly protocol: string;
  /** What client and API have agreed on: `TLSv1.3`, `TLS_AES_128_GCM_SHA256`. */
  readonly tls?: { readonly version: string; readonly cipherSuite: string } | undefined;
  /** Headers keep the client's order and spelling, duplicates included. */
  readonly headers: readonly Header[];
};

/** A request and what has become of it so far; `$context` shows it. */
export type Exchange = {
  readonly request: ApiRequest;
  resourceId?: string;
  resourcePath?: string;
  integration?: { readonly status: number; readonly latencyMs: number };
  error?: GatewayError;
  answered?: { readonly status: number; readonly lengthBytes: number; readonly latencyMs: number };
};

/**
 * Returns the address of the client. A connection to another address than loopback comes through the published port of a
 * container. The container engine replaces the client's address there, so the client counts as one on this machine.
 */
const sourceIpOf = ({ localAddress, remoteAddress }: Pick<Socket, 'localAddress' | 'remoteAddress'>): string =>
  isLoopback(localAddress) ? withoutIpv4Mapping(remoteAddress) : '127.0.0.1';

const isLoopback = (address?: string): boolean => withoutIpv4Mapping(address).startsWith('127.');

/** Every address that a client has on this machine arrives here in its own family. */
const withoutIpv4Mapping = (address = '') => address.replace(/^::ffff:/, '');

export const receive = (incoming: IncomingMessage, accountId: string): ApiRequest => {
  const headers = pairsOf(incoming.rawHeaders);
  const arrivedAtMs = Date.now();
  const [, stage = '', path = '', queryString = ''] = incoming.url?.match(/^\/?([^/?]*)([^?]*)\??(.*)$/s) ?? [];
  return {
    accountId,
    requestId: chosenRequestId(headers) ?? randomUUID(),
    extendedRequestId: `${randomBytes(11).toString('base64url')}=`,
    traceId: traceIdAt(arrivedAtMs),
    arrivedAtMs,
    sourceIp: sourceIpOf(incoming.socket),
    port: incoming.socket.localPort ?? 0,
    httpMethod: overridingMethod(headers) ?? incoming.method ?? '',
    stage,
    path: path || '/',
    queryString,
    protocol: `HTTP/${incoming.httpVersion}`,
    tls: tlsOf(incoming.socket),
    headers,
  };
};

/** A client may choose characters of a token of HTTP, at most 128. */
const chosenRequestId = (headers: readonly Header[]): string | undefined =>
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.exec(headerOf(headers, 'x-amzn-requestid') ?? '')?.[0];

const overridingMethod = (headers: readonly Header[]): string | undefined =>
  /^[A-Z]+$/.exec(headerOf(headers, 'x-http-method-override') ?? '')?.[0];

const tlsOf = (socket: Socket): ApiRequest['tls'] =>
  socket instanceof TLSSocket
    ? { version: socket.getProtocol() ?? '-', cipherSuite: cipherOf(socket)?.standardName ?? '-' }
    : undefined;

/** Returns null or an empty object if the connection has ended, although the type of Node.js excludes it. */
const cipherOf = (socket: TLSSocket): Partial<CipherNameAndProtocol> | null => socket.getCipher();

/** Gives the last value of a header, whatever its case. */
export const headerOf = (headers: readonly Header[], name: string): string | undefined =>
  headers.findLast(([candidate]) => candidate.toLowerCase() === name)?.[1];

const pairsOf = (rawHeaders: readonly string[]): Header[] =>
  Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    rawHeaders[2 * index] as string,
    rawHeaders[2 * index + 1] as string,
  ]);

/** Lists API Gateway's own answers by response type: status, message and error code, unless the template says otherwise. */
const defaults = {
  ACCESS_DENIED: [403, 'Forbidden', 'AccessDeniedException'],
  API_CONFIGURATION_ERROR: [500, 'Internal server error', 'InternalServerErrorException'],
  DEFAULT_4XX: [400, 'Bad Request', 'BadRequestException'],
  DEFAULT_5XX: [502, 'Internal server error', 'InternalServerErrorException'],
  MISSING_AUTHENTICATION_TOKEN: [403, 'Missing Authentication Token', 'MissingAuthenticationTokenException'],
  REQUEST_TOO_LARGE: [413, 'HTTP content length exceeded 10485760 bytes.', 'RequestTooLargeException'],
  WAF_FILTERED: [403, 'Forbidden', 'ForbiddenException'],
  THROTTLED: [429, 'Too Many Requests', 'TooManyRequestsException'],
} as const;

type GatewayErrorType = keyof typeof defaults;

/** Ends a request with one of API Gateway's own answers. */
export class GatewayError extends Error {
  readonly type: GatewayErrorType;
  readonly status: number;
  readonly code: string;
  /** Tells the one who runs the service, never its client, what went wrong behind the answer. */
  readonly reason: string | undefined;

  constructor(type: GatewayErrorType, { message, reason }: { message?: string; reason?: string } = {}) {
    const [status, defaultMessage, code] = defaults[type];
    super(message ?? defaultMessage);
    this.type = type;
    this.status = status;
    this.code = code;
    this.reason = reason;
  }
}

/** Holds what API Gateway answers to a request, but for the headers that it gives to every answer. */
export type ApiResponse = {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string;
};

/** Writes a line for the terminal, with the path's template only: whatever a client puts into a path may be secret. */
export const requestLogLine = ({ request, resourcePath, error, answered }: Exchange): string =>
  [
    new Date(request.arrivedAtMs).toTimeString().slice(0, 8),
    request.sourceIp,
    request.httpMethod,
    resourcePath ? `/${request.stage}${resourcePath}` : '(no route)',
    answered?.status,
    `${answered?.latencyMs} ms`,
    error && `${error.type}${error.reason ? `: ${error.reason}` : ''}`,
  ]
    .filter((part) => part !== undefined)
    .join(' ');
