import { type IncomingMessage, type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http';
import type { FunctionPool } from '../functions/functions.ts';
import type { Serve } from '../host/servers.ts';
import { apiId } from '../template/intrinsics.ts';
import {
  type ApiRequest,
  type ApiResponse,
  type Exchange,
  GatewayError,
  type Header,
  headerOf,
  receive,
} from './exchange.ts';
import { domainNameOf, requestPath, toCommonLogTime } from './gateway-responses.ts';
import type { RestApi } from './rest-api.ts';
import type { Match } from './router.ts';

type Options = {
  readonly api: RestApi;
  readonly functions: ReadonlyMap<string, FunctionPool>;
  /** Called for every request when it is answered. */
  readonly observe: (exchange: Exchange) => void;
};

const maxBodyBytes = 10 * 1024 * 1024;

/** Serves the template's API, with checks in API Gateway's order. */
export const createGateway = ({ api, functions, observe }: Options): Serve => {
  const serve = async (exchange: Exchange, incoming: IncomingMessage): Promise<ApiResponse> => {
    const { request } = exchange;
    if (request.stage !== api.stageName) return noSuchStage;
    const filtered = api.inspect(request);
    if (filtered) return filtered;
    api.checkPolicy(request);
    const match = api.route(request.httpMethod, request.path);
    if (!match) throw new GatewayError('MISSING_AUTHENTICATION_TOKEN');
    exchange.resourceId = match.resourceId;
    exchange.resourcePath = match.resourcePath;
    api.throttle(`${request.httpMethod} ${match.resourcePath}`, request.arrivedAtMs);
    const body = await readBody(incoming);
    const event = proxyEvent(request, match, body);
    if (!match.target.isPermitted)
      throw new GatewayError('API_CONFIGURATION_ERROR', {
        reason: 'API Gateway has no permission to invoke the function',
      });
    const payload = await invoke(exchange, match.target.functionArn, JSON.stringify(event));
    return withTrace(proxyResponse(payload), request);
  };

  const invoke = async (exchange: Exchange, functionArn: string, event: string): Promise<string> => {
    const pool = functions.get(functionArn);
    if (!pool) throw new GatewayError('API_CONFIGURATION_ERROR', { reason: `there is no function ${functionArn}` });
    const startedMs = performance.now();
    const outcome = await pool.invoke(event, exchange.request.traceId);
    exchange.integration = { status: 200, latencyMs: Math.round(performance.now() - startedMs) };
    if (outcome.kind === 'failure') throw new GatewayError('DEFAULT_5XX', { reason: outcome.reason });
    return outcome.payload;
  };

  const answerTo = async (exchange: Exchange, incoming: IncomingMessage): Promise<ApiResponse> => {
    try {
      return await serve(exchange, incoming);
    } catch (error) {
      exchange.error =
        error instanceof GatewayError ? error : new GatewayError('DEFAULT_5XX', { reason: String(error) });
      return api.gatewayResponse(exchange.error, exchange);
    }
  };

  return async (incoming, outgoing) => {
    // Node.js also emits a request whose remainder it could not read. API Gateway never receives such a request.
    if (incoming.socket.destroyed) return;
    const startedMs = performance.now();
    const exchange: Exchange = { request: receive(incoming, api.accountId) };
    const response = await answerTo(exchange, incoming);
    const lengthBytes = send(outgoing, response, exchange.request);
    const latencyMs = Math.round(performance.now() - startedMs);
    exchange.answered = { status: response.status, lengthBytes, latencyMs };
    observe(exchange);
  };
};

/** The response outside of every stage, where no API's gateway responses apply. */
const noSuchStage: ApiResponse = {
  status: 403,
  headers: [
    ['Content-Type', 'application/json'],
    ['x-amzn-ErrorType', 'ForbiddenException'],
  ],
  body: '{"message":"Forbidden"}',
};

/** Reads even a body that is too large to its end, so that the client can read the response. */
const readBody = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let lengthBytes = 0;
  for await (const chunk of incoming) {
    lengthBytes += chunk.length;
    if (lengthBytes <= maxBodyBytes) chunks.push(chunk);
  }
  if (lengthBytes > maxBodyBytes) throw new GatewayError('REQUEST_TOO_LARGE');
  return Buffer.concat(chunks).toString();
};

const withTrace = (response: ApiResponse, { traceId }: ApiRequest): ApiResponse => ({
  ...response,
  headers: [...response.headers, ['X-Amzn-Trace-Id', traceId]],
});

/** Returns the length of the body. */
const send = (outgoing: ServerResponse, response: ApiResponse, request: ApiRequest): number => {
  const body = Buffer.from(response.status === 204 || response.status === 304 ? '' : response.body);
  const headers: Header[] = [
    ...response.headers,
    ['x-amzn-RequestId', request.requestId],
    ['x-amz-apigw-id', request.extendedRequestId],
  ];
  if (response.status !== 204 && response.status !== 304) headers.push(['Content-Length', String(body.length)]);
  outgoing.writeHead(response.status, headers.flat());
  outgoing.end(body);
  return body.length;
};

type ProxyResponse = {
  readonly statusCode?: number | string;
  readonly headers?: Readonly<Record<string, string | boolean>> | null;
  readonly multiValueHeaders?: Readonly<Record<string, readonly (string | boolean)[]>> | null;
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
};

const knownKeys = ['statusCode', 'headers', 'multiValueHeaders', 'body', 'isBase64Encoded'];

/**
 * API Gateway reserves these headers and passes them on under another name. It also renames WWW-Authenticate, which is left
 * unchanged here, so that a challenge can be tested as its API documents it.
 */
const remappedHeaders = ['connection', 'content-length', 'date', 'server'];

/**
 * Returns the response in a function's result. Throws a 502 GatewayError if the result is no valid answer of a proxy
 * integration.
 */
const proxyResponse = (payload: string): ApiResponse => {
  const response: unknown = JSON.parse(payload);
  if (!isProxyResponse(response))
    throw new GatewayError('DEFAULT_5XX', { reason: 'what it returned is no answer of a Lambda proxy integration' });
  const headers = mergedHeaders(response).filter(([name]) => name.toLowerCase() !== 'transfer-encoding');
  for (const [name, value] of headers) requireSendable(name, value);
  const hasContentType = headers.some(([name]) => name.toLowerCase() === 'content-type');
  return {
    status: Number(response.statusCode ?? 200),
    headers: [...(hasContentType ? [] : [['Content-Type', 'application/json'] as const]), ...headers.map(remapped)],
    body: response.body ?? '',
  };
};

const requireSendable = (name: string, value: string): void => {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw new GatewayError('DEFAULT_5XX', { reason: 'what it returned has a header that HTTP does not allow' });
  }
};

const isProxyResponse = (value: unknown): value is ProxyResponse => {
  if (!isRecord(value) || !Object.keys(value).every((key) => knownKeys.includes(key))) return false;
  const { statusCode = 200, headers, multiValueHeaders, body } = value;
  return (
    /^[1-9]\d\d$/.test(String(statusCode)) &&
    (body == null || typeof body === 'string') &&
    (headers == null || (isRecord(headers) && Object.values(headers).every(isHeaderValue))) &&
    (multiValueHeaders == null ||
      (isRecord(multiValueHeaders) &&
        Object.values(multiValueHeaders).every((values) => Array.isArray(values) && values.every(isHeaderValue))))
  );
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isHeaderValue = (value: unknown) => typeof value === 'string' || typeof value === 'boolean';

/** Merges both kinds of headers. A value that is in both counts once. */
const mergedHeaders = ({ headers, multiValueHeaders }: ProxyResponse): Header[] => {
  const many = Object.entries(multiValueHeaders ?? {}).flatMap(([name, values]) =>
    values.map((value): Header => [name, String(value)]),
  );
  const isAmongMany = ([name, value]: Header) =>
    many.some(([other, otherValue]) => other.toLowerCase() === name.toLowerCase() && otherValue === value);
  const single = Object.entries(headers ?? {}).map(([name, value]): Header => [name, String(value)]);
  return [...many, ...single.filter((header) => !isAmongMany(header))];
};

const remapped = ([name, value]: Header): Header =>
  remappedHeaders.includes(name.toLowerCase()) ? [`x-amzn-Remapped-${name}`, value] : [name, value];

/** Headers between the client and API Gateway, which the function does not receive. */
const droppedHeaders = [
  'connection',
  'content-length',
  'content-md5',
  'expect',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
];

/** Returns the event that a Lambda proxy integration of a REST API passes to its function. */
const proxyEvent = (request: ApiRequest, match: Match<unknown>, body: string) => {
  const multiValueHeaders = valuesByName(forwardedHeaders(request));
  const multiValueQuery = valuesByName([...new URLSearchParams(request.queryString)]);
  return {
    resource: match.resourcePath,
    path: request.path,
    httpMethod: request.httpMethod,
    headers: lastValues(multiValueHeaders),
    multiValueHeaders,
    queryStringParameters: nullIfEmpty(lastValues(multiValueQuery)),
    multiValueQueryStringParameters: nullIfEmpty(multiValueQuery),
    pathParameters: nullIfEmpty(match.pathParameters),
    stageVariables: null,
    requestContext: requestContext(request, match),
    body: body === '' ? null : body,
    isBase64Encoded: false,
  };
};

const forwardedHeaders = ({ headers, sourceIp, port, traceId }: ApiRequest): Header[] => [
  ...headers.filter(
    ([name]) => !droppedHeaders.includes(name.toLowerCase()) && !/^x-forwarded-(for|port|proto)$/i.test(name),
  ),
  ['X-Amzn-Trace-Id', traceId],
  ['X-Forwarded-For', [headerOf(headers, 'x-forwarded-for') ?? [], sourceIp].flat().join(', ')],
  ['X-Forwarded-Port', String(port)],
  ['X-Forwarded-Proto', 'https'],
];

const requestContext = (request: ApiRequest, { resourceId, resourcePath }: Match<unknown>) => ({
  accountId: request.accountId,
  apiId,
  deploymentId: 'local',
  domainName: domainNameOf(request.headers),
  domainPrefix: domainNameOf(request.headers).split('.')[0],
  extendedRequestId: request.extendedRequestId,
  httpMethod: request.httpMethod,
  identity: {
    accessKey: null,
    accountId: null,
    caller: null,
    cognitoAuthenticationProvider: null,
    cognitoAuthenticationType: null,
    cognitoIdentityId: null,
    cognitoIdentityPoolId: null,
    principalOrgId: null,
    sourceIp: request.sourceIp,
    user: null,
    userAgent: headerOf(request.headers, 'user-agent') ?? null,
    userArn: null,
  },
  path: requestPath(request),
  protocol: request.protocol,
  requestId: request.requestId,
  requestTime: toCommonLogTime(request.arrivedAtMs),
  requestTimeEpoch: request.arrivedAtMs,
  resourceId,
  resourcePath,
  stage: request.stage,
});

/** Groups values by name, in the client's own spelling. */
const valuesByName = (pairs: readonly Header[]): Record<string, string[]> => {
  const values: Record<string, string[]> = Object.create(null);
  for (const [name, value] of pairs) values[name] = [...(values[name] ?? []), value];
  return values;
};

const lastValues = (multiValues: Readonly<Record<string, readonly string[]>>): Record<string, string> =>
  Object.fromEntries(Object.entries(multiValues).map(([name, values]) => [name, values.at(-1) ?? '']));

const nullIfEmpty = <T extends object>(record: T): T | null => (Object.keys(record).length ? record : null);
