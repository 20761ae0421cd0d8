import type { FeedRecorder, RecordedEvents } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import type { BusEvent, PutOnBus } from '../data/buses/bus-sender.ts';
import { writeEvent } from '../data/event-log.ts';
import { appendEvents } from '../data/feed/append.ts';
import type { FunctionEnvironment } from '../data/function-environment.ts';
import { type Store, withDeadline } from '../data/store/store.ts';
import type { StreamRecord } from '../data/store/stream-record.ts';
import { owePokes } from '../data/webhooks/owed-pokes.ts';
import type { QueuePoke } from '../data/webhooks/poke-queue.ts';
import { faultFields } from '../domain/fault-fields.ts';
import { isWhole, type StoredEvent } from '../domain/feed/feed-event.ts';
import { pokeSoon } from '../webhooks/poke-soon.ts';

/** An event for a company, and the record of the stream that told it. */
export type RecordedEvent = {
  readonly companyId: string;
  readonly event: StoredEvent;
  readonly record: StreamRecord;
  /** What operators are told of it. */
  readonly notice?: BusEvent | undefined;
};

/** What those who write to the feed are given by their stage; those whose rows name the bus of notices may put on it. */
export type RecorderEnvironment = FunctionEnvironment & {
  readonly queuePoke: QueuePoke;
  readonly putOnBus?: PutOnBus;
};

/** The first record that is to be delivered again, with all that follow it. */
export type RecordFailures = { readonly batchItemFailures: { readonly itemIdentifier: string }[] };

/**
 * Appends events to the feeds of their companies, those of a company in the order of the records, puts their notices on the
 * bus, and owes pokes to the webhooks of these companies. Answers with the first record of each company for which that failed:
 * what is delivered again and was appended is left out, a notice comes once more, and one poke more does no harm. If it cannot
 * be told whose events they are, that is the first record of all.
 */
export const recordEvents = async (
  environment: RecorderEnvironment,
  operation: FeedRecorder,
  records: readonly StreamRecord[],
  eventsOf: (store: Store) => Promise<readonly RecordedEvent[]>,
): Promise<RecordFailures> => {
  const nowMs = environment.processTimeMs();
  const store = withDeadline(environment.store, environment.storeDeadlineMs);

  const failed = (fields: Pick<RecordedEvents, 'companyId' | 'events'>, error: unknown, first?: StreamRecord) => {
    const content = { level: 'ERROR', operation, ...fields, outcome: 'failed', ...faultFields(error) } as const;
    writeEvent(environment, nowMs, content satisfies EventContent<RecordedEvents>);
    return [{ itemIdentifier: first?.dynamodb?.SequenceNumber ?? '' }];
  };

  const recordOf = async (companyId: string, ofCompany: readonly RecordedEvent[]) => {
    const fields = { companyId, events: ofCompany.length };
    try {
      const events = ofCompany.map(({ event }) => event);
      const appended = await appendEvents(store, companyId, events, nowMs);
      // Before the pokes: as long as this fails, the records come again, and pokes would go out each time.
      const notices = ofCompany.flatMap(({ notice }) => notice ?? []);
      await environment.putOnBus?.('notices', notices);
      // Nobody is called for what is not shown.
      const owed = events.some(isWhole) ? await owePokes(store, companyId, nowMs) : [];
      for (const webhook of owed) await pokeSoon(environment.queuePoke, webhook);
      const content = { level: 'INFO', operation, ...fields, appended, outcome: 'recorded' } as const;
      writeEvent(environment, nowMs, content satisfies EventContent<RecordedEvents>);
      return [];
    } catch (error) {
      return failed(fields, error, ofCompany[0]?.record);
    }
  };

  try {
    const companies = [...Map.groupBy(await eventsOf(store), ({ companyId }) => companyId)];
    const failures = await Promise.all(companies.map(([companyId, events]) => recordOf(companyId, events)));
    return { batchItemFailures: failures.flat() };
  } catch (error) {
    return { batchItemFailures: failed({}, error, records[0]) };
  }
};
