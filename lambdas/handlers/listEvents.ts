import { feedCursor, feedEventBody, feedStart, pollIntervalSeconds } from '../answers/feed.ts';
import { Problem } from '../api/problem.ts';
import { serve } from '../chain/serve.ts';
import { readFeed } from '../data/feed/read.ts';
import { readViewer } from '../data/feed/viewer.ts';
import { withheldBecause } from '../domain/feed/visibility.ts';

export const handler = serve('listEvents', async ({ store, contract, query, nowMs, settings }) => {
  const { companyId } = contract;
  const start = feedStart(companyId, query.after);
  if (start instanceof Problem) return start;
  const page = await readFeed(store, companyId, start, query.limit, nowMs);
  if (page.outcome === 'cursor-expired')
    return new Problem('cursor-expired', { oldestCursor: feedCursor(companyId, page.oldest) });

  const viewer = await readViewer(store, contract, settings.requiredConsentVersion, page.events);
  const shown = page.events.filter((event) => withheldBecause(viewer, event) === undefined);
  return {
    headers: { 'x-poll-interval': String(pollIntervalSeconds) },
    body: {
      items: shown.map(feedEventBody),
      nextCursor: feedCursor(companyId, page.next),
      hasMore: page.hasMore,
      withheld: page.events.length - shown.length,
    },
  };
});
