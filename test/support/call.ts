import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { startMs } from './world.ts';

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

export type CallOptions = {
  readonly apiKey?: string;
  /** The gateway's clock. */
  readonly nowMs?: number;
  readonly sourceIp?: string;
  readonly requestId?: string;
  /** Header values by the spelling that the client used. */
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, readonly string[]>>;
};

/** Calls a function's handler as API Gateway would, in this process, and reads its answer. */
export const call = async (handler: unknown, options: CallOptions = {}) => {
  const started = performance.now();
  const answer = await (handler as Handler)(proxyEvent(options), {} as Context);
  return {
    status: answer.statusCode,
    headers: (answer.headers ?? {}) as Readonly<Record<string, string>>,
    body: answer.body ? JSON.parse(answer.body) : undefined,
    durationMs: performance.now() - started,
  };
};

const proxyEvent = ({ apiKey, nowMs = startMs, sourceIp = '127.0.0.1', ...options }: CallOptions) => {
  const multiValueHeaders = { ...(apiKey !== undefined && { 'x-api-key': [apiKey] }), ...options.headers };
  return {
    headers: lastOf(multiValueHeaders),
    multiValueHeaders,
    pathParameters: options.pathParameters ?? null,
    queryStringParameters: options.query ? lastOf(options.query) : null,
    multiValueQueryStringParameters: options.query ?? null,
    body: null,
    isBase64Encoded: false,
    requestContext: {
      requestId: options.requestId ?? randomUUID(),
      requestTimeEpoch: nowMs,
      identity: { sourceIp },
    },
  } as unknown as APIGatewayProxyEvent;
};

const lastOf = (values: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1)]));
