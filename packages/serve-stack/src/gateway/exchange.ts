import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type CipherNameAndProtocol, TLSSocket } from 'node:tls';
import { traceIdAt } from '../functions/function-process.ts';

export type Header = readonly [name: string, value: string];

/** A request as API Gateway received it. */
export type ApiRequest = {
  /** The account of the API. */
  readonly accountId: string;
  /** API Gateway's id, unless the client sends its own. */
  readonly requestId: string;
  /** The id that API Gateway assigns; a client cannot choose it. */
  readonly extendedRequestId: string;
  readonly traceId: string;
  readonly arrivedAtMs: number;
  readonly sourceIp: string;
  readonly port: number;
  readonly httpMethod: string;
  /** The first segment of the client's path. */
  readonly stage: string;
  /** The rest of the path, in the client's spelling. */
  readonly path: string;
  readonly queryString: string;
  readonly protocol: string;
  /** The negotiated version and cipher suite: `TLSv1.3`, `TLS_AES_128_GCM_SHA256`. */
  readonly tls?: { readonly version: string; readonly cipherSuite: string } | undefined;
  /** Headers in the client's order and spelling, including duplicates. */
  readonly headers: readonly Header[];
};

/** A request and its processing so far, which `$context` shows. */
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

/** Removes the prefix of IPv4-mapped addresses, so that an IPv4 client on this machine has its IPv4 address. */
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

/** A client may choose an id of at most 128 characters, all allowed in an HTTP token. */
const chosenRequestId = (headers: readonly Header[]): string | undefined =>
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.exec(headerOf(headers, 'x-amzn-requestid') ?? '')?.[0];

const overridingMethod = (headers: readonly Header[]): string | undefined =>
  /^[A-Z]+$/.exec(headerOf(headers, 'x-http-method-override') ?? '')?.[0];

const tlsOf = (socket: Socket): ApiRequest['tls'] =>
  socket instanceof TLSSocket
    ? { version: socket.getProtocol() ?? '-', cipherSuite: cipherOf(socket)?.standardName ?? '-' }
    : undefined;

/** Returns null or an empty object if the connection has ended, although Node.js's type excludes that. */
const cipherOf = (socket: TLSSocket): Partial<CipherNameAndProtocol> | null => socket.getCipher();

/** Returns the last value of a header; its name is compared without case. */
export const headerOf = (headers: readonly Header[], name: string): string | undefined =>
  headers.findLast(([candidate]) => candidate.toLowerCase() === name)?.[1];

const pairsOf = (rawHeaders: readonly string[]): Header[] =>
  Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    rawHeaders[2 * index] as string,
    rawHeaders[2 * index + 1] as string,
  ]);

/** API Gateway's own responses by type: status, message and error code, unless the template sets others. */
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

/** Thrown to end a request with one of API Gateway's own responses. */
export class GatewayError extends Error {
  readonly type: GatewayErrorType;
  readonly status: number;
  readonly code: string;
  /** The cause, for the person who runs the service; clients never see it. */
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

/** API Gateway's response to a request, without the headers that it adds to every response. */
export type ApiResponse = {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string;
};

/** Returns a line for the terminal. It contains only the template of the path, since a client may put secrets into a path. */
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
