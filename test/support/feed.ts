import { randomUUID } from 'node:crypto';
import type { Contract } from '../../lambdas/domain/contract.ts';
import type { FeedEvent } from '../../lambdas/domain/feed/feed-event.ts';
import { startMs } from './world.ts';

/** The contract of a company whose owner has consented at 1000. */
export const consentedContract: Contract = {
  ...{ companyId: 'acme', name: 'Acme', state: 'active', sinceMs: 0, userId: 'owner-1' },
  ...{ allowedCidrs: ['192.0.2.0/24'], webhookHosts: [] },
  ...{ acceptedConsentVersion: 3, acceptedAtMs: 1000, consentedSinceMs: 1000, consentChangedAtMs: 1000 },
};

/** An event of the company level, which its company is always shown; `note` tells it apart. */
export const companyEvent = (note: number | string, overrides: Partial<FeedEvent> = {}): FeedEvent => ({
  id: `evt_${randomUUID().replaceAll('-', '').slice(0, 22)}`,
  type: 'contract.changed',
  atMs: startMs,
  resource: '/contract',
  data: { note },
  ...overrides,
});

export const companyEvents = (count: number, first = 1): FeedEvent[] =>
  Array.from({ length: count }, (_, index) => companyEvent(first + index));

export const notesOf = (events: readonly Pick<FeedEvent, 'data'>[]) =>
  events.map(({ data }) => (data as { readonly note: number }).note);

export const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
