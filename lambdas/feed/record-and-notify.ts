import type { FeedRecorder } from '../api/events/recorded-events.ts';
import type { PutOnBus } from '../data/buses/bus-sender.ts';
import { type ItemChange, itemChangeOf, type StreamRecord } from '../data/store/stream-record.ts';
import type { FeedFact } from './feed-fact.ts';
import { noticeOf } from './notices.ts';
import { recordCompanyFacts } from './record-company-facts.ts';
import type { RecordedEvent, RecorderEnvironment, RecordFailures } from './record-events.ts';

/** What those who write to the feed and tell operators are given by their stage. */
export type NotifierEnvironment = RecorderEnvironment & { readonly putOnBus: PutOnBus };

/**
 * Tells companies what records of a table mean, and then operators. If the bus does not take a notice, the record is
 * delivered again: the feed has its event already, and the notice comes once more.
 */
export const recordAndNotify = (
  environment: NotifierEnvironment,
  operation: FeedRecorder,
  records: readonly StreamRecord[],
  factsOf: (change: ItemChange) => FeedFact[],
): Promise<RecordFailures> =>
  recordCompanyFacts(environment, operation, records, factsOf, (events) =>
    environment.putOnBus('notices', noticesOf(events)),
  );

const noticesOf = (events: readonly RecordedEvent[]) =>
  events.flatMap(({ event, record }) => noticeOf(event.type, itemChangeOf(record)) ?? []);
