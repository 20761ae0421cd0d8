import type { Endpoint } from '../api/endpoints/endpoint.ts';
import { type RatePolicyName, ratePolicies } from '../api/limits.ts';
import { Problem } from '../api/problems.ts';
import { recordKeyUse } from '../data/api-keys/api-keys.ts';
import { consumeToken, readArrivalMs, type TokenDecision } from '../data/token-buckets.ts';
import type { StoredApiKey } from '../domain/api-key.ts';
import { admissionId } from '../domain/process-memory.ts';
import {
  bucketIdOf,
  type RateLimitKey,
  retryAfterField,
  retryAfterMs,
  unknownGatewayKeyOf,
} from '../domain/rate-limits.ts';
import { toDate } from '../domain/time.ts';
import type { Opened, Outcome, WellFormed } from './request.ts';

type Call = Opened &
  WellFormed & {
    readonly key: StoredApiKey;
    readonly isGatewayCovered: boolean;
    readonly seenArrivalMs: number;
    readonly tokenAhead: Promise<TokenDecision> | undefined;
  };

/** The bucket that a request consumes a token of, and how full it was when it was read. */
type Bucket = {
  readonly rateLimitKey: RateLimitKey;
  readonly ratePolicy: RatePolicyName;
  readonly seenArrivalMs: number;
};

/** Consumes a token of the request's bucket, and refuses a request that finds none. Who is admitted has used their key. */
export const rateLimit =
  ({ ratePolicy }: Endpoint) =>
  async (call: Call): Outcome<'rateLimit', undefined> => {
    const { isGatewayCovered, rateLimitKey, seenArrivalMs, tokenAhead, notes } = call;
    const own: Bucket = { rateLimitKey, ratePolicy, seenArrivalMs };
    const bucket = isGatewayCovered ? own : await bucketOfUnknownGateways(call);
    notes.path = bucket.rateLimitKey.path;
    notes.ratePolicy = bucket.ratePolicy;
    notes.seenArrivalMs = bucket.seenArrivalMs;

    const decision = await (isGatewayCovered && tokenAhead ? tokenAhead : consumeTokenOf(call, bucket));
    notes.tokenDecision = decision;
    remember(call, bucket, decision);
    if (!decision.admitted) return rateLimitExceeded(call, bucket, decision);
    await noteKeyUse(call);
    return undefined;
  };

/**
 * Begins to consume the token while the lookup is under way, if this process admitted such a request before. The answer
 * waits for both. If the lookup refuses, the token is lost once: what was remembered is taken here and only `remember`
 * puts it back.
 */
export const consumeTokenAhead = (
  call: Opened & WellFormed,
  { ratePolicy }: Endpoint,
): Promise<TokenDecision> | undefined => {
  const { memory, presentedKey, sourceIp, rateLimitKey, notes } = call;
  const seenArrivalMs = memory.admissions.pop(admissionId(presentedKey, sourceIp, rateLimitKey));
  if (seenArrivalMs === undefined) return undefined;
  const decision = consumeTokenOf(call, { rateLimitKey, ratePolicy, seenArrivalMs });
  // A failure is met where the decision is awaited, which a refused request never reaches.
  decision.catch(() => undefined);
  notes.tokenAhead = decision;
  return decision;
};

const consumeTokenOf = (
  { store, nowMs }: Opened & WellFormed,
  { rateLimitKey, ratePolicy, seenArrivalMs }: Bucket,
): Promise<TokenDecision> =>
  consumeToken(store, { bucketId: bucketIdOf(rateLimitKey), limit: ratePolicies[ratePolicy], nowMs }, seenArrivalMs);

/**
 * The one bucket that all requests for gateways which the contract does not cover share. How full it is has to be known
 * before a write, as all refusals of the company would else write to one item.
 */
const bucketOfUnknownGateways = async ({ store, memory, presentedKey, sourceIp }: Call): Promise<Bucket> => {
  const rateLimitKey = unknownGatewayKeyOf(presentedKey.companyId);
  const rememberedMs = memory.admissions.get(admissionId(presentedKey, sourceIp, rateLimitKey));
  const seenArrivalMs = rememberedMs ?? (await readArrivalMs(store, bucketIdOf(rateLimitKey)));
  return { rateLimitKey, ratePolicy: 'general', seenArrivalMs };
};

/** Remembers the bucket's arrival time for the next such request, as the store has confirmed all that came before. */
const remember = ({ memory, presentedKey, sourceIp }: Call, { rateLimitKey }: Bucket, { arrivalMs }: TokenDecision) =>
  memory.admissions.put(admissionId(presentedKey, sourceIp, rateLimitKey), arrivalMs);

const rateLimitExceeded = ({ nowMs }: Call, { rateLimitKey, ratePolicy }: Bucket, { arrivalMs }: TokenDecision) => {
  const limit = ratePolicies[ratePolicy];
  const waitMs = retryAfterMs(arrivalMs, nowMs, limit);
  return new Problem(
    'rate-limit-exceeded',
    { policy: ratePolicy, counter: rateLimitKey, limit, retryAfterMs: waitMs },
    { 'Retry-After': retryAfterField(waitMs) },
  );
};

/**
 * Notes the day of the key's use, once a day. The first use of all is noted before the request goes on, since a key that was
 * used is never shown again to a repeat of its creation. Later ones are noted while the handler works, and the answer does
 * not depend on them: what fails today is noted by the next request.
 */
const noteKeyUse = async ({ store, key, nowMs, notes }: Call): Promise<void> => {
  if (key.lastUsedOn === null) await recordKeyUse(store, key, nowMs);
  else if (key.lastUsedOn !== toDate(nowMs)) notes.begun.push(recordKeyUse(store, key, nowMs).catch(() => undefined));
};
