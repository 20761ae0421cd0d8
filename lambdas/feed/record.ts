import { keyNoticeBody } from '../answers/company.ts';
import { consumers } from '../api/background-functions.ts';
import type { FeedRecorder, RecordedEvents } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import type { FeedEventTypeName } from '../api/schemas/feed.ts';
import { appendEvents } from '../data/feed/append.ts';
import { readViewers } from '../data/feed/viewers.ts';
import { consumerEnvironment, type FunctionEnvironment, requestTimeouts } from '../data/function-environment.ts';
import {
  type BusEvent,
  createBusSender,
  createQueueSender,
  type PutOnBus,
  type SendToQueue,
  type StandardMessage,
} from '../data/senders.ts';
import { createDone, createSetRecordAside, type Done, togetherOrAlone } from '../data/set-aside.ts';
import { type Store, withDeadline } from '../data/store/store.ts';
import { type ItemChange, itemChangeOf, type StreamRecord } from '../data/store/stream-record.ts';
import { createPokeQueue, owePokes, pokeSoon, type QueuePoke } from '../data/webhooks/pokes.ts';
import { toWebhook } from '../data/webhooks/webhooks.ts';
import { type FeedEventDraft, feedEventOf, isWhole, recordedForm, type StoredEvent } from '../domain/feed-event.ts';
import { faultFields, writeEvent } from '../domain/log-events.ts';
import { toTimestamp } from '../domain/time.ts';

/** What those who write to the feed are given by their stage; those whose rows name the bus of notices may put on it. */
export type RecorderEnvironment = FunctionEnvironment & {
  readonly queuePoke: QueuePoke;
  readonly putOnBus?: PutOnBus;
  readonly send: SendToQueue<StandardMessage>;
  readonly done: Done;
};

type Variables = Readonly<Record<string, string | undefined>>;

/** The environment of a function that writes to the feed. */
export const recorderEnvironment = (name: FeedRecorder, variables: Variables): RecorderEnvironment => {
  const send = createQueueSender(variables, requestTimeouts);
  const environment = consumerEnvironment(consumers[name], variables);
  return { ...environment, send, queuePoke: createPokeQueue(send), done: createDone() };
};

/** The environment of a function that also tells operators. */
export const notifierEnvironment = (name: FeedRecorder, variables: Variables): RecorderEnvironment => ({
  ...recorderEnvironment(name, variables),
  putOnBus: createBusSender(variables, requestTimeouts),
});

/** The first record that is to be delivered again, with all that follow it. */
export type RecordFailures = { readonly batchItemFailures: { readonly itemIdentifier: string }[] };

/**
 * Appends what records mean to the feeds of the companies that are told of it, in the order of the records, puts the notices of
 * it on the bus, and owes pokes to the webhooks of these companies. Answers with the first record of each company for which
 * that failed for now: what is delivered again and was appended is left out, a notice comes once more, and one poke more does
 * no harm. If it cannot be told whose events they are, that is the first record of all. A record that no retry mends is set
 * aside, and all others go on.
 */
export const recordEvents = async (
  environment: RecorderEnvironment,
  operation: FeedRecorder,
  records: readonly StreamRecord[],
  eventsOf: (change: ItemChange) => FeedEventDraft[],
  tell: Tell = toOwnCompany,
): Promise<RecordFailures> => {
  const { done, send } = environment;
  const nowMs = environment.processTimeMs();
  const store = withDeadline(environment.store, environment.storeDeadlineMs);
  const write = (content: Omit<EventContent<RecordedEvents>, 'operation'>) =>
    writeEvent(environment, nowMs, { operation, ...content } satisfies EventContent<RecordedEvents>);

  const failed = (fields: Fields, error: unknown, first?: StreamRecord) => {
    write({ level: 'ERROR', ...fields, outcome: 'failed', ...faultFields(error) });
    return [{ itemIdentifier: first?.dynamodb?.SequenceNumber ?? '' }];
  };

  const setRecordAside = createSetRecordAside(operation, { send, done, nowMs });
  const setAside = async ({ record, companyId }: Aside, error: unknown) => {
    await setRecordAside(record, error, companyId);
    write({ level: 'ERROR', companyId, outcome: 'set-aside', ...faultFields(error) });
  };

  const recordTogether = async (companyId: string, ofCompany: readonly RecordedEvent[]) => {
    const events = ofCompany.map(({ event }) => event);
    const appended = await appendEvents(store, companyId, events, nowMs);
    // Before the pokes: as long as this fails, the records come again, and pokes would go out each time.
    const notices = ofCompany.flatMap(({ notice }) => notice ?? []);
    await environment.putOnBus?.('notices', notices);
    // Nobody is called for what is not shown.
    const owed = events.some(isWhole) ? await owePokes(store, companyId, nowMs) : [];
    for (const webhook of owed) await pokeSoon(environment.queuePoke, webhook);
    for (const { id } of events) done.put(id, true);
    write({ level: 'INFO', companyId, events: events.length, appended, outcome: 'recorded' });
  };

  const recordOf = async (companyId: string, ofCompany: readonly RecordedEvent[]) => {
    const left = ofCompany.filter(({ event }) => !done.get(event.id));
    try {
      if (left.length > 0) await togetherOrAlone(left, (some) => recordTogether(companyId, some), setAside);
      return [];
    } catch (error) {
      return failed({ companyId, events: left.length }, error, left[0]?.record);
    }
  };

  try {
    const drafts: ChangeDraft[] = [];
    const draft = async ([record]: readonly StreamRecord[]) => {
      const change = itemChangeOf(record as StreamRecord);
      drafts.push(...eventsOf(change).map((each) => ({ record: record as StreamRecord, change, draft: each })));
    };
    for (const record of records)
      await togetherOrAlone([record], draft, (each, error) => setAside({ record: each }, error));

    const told: RecordedEvent[] = [];
    const tellAll = async (some: readonly ChangeDraft[]) => void told.push(...(await tell(store, some)));
    await togetherOrAlone(drafts, tellAll, ({ record }, error) => setAside({ record }, error));

    const companies = [...Map.groupBy(told, ({ companyId }) => companyId)];
    const failures = await Promise.all(companies.map(([companyId, events]) => recordOf(companyId, events)));
    return { batchItemFailures: failures.flat() };
  } catch (error) {
    return { batchItemFailures: failed({}, error, records[0]) };
  }
};

type Fields = Pick<RecordedEvents, 'companyId' | 'events'>;

/** What is set aside: a record, or what it means to one company. */
type Aside = { readonly record: StreamRecord; readonly companyId?: string };

/** An event for a company, and the record of the stream that told it. */
type RecordedEvent = {
  readonly companyId: string;
  readonly event: StoredEvent;
  readonly record: StreamRecord;
  /** What operators are told of it. */
  readonly notice?: BusEvent | undefined;
};

type ChangeDraft = { readonly record: StreamRecord; readonly change: ItemChange; readonly draft: FeedEventDraft };

/** Makes events of drafts for the companies that are told of them. */
type Tell = (
  store: Store,
  drafts: readonly ChangeDraft[],
) => readonly RecordedEvent[] | Promise<readonly RecordedEvent[]>;

/** The company whose own the item is, which names it. Operators are told where a notice follows. */
const toOwnCompany: Tell = (_store, drafts) =>
  drafts.map(({ record, change, draft }) => {
    const companyId = String(change.after?.companyId ?? change.keys.companyId);
    return { companyId, record, event: feedEventOf(draft, change, companyId), notice: noticeOf(draft.type, change) };
  });

/**
 * Each company that may see now what has changed at a gateway. Of what it may not see now, and may have to know of, nothing but
 * the id is written down.
 */
export const toViewers =
  (requiredConsentVersion: number): Tell =>
  async (store, drafts) => {
    const gatewayIds = drafts.map(({ draft }) => draft.gatewayId ?? '');
    const viewers = await readViewers(store, requiredConsentVersion, gatewayIds);
    return drafts.flatMap(({ record, change, draft }) =>
      (viewers.get(draft.gatewayId ?? '') ?? []).flatMap((viewer) => {
        const { companyId, userId } = viewer.contract;
        const event = recordedForm(viewer, feedEventOf({ ...draft, userId }, change, companyId));
        return event ? [{ companyId, event, record }] : [];
      }),
    );
  };

/** A notice of the same `noticeId` is the same notice, however often it comes. */
type NoticeDetail = { readonly noticeId: string; readonly companyId: string };

type NoticeType = {
  readonly detailType: string;
  /** Tells which company it is about and what has happened, and nothing by which somebody could reach the company. */
  readonly detailOf: (after: Readonly<Record<string, unknown>>, atMs: number) => NoticeDetail & object;
};

/** One row per type of notices that operators get, by the event of the feed that tells the company the same. */
const noticeTypes: Readonly<Partial<Record<FeedEventTypeName, NoticeType>>> = {
  'api_key.expiring': {
    detailType: 'API key expiring',
    detailOf: ({ sk, companyId, ...notice }) => ({
      noticeId: String(sk),
      companyId: String(companyId),
      ...keyNoticeBody(notice),
    }),
  },
  'webhook.disabled': {
    detailType: 'Webhook disabled',
    detailOf: (after, atMs) => {
      const { companyId, webhookId, disabledAtMs = atMs, disabledBecause } = toWebhook({ ...after });
      const disabledAt = toTimestamp(disabledAtMs);
      return { noticeId: `${webhookId}#${disabledAt}`, companyId, webhookId, disabledAt, reason: disabledBecause };
    },
  },
};

/** The notice of a change that means this event to its company; undefined if operators are not told of such events. */
export const noticeOf = (type: FeedEventTypeName, { after, atMs }: ItemChange): BusEvent | undefined => {
  const notice = noticeTypes[type];
  return notice && after && { detailType: notice.detailType, detail: notice.detailOf(after, atMs) };
};
