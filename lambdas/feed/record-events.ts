import type { EventContent } from '../api/events/event.ts';
import type { FeedRecorder, RecordedEvents } from '../api/events/recorded-events.ts';
import { writeEvent } from '../data/event-log.ts';
import { appendEvents } from '../data/feed/append.ts';
import type { FunctionEnvironment } from '../data/function-environment.ts';
import { withDeadline } from '../data/store/store.ts';
import type { StreamRecord } from '../data/store/stream-record.ts';
import { faultFields } from '../domain/fault-fields.ts';
import type { FeedEvent } from '../domain/feed/feed-event.ts';

/** An event for a company, and the record of the stream that told it. */
export type RecordedEvent = {
  readonly companyId: string;
  readonly event: FeedEvent;
  readonly record: StreamRecord;
};

/** The first record that is to be delivered again, with all that follow it. */
export type RecordFailures = { readonly batchItemFailures: { readonly itemIdentifier: string }[] };

/**
 * Appends events to the feeds of their companies, those of a company in the order of the records. Answers with the first
 * record of each company whose feed did not take its events: what is delivered again and was appended is left out.
 */
export const recordEvents = async (
  environment: FunctionEnvironment,
  operation: FeedRecorder,
  given: readonly RecordedEvent[],
): Promise<RecordFailures> => {
  const nowMs = environment.processTimeMs();
  const store = withDeadline(environment.store, environment.storeDeadlineMs);

  const recordOf = async (companyId: string, ofCompany: readonly RecordedEvent[]) => {
    const fields = { operation, companyId, events: ofCompany.length };
    try {
      const events = ofCompany.map(({ event }) => event);
      const appended = await appendEvents(store, companyId, events, nowMs);
      const content = { level: 'INFO', ...fields, appended, outcome: 'recorded' } as const;
      writeEvent(environment, nowMs, content satisfies EventContent<RecordedEvents>);
      return [];
    } catch (error) {
      const content = { level: 'ERROR', ...fields, outcome: 'failed', ...faultFields(error) } as const;
      writeEvent(environment, nowMs, content satisfies EventContent<RecordedEvents>);
      return [{ itemIdentifier: ofCompany[0]?.record.dynamodb?.SequenceNumber ?? '' }];
    }
  };

  const companies = [...Map.groupBy(given, ({ companyId }) => companyId)];
  const failures = await Promise.all(companies.map(([companyId, events]) => recordOf(companyId, events)));
  return { batchItemFailures: failures.flat() };
};
