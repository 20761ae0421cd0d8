import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { StepsOf } from '../api/chain/chain.ts';
import { stepsOf } from '../api/chain/requirements.ts';
import { endpoints, type OperationId } from '../api/endpoints/endpoints.ts';
import { Problem } from '../api/problem.ts';
import { type FunctionEnvironment, functionEnvironment, lambdaHandler } from '../data/function-environment.ts';
import { withDeadline } from '../data/store/store.ts';
import { type StoreCall, withTimings } from '../data/store/store-timing.ts';
import { RefusedError, type RequestContext } from './hooks/middleware.ts';
import { openingFault } from './hooks/opening-fault.ts';
import { pendingCalls } from './hooks/pending-calls.ts';
import { problemResponse } from './hooks/problem-response.ts';
import { requestLog } from './hooks/request-log.ts';
import { responseHeaders } from './hooks/response-headers.ts';
import { readRequestContext } from './request-context.ts';
import { pickSettings, stepMiddleware } from './step-middleware.ts';
import type { Call, Output, ProblemsOf } from './steps/facts.ts';
import type { NamedEndpoint } from './steps/step.ts';

type Rows = typeof endpoints;

/** What a handler answers with the status of its row. */
type Answer<Row extends Rows[OperationId]> = {
  readonly body: Row['success'] extends { readonly body: infer Body } ? Output<Body> : undefined;
  /** Whether it shows again what an earlier request has made. */
  readonly isRepeat?: boolean;
} & (Row['success'] extends { readonly headers: readonly (infer Name extends string)[] }
  ? { readonly headers: Readonly<Record<Name, string>> }
  : { readonly headers?: never });

/** What a handler makes of a call: an answer, or one of the problems that its row and the steps before it list. */
export type Result<Id extends OperationId> = Answer<Rows[Id]> | Problem<ProblemsOf<Rows[Id] | StepsOf<Rows[Id]>>>;

export type CallOf<Id extends OperationId> = Call<Rows[Id]>;

const ownEnvironment = functionEnvironment(process.env);

/**
 * The Lambda handler of an endpoint: its chain around what it does itself. A handler that reaches beyond the store makes what
 * it takes for that, so that no other function loads it.
 */
export const serve = <Id extends OperationId, Reach extends object = object>(
  operationId: Id,
  handle: (call: CallOf<Id>, reach: Reach) => Promise<Result<Id>> | Result<Id>,
  makeReach: () => Reach = () => ({}) as Reach,
) => {
  const endpoint: NamedEndpoint = { operationId, ...endpoints[operationId] };

  const answer = async (
    _event: APIGatewayProxyEvent,
    { facts, environment }: RequestContext,
  ): Promise<APIGatewayProxyResult> => {
    const call: object = { ...facts, settings: pickSettings(environment, endpoint.settings) };
    // All steps of the endpoint were passed: what they add is there, as its row says.
    const result = await handle(call as CallOf<Id>, environment as FunctionEnvironment & Reach);
    if (result instanceof Problem) throw new RefusedError(result);
    const { headers, body, isRepeat } = result;
    Object.assign(facts, { isRepeat });
    return {
      statusCode: endpoint.success.status,
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      body: body === undefined ? '' : JSON.stringify(body),
    };
  };

  const chain = middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, RequestContext>()
    // Each of these sees the answer after those behind it: the event is written last.
    .use([requestLog(endpoint), responseHeaders, problemResponse, pendingCalls, openingFault])
    .use(stepsOf(endpoint).map((name) => stepMiddleware(name, endpoint)))
    .handler(answer);

  const own: FunctionEnvironment & Reach = { ...ownEnvironment, ...makeReach() };
  return lambdaHandler(own, (event: APIGatewayProxyEvent, environment, context: Context) =>
    chain(event, Object.assign(context, openRequest(event, context, environment))),
  );
};

const openRequest = (event: APIGatewayProxyEvent, context: Context, environment: FunctionEnvironment) => {
  const processTimeMs = environment.processTimeMs();
  const { requestContext, fault } = readRequestContext(event, context, processTimeMs);
  const { requestTimeEpoch, extendedRequestId, identity } = requestContext;
  const storeCalls: StoreCall[] = [];
  return {
    environment,
    startedMs: performance.now(),
    storeCalls,
    fault,
    facts: {
      event,
      nowMs: requestTimeEpoch,
      processTimeMs,
      requestId: extendedRequestId,
      sourceIp: identity.sourceIp,
      memory: environment.memory,
      store: withTimings(withDeadline(environment.store, environment.storeDeadlineMs), storeCalls),
    },
  };
};
