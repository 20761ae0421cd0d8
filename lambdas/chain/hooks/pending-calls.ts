import type { Middleware, MiddyRequest } from './middleware.ts';

/**
 * Waits for what steps have begun and the request did not wait for: a function that has answered is frozen. A token that
 * was consumed ahead of a refusal shows in the headers like any other.
 */
const settle = async ({ context: { facts } }: MiddyRequest): Promise<void> => {
  const [ahead] = await Promise.allSettled([facts.tokenAhead?.decision, facts.preloaded, facts.keyUse]);
  const tokenDecision = facts.tokenDecision ?? (ahead.status === 'fulfilled' ? ahead.value : undefined);
  Object.assign(facts, { tokenDecision });
};

export const pendingCalls: Middleware = { after: settle, onError: settle };
