import type { MiddyfiedHandler, Request } from '@middy/core';
import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Listed, WayOf } from '../api/chain.ts';
import { endpoints, type OperationId } from '../api/endpoints/endpoints.ts';
import { Problem } from '../api/problems.ts';
import type { AuditContext } from '../data/audit.ts';
import {
  type FunctionEnvironment,
  functionEnvironment,
  type LambdaHandler,
  lambdaHandler,
  type SettingReader,
} from '../runtime/function-environment.ts';
import { type Authenticated, accessCheck, authentication, companyCheck, type WithCompany } from './authentication.ts';
import { type ActingUnder, authorization } from './authorization.ts';
import { everyAnswer, RefusedError } from './every-answer.ts';
import { type Input, input, type Output } from './input.ts';
import { type Preloads, preloads } from './preloads.ts';
import { bucketChoice, rateLimit, tokenConsumption } from './rate-limit.ts';
import { type Arrival, type NamedEndpoint, type Opened, openRequest, request, type WellFormed } from './request.ts';

type Rows = typeof endpoints;

/** What a handler receives: the parts that every call has, and those that the row of its endpoint names. */
export type CallOf<Id extends OperationId> = Pick<
  Opened & WellFormed & Authenticated & WithCompany,
  'nowMs' | 'sourceIp' | 'store' | 'presentedKey' | 'rateLimitKey' | 'key' | 'company'
> & {
  /** The context for the audit row of a change. */
  readonly auditContext: AuditContext;
  readonly setting: SettingReader<Listed<Rows[Id], 'settings'>>;
} & ActingUnder<Rows[Id]> &
  Input<Rows[Id]> &
  Preloads<Rows[Id]>;

/** What a handler returns for success; the status comes from its row. */
type Answer<Row extends Rows[OperationId]> = {
  readonly body: Row['success'] extends { readonly body: infer Body } ? Output<Body> : undefined;
  /** Whether the answer repeats the result of an earlier request. */
  readonly isRepeat?: boolean;
} & (Row['success'] extends { readonly headers: readonly (infer Name extends string)[] }
  ? { readonly headers: Readonly<Record<Name, string>> }
  : { readonly headers?: never });

/** The result of a handler: an answer, or one of the problems that its row and the stages before it list. */
export type Result<Id extends OperationId> = Answer<Rows[Id]> | Problem<Listed<WayOf<Rows[Id]>, 'problems'>>;

const ownEnvironment = functionEnvironment(process.env);

type Handle<Id extends OperationId, Dependencies> = (
  call: CallOf<Id>,
  dependencies: Dependencies,
) => Promise<Result<Id>> | Result<Id>;

type Served<Dependencies> = LambdaHandler<
  APIGatewayProxyEvent,
  Context,
  FunctionEnvironment & Dependencies,
  Promise<APIGatewayProxyResult>
>;

/**
 * Returns the Lambda handler of an endpoint: its stages, then `handle`. A handler with dependencies beyond the store
 * creates them itself (`makeDependencies`), so that no other function loads them.
 */
export function serve<Id extends OperationId>(operationId: Id, handle: Handle<Id, object>): Served<object>;
export function serve<Id extends OperationId, Dependencies extends object>(
  operationId: Id,
  handle: Handle<Id, Dependencies>,
  makeDependencies: () => Dependencies,
): Served<Dependencies>;
export function serve<Id extends OperationId>(
  operationId: Id,
  handle: Handle<Id, object>,
  makeDependencies: () => object = () => ({}),
): Served<object> {
  const row = endpoints[operationId];
  const endpoint: NamedEndpoint = { operationId, ...row };

  const opened = middy<Arrival, APIGatewayProxyResult>();
  opened.use(everyAnswer(endpoint));
  const wellFormed = through(opened, request(endpoint));
  const authenticated = through(wellFormed, authentication(endpoint));
  const withCompany = through(authenticated, companyCheck);
  const accessChecked = through(withCompany, accessCheck(endpoint));
  const withBucket = through(accessChecked, bucketChoice(endpoint));
  const withTokenDecision = through(withBucket, tokenConsumption);
  const admitted = through(withTokenDecision, rateLimit);
  const authorized = through(admitted, authorization(row));
  const read = through(authorized, input(row));
  const ready = through(read, preloads(row));

  ready.handler(async (call) => {
    const { environment, notes } = call;
    const auditContext = auditContextOf(endpoint, call);
    const result = await handle({ ...call, auditContext, setting: environment.setting }, environment);
    if (result instanceof Problem) throw new RefusedError(result);
    const { headers, body, isRepeat } = result;
    notes.isRepeat = isRepeat;
    return {
      statusCode: row.success.status,
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      body: body === undefined ? '' : JSON.stringify(body),
    };
  });

  const own = { ...ownEnvironment, ...makeDependencies() };
  return lambdaHandler(own, (event: APIGatewayProxyEvent, environment, context: Context) =>
    opened(openRequest(event, context, environment), context),
  );
}

/**
 * Appends a step to a chain as a middleware; its input is what the earlier steps produce. Exported because `must-not-compile.ts`
 * shows that the order of the steps is checked.
 */
export const through = <Call extends object, Adds extends object>(
  chain: MiddyfiedHandler<Call, APIGatewayProxyResult>,
  step: (call: NoInfer<Call>) => Promise<Adds | Problem | undefined>,
) =>
  chain.use({
    before: async (request: Request<Call & Adds, APIGatewayProxyResult>) => {
      const outcome = await step(request.event);
      if (outcome instanceof Problem) throw new RefusedError(outcome);
      request.event = { ...request.event, ...outcome };
    },
  });

const auditContextOf = (
  { operationId, onBehalfOfUser }: NamedEndpoint,
  { key, contract, requestId, nowMs }: Opened & Authenticated & WithCompany,
): AuditContext => ({
  companyId: key.companyId,
  nowMs,
  requestId,
  operation: operationId,
  actorKey: key,
  userId: onBehalfOfUser ? contract?.userId : undefined,
});
