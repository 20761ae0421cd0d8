import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Problem } from '../../api/problem.ts';
import type { FunctionEnvironment } from '../../data/function-environment.ts';
import type { StoreCall } from '../../data/store/store-timing.ts';
import type { FactsSoFar } from '../steps/facts.ts';

export type RequestContext = Context & {
  /** What is known of the request; the steps add to it, one after the other. */
  readonly facts: FactsSoFar;
  readonly environment: FunctionEnvironment;
  /** What keeps the request from being served at all. */
  readonly fault: Error | undefined;
  /** The start by this process's own clock: it says how long the request takes, never what time it is. */
  readonly startedMs: number;
  /** Store commands that have ended so far. */
  readonly storeCalls: StoreCall[];
};

export type MiddyRequest = Request<APIGatewayProxyEvent, APIGatewayProxyResult, Error, RequestContext>;

/** Middleware whose hooks return nothing: any value would end the chain, and an early end skips all later hooks. */
export type Middleware = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult, Error, RequestContext>;

/** Carries a problem out of the chain: middy refuses by throwing. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.code);
    this.problem = problem;
  }
}
