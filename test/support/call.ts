import { randomBytes, randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { OperationId } from '../../lambdas/api/endpoints/endpoints.ts';
import type { FunctionEnvironment, LambdaHandler } from '../../lambdas/data/function-environment.ts';
import type { Answer } from './answer.ts';
import { expectContract } from './contract.ts';
import { startMs, theWorld } from './world.ts';

type Handler = LambdaHandler<APIGatewayProxyEvent, Context, FunctionEnvironment, Promise<APIGatewayProxyResult>>;

export type CallOptions = {
  readonly apiKey?: string;
  /** The gateway's clock. */
  readonly nowMs?: number;
  readonly sourceIp?: string;
  readonly requestId?: string;
  /** The id that the client has chosen by a header. */
  readonly chosenRequestId?: string;
  /** Header values by the spelling that the client used. */
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, readonly string[]>>;
  /** Sent as it is where it is text, as JSON otherwise. */
  readonly body?: unknown;
  readonly isBase64Encoded?: boolean;
  /** In place of the open world's. */
  readonly environment?: FunctionEnvironment;
};

/** Calls an operation's handler as API Gateway would, in this process, and checks that the answer keeps its contract. */
export const call = async (operationId: OperationId, options: CallOptions = {}) => {
  const { handler } = (await import(`../../lambdas/handlers/${operationId}.ts`)) as { handler: Handler };
  const { environment = theWorld().environment } = options;
  const result = await handler.withEnvironment(environment)(proxyEvent(options), {} as Context);
  const answer: Answer = {
    status: result.statusCode,
    headers: Object.fromEntries(
      Object.entries(result.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
    body: result.body ? JSON.parse(result.body) : undefined,
  };
  expectContract(operationId, answer);
  return answer;
};

/** The event that API Gateway would make of a call. */
export const proxyEvent = ({ apiKey, nowMs = startMs, sourceIp = '127.0.0.1', ...options }: CallOptions) => {
  const multiValueHeaders = { ...(apiKey !== undefined && { 'x-api-key': [apiKey] }), ...options.headers };
  return {
    headers: lastOf(multiValueHeaders),
    multiValueHeaders,
    pathParameters: options.pathParameters ?? null,
    queryStringParameters: options.query ? lastOf(options.query) : null,
    multiValueQueryStringParameters: options.query ?? null,
    body:
      options.body === undefined || typeof options.body === 'string'
        ? (options.body ?? null)
        : JSON.stringify(options.body),
    isBase64Encoded: options.isBase64Encoded ?? false,
    requestContext: {
      requestId: options.chosenRequestId ?? randomUUID(),
      extendedRequestId: options.requestId ?? `${randomBytes(11).toString('base64url')}=`,
      requestTimeEpoch: nowMs,
      identity: { sourceIp },
    },
  } as unknown as APIGatewayProxyEvent;
};

const lastOf = (values: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1)]));
