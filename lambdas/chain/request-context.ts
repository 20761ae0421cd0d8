import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { toTimestamp } from '../domain/time.ts';

/**
 * API Gateway's clock counts, and this process's clock bounds it: a request from tomorrow would close its token bucket
 * until then, and make keys expire early.
 */
export const maxAheadMs = 60_000;

type RequestContext = Pick<APIGatewayProxyEvent['requestContext'], 'requestTimeEpoch' | 'identity'> & {
  readonly extendedRequestId: string;
};

/** What API Gateway says of a request, as far as it can be built on; the fault says why it cannot. */
export const readRequestContext = (
  event: Partial<APIGatewayProxyEvent> | null,
  { awsRequestId }: Context,
  processTimeMs: number,
): { readonly requestContext: RequestContext; readonly fault: Error | undefined } => {
  const requestContext = event?.requestContext;
  if (!isWhole(requestContext)) {
    const identity = { sourceIp: '' } as RequestContext['identity'];
    const ownWord = { requestTimeEpoch: processTimeMs, extendedRequestId: awsRequestId };
    return { requestContext: { ...ownWord, identity }, fault: new Error(notWhole) };
  }
  const aheadMs = requestContext.requestTimeEpoch - processTimeMs;
  if (aheadMs <= maxAheadMs) return { requestContext, fault: undefined };
  return {
    requestContext: { ...requestContext, requestTimeEpoch: processTimeMs },
    fault: new Error(
      `API Gateway's clock is ${aheadMs} ms ahead of this process's, ${toTimestamp(processTimeMs)}; expected ${maxAheadMs} ms at most. One of the two is wrong.`,
    ),
  };
};

const isWhole = (requestContext: object | undefined): requestContext is RequestContext => {
  const { requestTimeEpoch = Number.NaN, extendedRequestId, identity }: Partial<RequestContext> = requestContext ?? {};
  return requestTimeEpoch >= 0 && typeof extendedRequestId === 'string' && typeof identity?.sourceIp === 'string';
};

const notWhole =
  'The event has no whole requestContext, as API Gateway makes it for a Lambda proxy integration. Only the stage of the stack may call this function.';
