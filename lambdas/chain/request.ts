import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { Listed, PartsOf, StageName } from '../api/chain.ts';
import { type Endpoint, pathParametersOf } from '../api/endpoints/endpoint.ts';
import type { OperationId } from '../api/endpoints/endpoints.ts';
import { invalidRequest, Problem } from '../api/problems.ts';
import { expectedId, idPattern, pointerTo } from '../api/schemas/common.ts';
import { type Store, type StoreCall, withDeadline, withTimings } from '../data/store/store.ts';
import { type PresentedKey, parseKey } from '../domain/api-key.ts';
import { type RateLimitKey, rateLimitKeyOf } from '../domain/rate-limits.ts';
import { toTimestamp } from '../domain/time.ts';
import type { FunctionEnvironment } from '../runtime/function-environment.ts';
import type { ProcessMemory } from '../runtime/process-memory.ts';

export type NamedEndpoint = Endpoint & { readonly operationId: OperationId };

/**
 * The outcome of a step: what it adds to the call, or one of the problems that its stage declares. A step that returns a
 * problem adds nothing to the call. A value that the headers or the log line of a refusal contain is therefore added by one
 * step, and checked by the next.
 */
export type Outcome<Name extends StageName, Adds> = Promise<Adds | Problem<Listed<PartsOf<Name>, 'problems'>>>;

/** What is known of a request before its first stage, with the environment of its function. */
export type Arrival = Opened & {
  readonly environment: FunctionEnvironment;
  /** Why the request cannot be served at all. */
  readonly fault: Error | undefined;
  /** The start by this process's monotonic clock, used only to measure durations. */
  readonly startedMs: number;
  /** Store commands that have completed so far. */
  readonly storeCalls: StoreCall[];
};

export type Opened = {
  readonly event: APIGatewayProxyEvent;
  /** API Gateway's extended id of the request, which no client can choose. */
  readonly requestId: string;
  /** API Gateway's clock when the request arrived: one clock for all functions. */
  readonly nowMs: number;
  /** This process's own clock at that moment, used only for the state of this process. */
  readonly processTimeMs: number;
  readonly sourceIp: string;
  /** What this process remembers of earlier requests. */
  readonly memory: ProcessMemory;
  readonly notes: Notes;
};

/** The mutable state of a request. Each step copies the call, and all copies share these notes. */
type Notes = {
  /** Store calls that the request has started, and perhaps not awaited. */
  readonly begun: Promise<unknown>[];
  /** Whether the handler has answered with the result of an earlier request. */
  isRepeat?: boolean | undefined;
};

/** What the first stage adds. */
export type WellFormed = {
  readonly presentedKey: PresentedKey;
  readonly pathIds: Readonly<Record<string, string>>;
  /** The owner whom the request names, if its endpoint is about one. */
  readonly userId: NamedUser;
  /** Identifies the bucket that the request consumes a token of. */
  readonly rateLimitKey: RateLimitKey;
  /** The store, with the deadline of the whole request. */
  readonly store: Store;
};

/** `malformed`: the header has an invalid value or two values, which cannot name an owner. */
export type NamedUser = { readonly id: string } | 'missing' | 'malformed';

/** The first stage: refuses a malformed request before it costs a read. */
export const request = ({ operationId, path, onBehalfOfUser, userId }: NamedEndpoint) => {
  const idNames = pathParametersOf(path);
  return async ({ event, environment, fault, storeCalls }: Arrival): Outcome<'request', WellFormed> => {
    if (fault) throw fault;
    const presentedKey = presentedKeyOf(event);
    if (presentedKey instanceof Problem) return presentedKey;
    const pathIds = pathIdsOf(event, idNames);
    if (pathIds instanceof Problem) return pathIds;

    const rateLimitKey = rateLimitKeyOf(presentedKey.companyId, operationId, path, pathIds);
    const store = withTimings(withDeadline(environment.store, environment.storeDeadlineMs), storeCalls);
    const namesUser = onBehalfOfUser !== undefined || userId !== undefined;
    return { presentedKey, pathIds, userId: namesUser ? namedUserOf(event) : 'missing', rateLimitKey, store };
  };
};

/** Returns the key from exactly one `x-api-key` header, with a valid format and checksum. */
const presentedKeyOf = (event: APIGatewayProxyEvent) => {
  const values = headerValues(event, 'x-api-key');
  if (values.every((value) => value === '')) return new Problem('api-key-missing');
  const [value = '', ...others] = values;
  return (others.length === 0 ? parseKey(value) : undefined) ?? new Problem('api-key-invalid');
};

/** Returns the owner in `x-user-id`, which must have exactly one value. */
const namedUserOf = (event: APIGatewayProxyEvent): NamedUser => {
  const values = headerValues(event, 'x-user-id');
  if (values.every((value) => value === '')) return 'missing';
  const [id = '', ...others] = values;
  return others.length === 0 && idPattern.test(id) ? { id } : 'malformed';
};

/** Returns the ids of the path unchanged; refuses ids that are malformed or still encoded. */
const pathIdsOf = ({ pathParameters }: APIGatewayProxyEvent, names: readonly string[]) => {
  const ids = Object.fromEntries(names.map((name) => [name, pathParameters?.[name] ?? '']));
  const faults = Object.entries(ids)
    .filter(([, id]) => !idPattern.test(id))
    .map(([name]) => ({ pointer: pointerTo('path', name), detail: expectedId }));
  return faults.length > 0 ? invalidRequest(faults) : ids;
};

/**
 * Returns all values of a header, in any spelling of its name. API Gateway keeps the client's spelling, so one header in
 * two spellings arrives as two entries; reading only one of them would let a request carry a second, unseen key.
 */
export const headerValues = ({ multiValueHeaders }: APIGatewayProxyEvent, name: string): string[] =>
  Object.entries(multiValueHeaders ?? {})
    .filter(([spelling]) => spelling.toLowerCase() === name)
    .flatMap(([, values]) => values ?? []);

/**
 * Returns a request as it arrives. If API Gateway's request context is invalid, `fault` is set, which the first stage
 * throws.
 */
export const openRequest = (
  event: APIGatewayProxyEvent,
  { awsRequestId }: Context,
  environment: FunctionEnvironment,
): Arrival => {
  const { memory } = environment;
  const processTimeMs = environment.processTimeMs();
  const storeCalls: StoreCall[] = [];
  const notes: Notes = { begun: [] };
  const requestContext = readRequestContext(event, awsRequestId, processTimeMs);
  return {
    event,
    environment,
    memory,
    processTimeMs,
    startedMs: performance.now(),
    storeCalls,
    notes,
    ...requestContext,
  };
};

/**
 * API Gateway's clock sets the time of a request, and this process's clock limits it: a request with a future time would
 * close its token bucket until then, and make keys expire early.
 */
const maxAheadMs = 60_000;

const readRequestContext = (
  event: Partial<APIGatewayProxyEvent> | null,
  awsRequestId: string,
  processTimeMs: number,
): Pick<Arrival, 'requestId' | 'nowMs' | 'sourceIp' | 'fault'> => {
  const requestContext = event?.requestContext;
  if (!isWhole(requestContext))
    return { requestId: awsRequestId, nowMs: processTimeMs, sourceIp: '', fault: new Error(notWhole) };
  const { extendedRequestId: requestId, requestTimeEpoch, identity } = requestContext;
  const { sourceIp } = identity;
  const aheadMs = requestTimeEpoch - processTimeMs;
  if (aheadMs <= maxAheadMs) return { requestId, nowMs: requestTimeEpoch, sourceIp, fault: undefined };
  const fault = new Error(
    `API Gateway's clock is ${aheadMs} ms ahead of this process's, ${toTimestamp(processTimeMs)}; expected ${maxAheadMs} ms at most. One of the two is wrong.`,
  );
  return { requestId, nowMs: processTimeMs, sourceIp, fault };
};

type RequestContext = APIGatewayProxyEvent['requestContext'] & { readonly extendedRequestId: string };

const isWhole = (requestContext: object | undefined): requestContext is RequestContext => {
  const { requestTimeEpoch = Number.NaN, extendedRequestId, identity }: Partial<RequestContext> = requestContext ?? {};
  return requestTimeEpoch >= 0 && typeof extendedRequestId === 'string' && typeof identity?.sourceIp === 'string';
};

const notWhole =
  'The event lacks the complete requestContext of an API Gateway Lambda proxy integration. Only the API stage of the stack may call this function.';
