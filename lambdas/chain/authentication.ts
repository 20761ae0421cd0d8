import { isChange } from '../api/chain.ts';
import type { Endpoint } from '../api/endpoints/endpoint.ts';
import { invalidKeysPerAddress } from '../api/limits.ts';
import { Problem } from '../api/problems.ts';
import { findPresentedKey } from '../data/api-keys/api-keys.ts';
import { type Lookup, type Preloaded, readLookup, readPreloads } from '../data/lookup.ts';
import type { TokenDecision } from '../data/token-buckets.ts';
import { isSameKey, isValidAt, type PresentedKey, type StoredApiKey } from '../domain/api-key.ts';
import { type Company, isAddressIn } from '../domain/company.ts';
import { type Contract, grantIn } from '../domain/contract.ts';
import { bucketIdOf, retryAfterField } from '../domain/rate-limits.ts';
import { arrivalAfterConsumingMs, retryAfterMs } from '../domain/token-bucket.ts';
import { keyMemoryId, networksIn, type ProcessMemory } from '../runtime/process-memory.ts';
import { preloadsOf } from './preloads.ts';
import { consumeTokenAhead } from './rate-limit.ts';
import type { Opened, Outcome, WellFormed } from './request.ts';

type Call = Opened & WellFormed;

/** What `authentication` adds to the call. */
export type Authenticated = {
  /** The key that authenticates the request. */
  readonly key: StoredApiKey;
  /** The items that were read together with the key. */
  readonly lookup: Pick<Lookup, 'company' | 'contract' | 'preloaded'>;
  /** The arrival time of the request's token bucket as it was read, possibly stale; 0 if the bucket has no record. */
  readonly seenArrivalMs: number;
  /** The decision on a token that is already being consumed; undefined if this process does not remember such a request. */
  readonly tokenAhead: Promise<TokenDecision> | undefined;
};

/** Authenticates the presented key. */
export const authentication =
  (endpoint: Endpoint) =>
  async (call: Call): Outcome<'authentication', Authenticated> => {
    const { presentedKey, memory, nowMs } = call;
    const foundKey = await findUnlessRemembered(call);
    if (foundKey instanceof Problem) return foundKey;
    const tokenAhead = consumeTokenAhead(call, endpoint);
    const { bucketArrivalMs, ...lookup } = await lookUp(call, endpoint, { foundKey, tokenAhead });

    // Uses the record from the lookup: a key that was deleted a moment ago is refused.
    const key = authenticate(presentedKey, foundKey ?? lookup.key, nowMs);
    if (key instanceof Problem) return key;
    memory.validKeys.put(keyMemoryId(presentedKey), true);
    return { key, lookup, seenArrivalMs: bucketArrivalMs, tokenAhead };
  };

/** What `companyCheck` adds to the call. */
export type WithCompany = {
  readonly company: Company;
  /**
   * The contract with the owner whom the request names; undefined if the request names no owner, or an owner without a
   * contract with the company.
   */
  readonly contract: Contract | undefined;
};

/** Refuses a key whose company is not registered or is suspended. */
export const companyCheck = async ({ lookup }: Call & Authenticated): Outcome<'authentication', WithCompany> => {
  const { company, contract } = lookup;
  if (!company) return new Problem('contract-not-found');
  if (company.state === 'suspended') return new Problem('company-suspended');
  return { company, contract };
};

/** What `accessCheck` adds to the call. */
type AccessChecked = {
  /** Whether the contract covers the gateway in the path; true if the path has no gateway. */
  readonly isGatewayCovered: boolean;
  /** Settles when the items that the endpoint preloads have been read, or reading them has failed. */
  readonly preloaded: Promise<Preloaded>;
};

/** Checks the source address and the key's access, and starts to read what the endpoint preloads. */
export const accessCheck =
  (endpoint: Endpoint) =>
  async (call: Call & Authenticated & WithCompany): Outcome<'authentication', AccessChecked> => {
    const { key, company, contract, lookup, memory, sourceIp, pathIds } = call;
    const isFrom = (cidrs: readonly string[]) => isAddressIn(sourceIp, networksIn(memory, cidrs));
    // API Gateway admits the addresses of all companies.
    if (!isFrom(company.allowedCidrs)) return new Problem('source-address-not-allowed');
    if (key.allowedCidrs && !isFrom(key.allowedCidrs)) return keyNotForAddress();
    // An access value that only another version knows is also refused.
    if (isChange(endpoint) && key.access !== 'full') return new Problem('api-key-read-only');

    const { gatewayId } = pathIds;
    const isGatewayCovered =
      gatewayId === undefined || (contract !== undefined && grantIn(contract, gatewayId) !== undefined);
    const preloaded = lookup.preloaded ? Promise.resolve(lookup.preloaded) : preload(call, endpoint, isGatewayCovered);
    return { isGatewayCovered, preloaded };
  };

/**
 * Reads the key alone if this process does not remember it as valid: an invalid key costs one read of one item, and no
 * contract or gateway is read for it. Each process limits the invalid keys of a source address.
 */
const findUnlessRemembered = async ({ store, memory, presentedKey, sourceIp, nowMs, processTimeMs }: Call) => {
  if (memory.validKeys.pop(keyMemoryId(presentedKey))) return undefined;

  const waitMs = retryAfterMs(arrivalMsOf(memory, sourceIp), processTimeMs, invalidKeysPerAddress);
  if (waitMs > 0) return tooManyInvalidKeys(presentedKey.companyId, waitMs);

  const key = authenticate(presentedKey, await findPresentedKey(store, presentedKey), nowMs);
  if (key instanceof Problem) countInvalidKey(memory, sourceIp, processTimeMs);
  return key;
};

/**
 * Returns the record if the presented key matches it, or a problem. Unknown, deleted and wrong keys get the same answer;
 * only the complete, correct key gets the answer that it has expired.
 */
const authenticate = (presented: PresentedKey, record: StoredApiKey | undefined, nowMs: number) => {
  if (!isSameKey(presented, record) || !record) return new Problem('api-key-invalid');
  return isValidAt(record, nowMs) ? record : new Problem('api-key-expired');
};

const keyNotForAddress = () =>
  new Problem('source-address-not-allowed', {
    detail:
      'The address is registered for your company, but this API key does not work from it: GET /api-keys shows its `allowedCidrs`. Call from one of these addresses, or with another key.',
  });

const tooManyInvalidKeys = (companyId: string, waitMs: number) =>
  new Problem(
    'rate-limit-exceeded',
    {
      detail:
        'Your address has sent too many requests with API keys that are invalid. Wait for `retryAfterMs`, then send the request again with a valid key.',
      policy: 'invalid-keys',
      counter: { companyId, endpoint: 'invalid-keys', path: '/{any}' },
      limit: invalidKeysPerAddress,
      retryAfterMs: waitMs,
    },
    { 'Retry-After': retryAfterField(waitMs) },
  );

/** Uses this process's own clock, since the memory is per process. */
const countInvalidKey = (memory: ProcessMemory, sourceIp: string, processTimeMs: number): void => {
  const arrivalMs = arrivalAfterConsumingMs(arrivalMsOf(memory, sourceIp), processTimeMs, invalidKeysPerAddress);
  memory.invalidKeys.put(sourceIp, arrivalMs);
};

const arrivalMsOf = ({ invalidKeys }: ProcessMemory, sourceIp: string): number => invalidKeys.get(sourceIp) ?? 0;

/**
 * Reads what the checks need, in one batch. If this process admitted such a request before, the token is already being
 * consumed, and the endpoint's preloads are also read. Otherwise no data of a gateway is read before its grant is known:
 * the duration of a refusal would reveal which gateways exist.
 */
const lookUp = (
  { store, presentedKey, rateLimitKey, pathIds, userId }: Call,
  endpoint: Endpoint,
  { foundKey, tokenAhead }: { foundKey: StoredApiKey | undefined; tokenAhead: Authenticated['tokenAhead'] },
) =>
  readLookup(store, {
    companyId: presentedKey.companyId,
    userId: typeof userId === 'object' ? userId.id : undefined,
    key: foundKey ? undefined : presentedKey,
    bucketId: tokenAhead ? undefined : bucketIdOf(rateLimitKey),
    preloads: tokenAhead && endpoint.preloads && preloadsOf(endpoint, pathIds),
  });

/** Starts to read the endpoint's preloads, in parallel with the consumption of the token. */
const preload = (
  { store, pathIds, notes }: Call,
  endpoint: Endpoint,
  isGatewayCovered: boolean,
): Promise<Preloaded> => {
  if (!isGatewayCovered || !endpoint.preloads) return Promise.resolve({});
  const reading = readPreloads(store, preloadsOf(endpoint, pathIds));
  // The failure is handled where the items are awaited, which a refused request never reaches.
  reading.catch(() => undefined);
  notes.begun.push(reading);
  return reading;
};
