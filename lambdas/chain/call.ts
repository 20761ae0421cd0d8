import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Endpoint } from '../api/endpoints/endpoint.ts';
import type { OperationId } from '../api/endpoints/endpoints.ts';
import type { RatePolicyName } from '../api/rate-policies.ts';
import type { Lookup } from '../data/lookup.ts';
import type { Store } from '../data/store/store.ts';
import type { StoreCall } from '../data/store/store-timing.ts';
import type { ApiKeyRecord, PresentedKey } from '../domain/api-keys/api-key.ts';
import type { Contract } from '../domain/contract.ts';
import type { RateLimitKey } from '../domain/rate-limits/rate-limit-key.ts';

/** What is known of a call; the steps of its chain add to it one after the other. */
export type Call = {
  /** The gateway's clock when the request arrived: one clock for all functions. */
  nowMs: number;
  /** API Gateway's; a client can choose it. */
  requestId: string;
  /** By this process's own clock; for how long it takes, never for what the time is. */
  openedAtMs: number;
  sourceIp: string;
  /** Answers within the time that the whole call has. */
  store: Store;
  /** Those that have ended so far. */
  storeCalls: StoreCall[];
  presentedKey: PresentedKey;
  pathIds: Readonly<Record<string, string>>;
  counter: RateLimitKey;
  /** That of the endpoint, but for a gateway that the contract does not cover. */
  ratePolicy: RatePolicyName;
  admission: Lookup;
  /** From here on the call is authenticated. */
  key: ApiKeyRecord;
  contract: Contract;
  /** The arrival time of the counter's bucket, as it was read, then as it was after the decision. */
  bucketArrivalMs: number;
  keyUse: Promise<void>;
  query: unknown;
  /** None where the request does not bring one. */
  idempotencyKey: string | undefined;
  body: unknown;
};

export type CallContext = Context & { call: Partial<Call> };
export type CallRequest = Request<APIGatewayProxyEvent, APIGatewayProxyResult, Error, CallContext>;

/** Hooks refuse by throwing. They return nothing: any value would end the chain, and an early end skips all later hooks. */
export type Middleware = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult, Error, CallContext>;
export type MiddlewareFactory = (endpoint: Endpoint & { readonly operationId: OperationId }) => Middleware;

/** What an earlier step has found out. Throws where none has: the order in `api/chain.ts` is wrong then. */
export const known = <Name extends keyof Call>({ context }: CallRequest, name: Name): Call[Name] => {
  const value = context.call[name];
  if (value === undefined) throw new Error(`No earlier step of the chain has set "${name}".`);
  return value;
};
