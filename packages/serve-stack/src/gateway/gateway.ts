import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FunctionPool } from '../functions/function-pool.ts';
import type { ApiResponse } from './api-response.ts';
import { type ApiRequest, type Exchange, type Header, receive } from './exchange.ts';
import { GatewayError } from './gateway-error.ts';
import { proxyEvent } from './proxy-event.ts';
import { proxyResponse } from './proxy-response.ts';
import type { RestApi } from './rest-api.ts';

type Options = {
  readonly api: RestApi;
  readonly functions: ReadonlyMap<string, FunctionPool>;
  /** Told of every request when it is answered. */
  readonly observe: (exchange: Exchange) => void;
};

const maxBodyBytes = 10 * 1024 * 1024;

/** Serves the template's API, in the order in which API Gateway looks at a request. */
export const createGateway = ({ api, functions, observe }: Options): RequestListener => {
  const serve = async (exchange: Exchange, incoming: IncomingMessage): Promise<ApiResponse> => {
    const { request } = exchange;
    if (request.stage !== api.stageName) return noSuchStage;
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

  return (incoming, outgoing) => {
    const startedMs = performance.now();
    const exchange: Exchange = { request: receive(incoming, api.accountId) };
    void answerTo(exchange, incoming).then((response) => {
      const lengthBytes = send(outgoing, response, exchange.request);
      const latencyMs = Math.round(performance.now() - startedMs);
      exchange.answered = { status: response.status, lengthBytes, latencyMs };
      observe(exchange);
    });
  };
};

/** Answers outside of every stage, where there is no API whose gateway responses could be used. */
const noSuchStage: ApiResponse = {
  status: 403,
  headers: [
    ['Content-Type', 'application/json'],
    ['x-amzn-ErrorType', 'ForbiddenException'],
  ],
  body: '{"message":"Forbidden"}',
};

/** Reads to the end even what is too much, so that the client gets to read the answer. */
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
