import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod/mini';
import { type StepName, stepsOf } from '../api/chain.ts';
import type { PathParameter } from '../api/endpoint.ts';
import { endpoints, type OperationId } from '../api/endpoints.ts';
import type { Schema } from '../api/schemas/common.ts';
import type { Admission } from '../data/admission.ts';
import type { Act } from '../data/audit-log.ts';
import { createStoreClient, withDeadline } from '../data/store.ts';
import { type StoreCall, withTimings } from '../data/store-timing.ts';
import { activeContract } from './active-contract.ts';
import { admission } from './admission.ts';
import { body } from './body.ts';
import type { Call, CallContext, CallRequest, MiddlewareFactory } from './call.ts';
import { company } from './company.ts';
import { consent } from './consent.ts';
import { gatewayGrant } from './gateway-grant.ts';
import { headerValues } from './header-values.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { keyUsage } from './key-usage.ts';
import { keyValidity } from './key-validity.ts';
import { pathIds } from './path-ids.ts';
import { presentedKey } from './presented-key.ts';
import { problemResponse } from './problem-response.ts';
import { query } from './query.ts';
import { rateLimit } from './rate-limit.ts';
import { requestLog } from './request-log.ts';
import { responseHeaders } from './response-headers.ts';
import { sourceAddress } from './source-address.ts';
import { userId } from './user-id.ts';

const middlewares: Record<StepName, MiddlewareFactory> = {
  requestLog,
  responseHeaders,
  problemResponse,
  presentedKey,
  pathIds,
  admission,
  keyValidity,
  company,
  sourceAddress,
  rateLimit,
  keyUsage,
  activeContract,
  userId,
  gatewayGrant,
  consent,
  query,
  idempotencyKey,
  body,
};

type Rows = typeof endpoints;
type Output<Row> = Row extends Schema ? z.output<ReturnType<Row>> : undefined;

/** A call that has passed its chain, as its handler sees it. */
export type AdmittedCall<Id extends OperationId> = Pick<
  Call,
  'nowMs' | 'sourceIp' | 'store' | 'counter' | 'presentedKey' | 'key' | 'contract' | 'idempotencyKey'
> & {
  /** What puts a change of this call on record. */
  readonly act: Act;
  readonly pathIds: Readonly<Record<PathParameter<Rows[Id]['path']>, string>>;
  readonly query: Rows[Id] extends { query: infer Query } ? Output<Query> : undefined;
  readonly body: Rows[Id] extends { body: infer Body } ? Output<Body> : undefined;
  /** What the row wants brought along, as far as it exists. */
  readonly preloaded: Admission['preloaded'];
  readonly ifMatch: readonly string[];
};

/** What a handler answers with the status of its row. */
export type Answer<Id extends OperationId> = {
  readonly body: Rows[Id]['success'] extends { body: infer Body } ? Output<Body> : undefined;
} & (Rows[Id]['success'] extends { headers: readonly (infer Name extends string)[] }
  ? { readonly headers: Readonly<Record<Name, string>> }
  : { readonly headers?: never });

/** Every store command of a call has to be answered by then; leaves half a second of the 2.5 s that a client may wait. */
const storeDeadlineMs = 2000;

/** API Gateway's own have 36; one that a client chooses must not blow up the log. */
const maxRequestIdCharacters = 64;

/** The Lambda handler of an endpoint: its chain around what it does itself. */
export const serve = <Id extends OperationId>(
  operationId: Id,
  handle: (call: AdmittedCall<Id>) => Promise<Answer<Id>> | Answer<Id>,
) => {
  const endpoint = { operationId, ...endpoints[operationId] };
  const client = createStoreClient();

  const openCall = ({ event: { requestContext }, context }: CallRequest) => {
    const storeCalls: StoreCall[] = [];
    context.call = {
      nowMs: requestContext.requestTimeEpoch,
      requestId: requestContext.requestId.slice(0, maxRequestIdCharacters),
      openedAtMs: performance.now(),
      sourceIp: requestContext.identity.sourceIp,
      storeCalls,
      store: withTimings(withDeadline(client, storeDeadlineMs), storeCalls),
    };
  };

  const answer = async (event: APIGatewayProxyEvent, { call }: CallContext): Promise<APIGatewayProxyResult> => {
    const { headers, body: content } = await handle(admitted(call as Call, headerValues(event, 'if-match')));
    return {
      statusCode: endpoint.success.status,
      headers: { ...(content !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      body: content === undefined ? '' : JSON.stringify(content),
    };
  };

  /** The types of the row's ids and query are those that its chain has checked. */
  const admitted = (call: Call, ifMatch: readonly string[]) => {
    const { key, nowMs, requestId, contract } = call;
    const userId = endpoint.onBehalfOfUser ? contract.userId : undefined;
    const act = { companyId: key.companyId, nowMs, requestId, operation: operationId, actorKeyId: key.keyId, userId };
    return { ...call, act, preloaded: call.admission.preloaded, ifMatch } as unknown as AdmittedCall<Id>;
  };

  const steps = stepsOf(endpoint).map((step) => middlewares[step](endpoint));
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, CallContext>()
    .before(openCall)
    .use(steps)
    .handler(answer);
};
