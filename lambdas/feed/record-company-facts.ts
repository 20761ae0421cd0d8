import type { FeedRecorder } from '../api/log-events/background-events.ts';
import { type ItemChange, itemChangeOf, type StreamRecord } from '../data/store/stream-record.ts';
import { type FeedFact, feedEventOf } from './feed-fact.ts';
import { noticeOf } from './notices.ts';
import { type RecorderEnvironment, type RecordFailures, recordEvents } from './record-events.ts';

/** Tells companies, and operators where a notice follows, what records of a table mean whose items are their own: its partition key is `companyId`. */
export const recordCompanyFacts = (
  environment: RecorderEnvironment,
  operation: FeedRecorder,
  records: readonly StreamRecord[],
  factsOf: (change: ItemChange) => FeedFact[],
): Promise<RecordFailures> =>
  recordEvents(environment, operation, records, async () =>
    records.flatMap((record) => {
      const change = itemChangeOf(record);
      const companyId = String(change.keys.companyId);
      return factsOf(change).map((fact) => ({
        ...{ companyId, record },
        event: feedEventOf(fact, change, companyId),
        notice: noticeOf(fact.type, change),
      }));
    }),
  );
