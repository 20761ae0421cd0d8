import { randomUUID } from 'node:crypto';
import { keyLifetimeMonths } from '../../lambdas/api/limits.ts';
import { createApiKey } from '../../lambdas/data/api-key-creation.ts';
import { putContract } from '../../lambdas/data/contracts.ts';
import type { Store } from '../../lambdas/data/store.ts';
import { addMonths } from '../../lambdas/domain/time.ts';
import { ExplainedError } from '../explained-error.ts';

const companyId = 'umbrella';
const dayMs = 86_400_000;
const leftMs = 2 * dayMs;

/** Onboards a company whose only valid key has two days to live; returns what issues it a new one. */
export const letLastKeyExpire = async (store: Store): Promise<() => Promise<void>> => {
  const nowMs = Math.floor(Date.now() / 1000) * 1000;
  await putContract(store, {
    companyId,
    name: 'Umbrella Holiday Homes',
    userId: 'owner-4714',
    allowedCidrs: ['127.0.0.1/32'],
    state: 'active',
    sinceMs: addMonths(nowMs, -12),
    acceptedConsentVersion: 1,
    acceptedAtMs: addMonths(nowMs, -12),
  });
  await issueKey(store, issuedToExpireAt(nowMs + leftMs));
  return () => issueKey(store, nowMs);
};

/** A month's last days have no counterpart in every other month: then the key lives some days longer. */
const issuedToExpireAt = (expiresAtMs: number): number => {
  const issuedAtMs = addMonths(expiresAtMs, -keyLifetimeMonths);
  return addMonths(issuedAtMs, keyLifetimeMonths) < expiresAtMs ? issuedAtMs + dayMs : issuedAtMs;
};

const issueKey = async (store: Store, nowMs: number): Promise<void> => {
  const act = { companyId, nowMs, requestId: randomUUID(), operation: 'playScenario', actorKeyId: null };
  const { outcome } = await createApiKey(store, act);
  if (outcome !== 'created') throw new ExplainedError(`No key could be issued for ${companyId} (${outcome}).`);
};
