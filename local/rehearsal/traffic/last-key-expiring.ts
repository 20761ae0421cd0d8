import { randomUUID } from 'node:crypto';
import { UserFacingError } from 'serve-stack';
import { keyLifetimeMonths } from '../../../lambdas/api/limits.ts';
import { createApiKey } from '../../../lambdas/data/api-keys/api-key-creation.ts';
import { putContract } from '../../../lambdas/data/contracts/contracts.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { consentGivenAt } from '../../../lambdas/domain/consent.ts';
import { addMonths } from '../../../lambdas/domain/time.ts';

const companyId = 'umbrella';
const hourMs = 3_600_000;

/** Onboards a company whose only valid key has two days to live; returns what issues it a new one. */
export const letLastKeyExpire = async (store: Store): Promise<() => Promise<void>> => {
  const nowMs = Math.floor(Date.now() / 1000) * 1000;
  await putContract(store, {
    companyId,
    name: 'Umbrella Holiday Homes',
    userId: 'owner-4714',
    allowedCidrs: ['127.0.0.1/32'],
    webhookHosts: [],
    state: 'active',
    sinceMs: addMonths(nowMs, -12),
    ...consentGivenAt(1, addMonths(nowMs, -12)),
  });
  await issueKey(store, issuedToExpireSoon(nowMs));
  return () => issueKey(store, nowMs);
};

/**
 * Finds when a key was issued that expires as near to two days from now as a key can: the last days of August, say, are six
 * calendar months after no day.
 */
const issuedToExpireSoon = (nowMs: number): number => {
  const hoursLeft = [...Array.from({ length: 48 }, (_, index) => 48 - index), ...[54, 60, 66, 71]];
  const issuedAtMs = (hours: number) => addMonths(nowMs + hours * hourMs, -keyLifetimeMonths);
  const hours = hoursLeft.find((each) => addMonths(issuedAtMs(each), keyLifetimeMonths) === nowMs + each * hourMs);
  if (hours !== undefined) return issuedAtMs(hours);
  throw new UserFacingError('No key expires within the next three days, whenever it was issued. Try again tomorrow.');
};

const issueKey = async (store: Store, nowMs: number): Promise<void> => {
  const auditContext = { companyId, nowMs, requestId: randomUUID(), operation: 'playScenario', actorKey: null };
  const { outcome } = await createApiKey(store, auditContext);
  if (outcome !== 'created') throw new UserFacingError(`No key could be issued for ${companyId} (${outcome}).`);
};
