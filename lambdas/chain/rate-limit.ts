import type { Endpoint } from '../api/endpoints/endpoint.ts';
import { type RatePolicyName, ratePolicies } from '../api/limits.ts';
import { Problem } from '../api/problems.ts';
import { recordKeyUse } from '../data/api-keys/api-keys.ts';
import { consumeToken, readArrivalMs, type TokenDecision } from '../data/token-buckets.ts';
import type { StoredApiKey } from '../domain/api-key.ts';
import { bucketIdOf, type RateLimitKey, retryAfterField, unknownGatewayKeyOf } from '../domain/rate-limits.ts';
import { toDate } from '../domain/time.ts';
import { retryAfterMs } from '../domain/token-bucket.ts';
import { admissionId } from '../runtime/process-memory.ts';
import type { Opened, Outcome, WellFormed } from './request.ts';

type Call = Opened &
  WellFormed & {
    readonly key: StoredApiKey;
    readonly isGatewayCovered: boolean;
    readonly seenArrivalMs: number;
    readonly tokenAhead: Promise<TokenDecision> | undefined;
  };

/** The bucket that a request takes its token from, and its arrival time as it was read. */
export type Bucket = {
  readonly rateLimitKey: RateLimitKey;
  readonly ratePolicy: RatePolicyName;
  readonly seenArrivalMs: number;
};

/** What `bucketChoice` adds to the call. */
export type WithBucket = { readonly bucket: Bucket };

/** Determines the bucket of the request: its own, or the one that all requests for uncovered gateways share. */
export const bucketChoice =
  ({ ratePolicy }: Endpoint) =>
  async (call: Call): Outcome<'rateLimit', WithBucket> => {
    const { isGatewayCovered, rateLimitKey, seenArrivalMs } = call;
    if (!isGatewayCovered) return { bucket: await bucketOfUnknownGateways(call) };
    return { bucket: { rateLimitKey, ratePolicy, seenArrivalMs } };
  };

/** What `tokenConsumption` adds to the call. */
export type WithTokenDecision = { readonly tokenDecision: TokenDecision };

/** Consumes a token of the bucket if it has one; `rateLimit` refuses the request otherwise. */
export const tokenConsumption = async (call: Call & WithBucket): Outcome<'rateLimit', WithTokenDecision> => {
  const { isGatewayCovered, tokenAhead, bucket, memory } = call;
  const ahead = isGatewayCovered ? tokenAhead : undefined;
  if (ahead) memory.tokensAhead.pop(bucketIdOf(bucket.rateLimitKey));
  const tokenDecision = await (ahead ?? consumeTokenOf(call, bucket));
  remember(call, bucket, tokenDecision);
  return { tokenDecision };
};

/** Refuses the request if its bucket was empty. An admitted request counts as a use of its key. */
export const rateLimit = async (call: Call & WithBucket & WithTokenDecision): Outcome<'rateLimit', undefined> => {
  if (!call.tokenDecision.admitted) return rateLimitExceeded(call);
  await noteKeyUse(call);
  return undefined;
};

/**
 * Starts to consume the token during the lookup, if this process admitted such a request before. The answer waits for both.
 * If the lookup refuses the request, the token is lost, and this process takes no further token of the bucket ahead. A bucket of
 * a single token never loses it: the next request would have to wait for a whole refill.
 */
export const consumeTokenAhead = (
  call: Opened & WellFormed,
  { ratePolicy }: Endpoint,
): Promise<TokenDecision> | undefined => {
  const { memory, presentedKey, sourceIp, rateLimitKey, notes } = call;
  const bucketId = bucketIdOf(rateLimitKey);
  if (ratePolicies[ratePolicy].burst === 1 || memory.tokensAhead.get(bucketId)) return undefined;
  const seenArrivalMs = memory.admissions.pop(admissionId(presentedKey, sourceIp, rateLimitKey));
  if (seenArrivalMs === undefined) return undefined;
  memory.tokensAhead.put(bucketId, true);
  const decision = consumeTokenOf(call, { rateLimitKey, ratePolicy, seenArrivalMs });
  // The failure is handled where the decision is awaited, which a refused request never reaches.
  decision.catch(() => undefined);
  notes.begun.push(decision);
  return decision;
};

const consumeTokenOf = (
  { store, nowMs }: Opened & WellFormed,
  { rateLimitKey, ratePolicy, seenArrivalMs }: Bucket,
): Promise<TokenDecision> =>
  consumeToken(store, { bucketId: bucketIdOf(rateLimitKey), limit: ratePolicies[ratePolicy], nowMs }, seenArrivalMs);

/**
 * Returns the bucket that all requests for uncovered gateways share. Its arrival time must be known before a write:
 * otherwise all refusals of the company would write to one item.
 */
const bucketOfUnknownGateways = async ({ store, memory, presentedKey, sourceIp }: Call): Promise<Bucket> => {
  const rateLimitKey = unknownGatewayKeyOf(presentedKey.companyId);
  const rememberedMs = memory.admissions.get(admissionId(presentedKey, sourceIp, rateLimitKey));
  const seenArrivalMs = rememberedMs ?? (await readArrivalMs(store, bucketIdOf(rateLimitKey)));
  return { rateLimitKey, ratePolicy: 'general', seenArrivalMs };
};

/** Remembers the bucket's arrival time for the next such request, now that the store has confirmed everything before it. */
const remember = ({ memory, presentedKey, sourceIp }: Call, { rateLimitKey }: Bucket, { arrivalMs }: TokenDecision) =>
  memory.admissions.put(admissionId(presentedKey, sourceIp, rateLimitKey), arrivalMs);

const rateLimitExceeded = ({ nowMs, bucket, tokenDecision }: Call & WithBucket & WithTokenDecision) => {
  const { rateLimitKey, ratePolicy } = bucket;
  const limit = ratePolicies[ratePolicy];
  const waitMs = retryAfterMs(tokenDecision.arrivalMs, nowMs, limit);
  return new Problem(
    'rate-limit-exceeded',
    { policy: ratePolicy, counter: rateLimitKey, limit, retryAfterMs: waitMs },
    { 'Retry-After': retryAfterField(waitMs) },
  );
};

/**
 * Records the day of the key's use, once a day. The very first use is recorded before the request continues, since a used
 * key is never returned again to a retry of its creation. Later uses are recorded while the handler works, and do not
 * affect the answer: if that fails, the next request records the use.
 */
const noteKeyUse = async ({ store, key, nowMs, notes }: Call): Promise<void> => {
  if (key.lastUsedOn === null) await recordKeyUse(store, key, nowMs);
  else if (key.lastUsedOn !== toDate(nowMs)) notes.begun.push(recordKeyUse(store, key, nowMs).catch(() => undefined));
};
