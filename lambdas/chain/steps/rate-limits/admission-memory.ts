import { admissionId } from '../../../data/process-memory.ts';
import type { Step } from '../step.ts';

/** Remembers the bucket's arrival time for the next such request, as the store has confirmed all that came before. */
export const admissionMemory: Step<'admissionMemory'> =
  () =>
  ({ memory, presentedKey, sourceIp, rateLimitKey, tokenDecision: { arrivalMs } }) => {
    memory.admissions.put(admissionId(presentedKey, sourceIp, rateLimitKey), arrivalMs);
    return undefined;
  };
