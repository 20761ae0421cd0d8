import { keyNoticeBody } from '../answers/api-keys.ts';
import { consumers } from '../api/background-functions.ts';
import type { FeedRecorder, RecordedEvents } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import type { FeedEventTypeName } from '../api/schemas/feed.ts';
import { appendEvents } from '../data/feed/append.ts';
import { notePurge } from '../data/feed/purge-notes.ts';
import { type GatewayViewer, readViewers } from '../data/feed/viewers.ts';
import { type Store, withDeadline } from '../data/store/store.ts';
import { type ItemChange, itemChangeOf, type StreamRecord } from '../data/store/stream-record.ts';
import { oweMessages } from '../data/webhooks/deliveries.ts';
import { toWebhook } from '../data/webhooks/webhooks.ts';
import { grantIn } from '../domain/contract.ts';
import {
  endsAccess,
  type FeedEventDraft,
  feedEventOf,
  isWhole,
  recordedForm,
  type StoredEvent,
} from '../domain/feed-event.ts';
import { toTimestamp } from '../domain/time.ts';
import { consumerEnvironment, type FunctionEnvironment, requestTimeouts } from '../runtime/function-environment.ts';
import { faultFields, writeEvent } from '../runtime/log-lines.ts';
import {
  type BusEvent,
  createBusSender,
  createQueueSender,
  type PutOnBus,
  type SendToQueue,
  type StandardMessage,
} from '../runtime/senders.ts';
import { createDone, createSetRecordAside, type Done, isolateFailures } from '../runtime/set-aside.ts';
import { createDeliveryQueue, deliverSoon, type QueueDelivery } from '../webhooks/delivery-queue.ts';

/**
 * The environment of the functions that write to the feed. `putOnBus` exists only for those whose rows name the bus of
 * notices.
 */
export type RecorderEnvironment = FunctionEnvironment & {
  readonly queueDelivery: QueueDelivery;
  readonly putOnBus?: PutOnBus;
  readonly send: SendToQueue<StandardMessage>;
  readonly done: Done;
};

type Variables = Readonly<Record<string, string | undefined>>;

/** Returns the environment of a function that writes to the feed. */
export const recorderEnvironment = (name: FeedRecorder, variables: Variables): RecorderEnvironment => {
  const send = createQueueSender(variables, requestTimeouts);
  const environment = consumerEnvironment(consumers[name], variables);
  return { ...environment, send, queueDelivery: createDeliveryQueue(send), done: createDone() };
};

/** Returns the environment of a function that also notifies operators. */
export const notifierEnvironment = (name: FeedRecorder, variables: Variables): RecorderEnvironment => ({
  ...recorderEnvironment(name, variables),
  putOnBus: createBusSender(variables, requestTimeouts),
});

/** The records that failed. Lambda delivers the first of them again, with all that follow it. */
export type RecordFailures = { readonly batchItemFailures: { readonly itemIdentifier: string }[] };

type Recording = {
  readonly operation: FeedRecorder;
  readonly eventsOf: (change: ItemChange) => FeedEventDraft[];
  /** Determines the companies that receive the events. The default is the company of the item. */
  readonly fanOut?: FanOut;
};

/**
 * Appends the events of stream records to the feeds of the companies that may see them, in the order of the records, puts the
 * operators' notices on the bus, and owes webhook messages to the webhooks of these companies. Returns the first record of each
 * company for which this failed for now, or the first record of the batch if the companies could not be determined. Redelivery
 * is harmless: events that were appended are skipped, a notice is sent again, and so is a webhook message. A record that no
 * retry fixes is set aside, and all others continue.
 */
export const recordEvents = async (
  environment: RecorderEnvironment,
  records: readonly StreamRecord[],
  { operation, eventsOf, fanOut = toOwnCompany }: Recording,
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

  const recordTogether = async (companyId: string, companyEvents: readonly RecordedEvent[]) => {
    const events = companyEvents.map(({ event }) => event);
    // Before the events are appended: a reader of such an event then always finds the note.
    for (const userId of ownersWhoWithdrew(events)) await notePurge(store, { companyId, userId }, nowMs);
    const appended = await appendEvents(store, companyId, events, nowMs);
    // Before the webhook messages: while this fails, the records are delivered again, and webhook messages would be sent each
    // time.
    const notices = companyEvents.flatMap(({ notice }) => notice ?? []);
    await environment.putOnBus?.('notices', notices);
    // Events that are not shown cause no webhook message.
    const owed = events.some(isWhole) ? await oweMessages(store, companyId, nowMs) : [];
    for (const webhook of owed) await deliverSoon(environment.queueDelivery, webhook);
    for (const { id } of events) done.put(id, true);
    write({ level: 'INFO', companyId, events: events.length, appended, outcome: 'recorded' });
  };

  const recordOf = async (companyId: string, companyEvents: readonly RecordedEvent[]) => {
    const left = companyEvents.filter(({ event }) => !done.get(event.id));
    try {
      if (left.length > 0) await isolateFailures(left, (some) => recordTogether(companyId, some), setAside);
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
      await isolateFailures([record], draft, (each, error) => setAside({ record: each }, error));

    const events: RecordedEvent[] = [];
    const fanOutSome = async (some: readonly ChangeDraft[]) => void events.push(...(await fanOut(store, some)));
    await isolateFailures(drafts, fanOutSome, ({ record }, error) => setAside({ record }, error));

    const companies = [...Map.groupBy(events, ({ companyId }) => companyId)];
    const failures = await Promise.all(
      companies.map(([companyId, companyEvents]) => recordOf(companyId, companyEvents)),
    );
    return { batchItemFailures: failures.flat() };
  } catch (error) {
    return { batchItemFailures: failed({}, error, records[0]) };
  }
};

/** Returns the owners who have withdrawn something: from now on, the feed contains more of theirs than its company may see. */
const ownersWhoWithdrew = (events: readonly StoredEvent[]): ReadonlySet<string> =>
  new Set(events.flatMap((event) => (isWhole(event) && endsAccess(event) ? (event.userId ?? []) : [])));

type Fields = Pick<RecordedEvents, 'companyId' | 'events'>;

/** What is set aside: a record, or its events for one company. */
type Aside = { readonly record: StreamRecord; readonly companyId?: string };

/** An event for a company, and the stream record that it comes from. */
type RecordedEvent = {
  readonly companyId: string;
  readonly event: StoredEvent;
  readonly record: StreamRecord;
  /** The notice for operators. */
  readonly notice?: BusEvent | undefined;
};

type ChangeDraft = { readonly record: StreamRecord; readonly change: ItemChange; readonly draft: FeedEventDraft };

/** Returns the events of drafts for each company that receives them. */
type FanOut = (
  store: Store,
  drafts: readonly ChangeDraft[],
) => readonly RecordedEvent[] | Promise<readonly RecordedEvent[]>;

/** Returns each event for the company that its item names, with a notice for operators if the event's type has one. */
const toOwnCompany: FanOut = (_store, drafts) =>
  drafts.map(({ record, change, draft }) => {
    const companyId = String(change.after?.companyId ?? change.keys.companyId);
    return { companyId, record, event: feedEventOf(draft, change, companyId), notice: noticeOf(draft.type, change) };
  });

/**
 * Returns the events for each company that may see them now. Of an event that a company may not see now, but may need to
 * count, only the id is recorded.
 */
export const toViewers =
  (requiredConsentVersion: number): FanOut =>
  async (store, drafts) => {
    const gatewayIds = drafts.map(({ draft }) => draft.gatewayId ?? '');
    const viewers = await readViewers(store, requiredConsentVersion, gatewayIds);
    return drafts.flatMap(({ record, change, draft }) =>
      (viewers.get(draft.gatewayId ?? '') ?? []).flatMap((viewer) => {
        const { companyId, userId } = viewer.contract;
        const data = draft.dataSince ? draft.dataSince(grantedAtMs(viewer, draft)) : draft.data;
        const event = data && recordedForm(viewer, feedEventOf({ ...draft, data, userId }, change, companyId));
        return event ? [{ companyId, event, record }] : [];
      }),
    );
  };

/** Without a grant, the company sees no data, and counts what changed for others. */
const grantedAtMs = ({ contract }: GatewayViewer, { gatewayId = '' }: FeedEventDraft): number =>
  grantIn(contract, gatewayId)?.receivedAtMs ?? 0;

/** Notices with the same `noticeId` are the same notice, however often it is delivered. */
type NoticeDetail = { readonly noticeId: string; readonly companyId: string };

type NoticeType = {
  readonly detailType: string;
  /** Returns which company the notice is about and what has happened, without anything that gives access to the company. */
  readonly detailOf: (after: Readonly<Record<string, unknown>>, atMs: number) => NoticeDetail & object;
};

/**
 * One row per type of notice for operators, by the type of the feed event that informs the company of the same. The function
 * that records the event sends the notice, because an EventBridge pipe would be a second reader of the stream.
 */
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

/** Returns the notice of a change that produces this type of event; undefined if operators get no notice of this type. */
export const noticeOf = (type: FeedEventTypeName, { after, atMs }: ItemChange): BusEvent | undefined => {
  const notice = noticeTypes[type];
  return notice && after && { detailType: notice.detailType, detail: notice.detailOf(after, atMs) };
};
