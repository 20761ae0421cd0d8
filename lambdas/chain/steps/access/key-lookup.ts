import { invalidKeysPerAddress } from '../../../api/limits.ts';
import { Problem } from '../../../api/problem.ts';
import { findPresentedKey } from '../../../data/api-keys/api-keys.ts';
import { keyMemoryId, type ProcessMemory } from '../../../data/process-memory.ts';
import { retryAfterField } from '../../../domain/rate-limits/rate-limit-headers.ts';
import { arrivalAfterConsumingMs, retryAfterMs } from '../../../domain/rate-limits/token-bucket.ts';
import type { Step } from '../step.ts';
import { authenticate } from './authenticate.ts';

/**
 * Looks a key up by itself if this process does not remember it as valid: an invalid key costs one read of one item, and
 * nothing about contracts or gateways is read for it. Each process bounds the invalid keys of a source address.
 */
export const keyLookup: Step<'keyLookup'> =
  () =>
  async ({ store, memory, presentedKey, sourceIp, nowMs, processTimeMs }) => {
    if (memory.validKeys.take(keyMemoryId(presentedKey))) return { foundKey: undefined };

    const waitMs = retryAfterMs(arrivalMsOf(memory, sourceIp), processTimeMs, invalidKeysPerAddress);
    if (waitMs > 0) return tooManyInvalidKeys(presentedKey.companyId, waitMs);

    const key = authenticate(presentedKey, await findPresentedKey(store, presentedKey), nowMs);
    if (!(key instanceof Problem)) return { foundKey: key };
    countInvalidKey(memory, sourceIp, processTimeMs);
    return key;
  };

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

/** By this process's own clock, as its memory is. */
const countInvalidKey = (memory: ProcessMemory, sourceIp: string, processTimeMs: number): void => {
  const arrivalMs = arrivalAfterConsumingMs(arrivalMsOf(memory, sourceIp), processTimeMs, invalidKeysPerAddress);
  memory.invalidKeys.put(sourceIp, arrivalMs);
};

const arrivalMsOf = ({ invalidKeys }: ProcessMemory, sourceIp: string): number => invalidKeys.get(sourceIp) ?? 0;
