import { randomUUID } from 'node:crypto';
import { contractDocs } from '../../lambdas/api/schemas/contract.ts';
import { consentGivenAt } from '../../lambdas/domain/consent.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import type { FeedEvent, StoredEvent } from '../../lambdas/domain/feed/feed-event.ts';
import { startMs } from './world.ts';

/** The contract of a company whose owner has consented at 1000. */
export const consentedContract: Contract = {
  ...{ companyId: 'acme', name: 'Acme', state: 'active', sinceMs: 0, userId: 'owner-1' },
  ...{ allowedCidrs: ['192.0.2.0/24'], webhookHosts: [] },
  ...consentGivenAt(3, 1000),
};

/** An event of the company level, which its company is always shown; `note` tells it apart. */
export const companyEvent = (note: number | string, overrides: Partial<FeedEvent> = {}): FeedEvent => ({
  id: `evt_${randomUUID().replaceAll('-', '').slice(0, 22)}`,
  type: 'contract.changed',
  atMs: startMs,
  resource: '/contract',
  data: { ...contractDocs().example, note },
  ...overrides,
});

export const companyEvents = (count: number, first = 1): FeedEvent[] =>
  Array.from({ length: count }, (_, index) => companyEvent(first + index));

export const notesOf = (events: readonly (StoredEvent | Pick<FeedEvent, 'data'>)[]) =>
  events.map((event) => ('data' in event ? (event.data as { readonly note: number }).note : Number.NaN));

export const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
