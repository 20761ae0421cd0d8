import { type FeedEventType, feedEventTypes } from '../../lambdas/api/schemas/feed.ts';
import { tableOf } from './markdown.ts';

/** The types of events of the feed, and which of them consent covers. */
export const eventTypeTable = (): string =>
  tableOf(
    ['type', 'about', 'what has happened'],
    Object.entries<FeedEventType>(feedEventTypes).map(([type, { level, summary }]) => [
      `\`${type}\``,
      level === 'company' ? 'your company' : 'an appliance',
      summary,
    ]),
  );
