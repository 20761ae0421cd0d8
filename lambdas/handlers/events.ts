import { feedCursor, feedEventBody, feedStart, fitting } from '../answers/pages.ts';
import { pollIntervalSeconds } from '../api/limits.ts';
import { LostEventsProblem, Problem } from '../api/problems.ts';
import { serve } from '../chain/serve.ts';
import { readFeed } from '../data/feed/read.ts';
import { readViewersOf } from '../data/feed/viewers.ts';
import { isShown } from '../domain/feed-event.ts';

export const listEvents = /* @__PURE__ */ serve('listEvents', async ({ store, company, query, nowMs, setting }) => {
  const { companyId } = company;
  const start = feedStart(companyId, query.after);
  if (start instanceof Problem) return start;
  const page = await readFeed(store, companyId, { start, limit: query.limit }, nowMs);
  if (page.outcome === 'cursor-expired') {
    const Refusal = page.isLost ? LostEventsProblem : Problem<'cursor-expired'>;
    return new Refusal('cursor-expired', { oldestCursor: feedCursor(companyId, page.oldest) });
  }

  const viewerOf = await readViewersOf(store, companyId, setting('requiredConsentVersion'), page.events);
  const { rows: events, items } = fitting(page.events, (event) =>
    isShown(viewerOf(event), event) ? feedEventBody(event) : undefined,
  );
  const left = page.events.length - events.length;
  return {
    headers: { 'x-poll-interval': String(pollIntervalSeconds) },
    body: {
      items,
      nextCursor: feedCursor(companyId, { ...page.next, seq: page.next.seq - left }),
      hasMore: page.hasMore || left > 0,
      withheld: events.length - items.length,
    },
  };
});
