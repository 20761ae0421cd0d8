import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod/mini';
import { type StepName, stepsOf } from '../api/chain.ts';
import type { PathParameter } from '../api/endpoints/endpoint.ts';
import { endpoints, type OperationId } from '../api/endpoints/endpoints.ts';
import type { Schema } from '../api/schemas/common.ts';
import type { AuditContext } from '../data/audit/audit-log.ts';
import type { Lookup } from '../data/lookup.ts';
import { createStoreClient, withDeadline } from '../data/store/store.ts';
import { type StoreCall, withTimings } from '../data/store/store-timing.ts';
import type { Call, CallContext, CallRequest, MiddlewareFactory } from './call.ts';
import { headerValues } from './header-values.ts';
import { activeContract } from './steps/active-contract.ts';
import { body } from './steps/body.ts';
import { company } from './steps/company.ts';
import { consent } from './steps/consent.ts';
import { gatewayGrant } from './steps/gateway-grant.ts';
import { idempotencyKey } from './steps/idempotency-key.ts';
import { keyUsage } from './steps/key-usage.ts';
import { keyValidity } from './steps/key-validity.ts';
import { admission } from './steps/lookup.ts';
import { pathIds } from './steps/path-ids.ts';
import { presentedKey } from './steps/presented-key.ts';
import { problemResponse } from './steps/problem-response.ts';
import { query } from './steps/query.ts';
import { rateLimit } from './steps/rate-limit.ts';
import { requestLog } from './steps/request-log.ts';
import { responseHeaders } from './steps/response-headers.ts';
import { sourceAddress } from './steps/source-address.ts';
import { userId } from './steps/user-id.ts';

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
  readonly auditContext: AuditContext;
  readonly pathIds: Readonly<Record<PathParameter<Rows[Id]['path']>, string>>;
  readonly query: Rows[Id] extends { query: infer Query } ? Output<Query> : undefined;
  readonly body: Rows[Id] extends { body: infer Body } ? Output<Body> : undefined;
  /** What the row wants brought along, as far as it exists. */
  readonly preloaded: Lookup['preloaded'];
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
    const auditContext = {
      companyId: key.companyId,
      nowMs,
      requestId,
      operation: operationId,
      actorKeyId: key.keyId,
      userId,
    };
    return { ...call, auditContext, preloaded: call.admission.preloaded, ifMatch } as unknown as AdmittedCall<Id>;
  };

  const steps = stepsOf(endpoint).map((step) => middlewares[step](endpoint));
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, CallContext>()
    .before(openCall)
    .use(steps)
    .handler(answer);
};
