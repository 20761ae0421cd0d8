import { randomUUID } from 'node:crypto';
import { QueryCommand, ScanCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { expect } from 'vitest';
import * as z from 'zod/mini';
import { exampleOf } from '../../docs/generate/events-document.ts';
import { consumers } from '../../lambdas/api/background-functions.ts';
import type { TargetQueue } from '../../lambdas/api/environment.ts';
import {
  type InboundEventType,
  inboundEvents,
  inboundEventTypes,
} from '../../lambdas/api/inbound-events/inbound-events.ts';
import { appliedReports, type TakenMessage, takenMessage } from '../../lambdas/api/log-events/background-events.ts';
import type { QueueName } from '../../lambdas/api/queues.ts';
import { handler as takeGatewayReports } from '../../lambdas/consumers/takeGatewayReports.ts';
import { handler as takePortalEvents } from '../../lambdas/consumers/takePortalEvents.ts';
import { circuitItemKey, gatewayItemKey, toGateway } from '../../lambdas/data/appliances/appliances.ts';
import { requestChange } from '../../lambdas/data/appliances/requested-changes.ts';
import { timeProgramItemKey } from '../../lambdas/data/appliances/time-programs.ts';
import { grantGateway } from '../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Shadow } from '../../lambdas/domain/appliance.ts';
import type { Parties } from '../../lambdas/domain/contract.ts';
import { toDate, toTimestamp } from '../../lambdas/domain/time.ts';
import type { messageHandler } from '../../lambdas/inbound/take-messages.ts';
import type { StandardMessage } from '../../lambdas/runtime/senders.ts';
import { readStored, reportedProgram } from './appliance.ts';
import { onboard, partiesOf, startMs, theWorld } from './world.ts';

export type QueueConsumer = Parameters<typeof messageHandler>[0];

const handlers = { takePortalEvents, takeGatewayReports };

/** The example event of a type, with another subject, time and data. */
export const eventLike = (
  type: InboundEventType,
  { data, timeMs = startMs, ...others }: { subject?: string; id?: string; timeMs?: number; data?: object },
) => {
  const example = exampleOf(type);
  const time = new Date(timeMs).toISOString();
  return { ...example, time, ...others, data: { ...example.data, ...datedParts(example.data, timeMs), ...data } };
};

/** Returns the parts of an example that depend on the time of the event. */
const datedParts = (example: object, timeMs: number): object => {
  // A day or an hour is reported when it is over.
  if ('day' in example) return { day: toDate(timeMs - 24 * hourMs) };
  if ('start' in example) return { start: toTimestamp(timeMs - (timeMs % hourMs) - hourMs) };
  if (!('measurements' in example)) return {};
  const measurements = example.measurements as readonly { readonly measuredAt?: string }[];
  return { measurements: measurements.map(({ measuredAt, ...each }) => each) };
};

const hourMs = 3_600_000;

/** The reports of a day or of an hour. Each is stored as a part of an item. */
export const periodReports = inboundEventTypes.filter((type) => {
  const { data } = exampleOf(type);
  return 'day' in data || 'start' in data;
});

type Batch = {
  /** The time at which the queue received the messages. */
  readonly arrivedAtMs?: number;
  readonly receiveCount?: number;
  /** How often the messages were delayed before. */
  readonly waits?: number;
};

/**
 * Sends a batch to a consumer, each message a text or an event. Returns the checked log line of each message, and the positions
 * of the messages that failed for now, that became dead letters, and that wait.
 */
export const take = async (
  name: QueueConsumer,
  messages: readonly (string | object)[],
  { arrivedAtMs = startMs, receiveCount = 1, waits = 0 }: Batch = {},
) => {
  const { environment } = theWorld();
  const Records = messages.map((message) => recordOf(name, message, { arrivedAtMs, receiveCount, waits }));
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const event: SQSEvent = { Records };
  const queues = newQueues();
  const answer = await handlers[name].withEnvironment({
    ...environment,
    ...queues,
    log,
    processTimeMs: () => arrivedAtMs,
  })(event, undefined);
  const sentTo = (isSent: (queue: string) => boolean) =>
    queues.sent.flatMap(({ queue, message }) => (isSent(queue) ? [message] : []));
  const placesOf = (sent: readonly StandardMessage[]) =>
    sent.map(({ body }) => Records.findIndex((record) => record.body === body)).toSorted((one, other) => one - other);
  const letters = sentTo((queue) => queue === 'failures');
  const waiting = sentTo((queue) => queue === consumers[name].source.queue);
  const placeOf = (messageId: string) => Records.findIndex((record) => record.messageId === messageId);
  const logged = logLinesOf(lines, Records);
  return {
    failures: answer.batchItemFailures.map(({ itemIdentifier }) => placeOf(itemIdentifier)).toSorted((a, b) => a - b),
    refused: placesOf(letters),
    waiting: placesOf(waiting),
    hidden: queues.hidden,
    sent: [...letters, ...waiting],
    outcomes: logged.map(({ outcome }) => outcome),
    logged,
    lines,
  };
};

/** Records the messages that a consumer sends, and the seconds for which it hides messages. */
export const newQueues = () => {
  const sent: { readonly queue: TargetQueue; readonly message: StandardMessage }[] = [];
  const hidden: number[] = [];
  return {
    send: async (queue: TargetQueue, message: StandardMessage): Promise<void> => void sent.push({ queue, message }),
    hide: async (_queue: QueueName, _receipt: string, seconds: number): Promise<void> => void hidden.push(seconds),
    sent,
    hidden,
  };
};

/** Returns a message, a text or an event, as a consumer receives it from its queue. */
export const recordOf = (name: QueueConsumer, message: string | object, batch: Required<Batch>): SQSRecord => ({
  messageId: randomUUID(),
  receiptHandle: 'receipt',
  body: typeof message === 'string' ? message : JSON.stringify(message),
  attributes: {
    ApproximateReceiveCount: String(batch.receiveCount),
    SentTimestamp: String(batch.arrivedAtMs),
    SenderId: 'sender',
    ApproximateFirstReceiveTimestamp: String(batch.arrivedAtMs),
  },
  messageAttributes: batch.waits === 0 ? {} : { waits: { stringValue: String(batch.waits), dataType: 'String' } },
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: `arn:aws:sqs:eu-central-1:123456789012:${consumers[name].source.queue}`,
  awsRegion: 'eu-central-1',
});

type LoggedMessage = Pick<TakenMessage, 'operation' | 'outcome'> & Partial<TakenMessage>;

/** The log line of each message: its own line, or the summary line of applied messages. */
const logLinesOf = (lines: readonly string[], records: readonly SQSRecord[]): LoggedMessage[] => {
  const logged = new Map<SQSRecord, LoggedMessage>();
  for (const line of lines) {
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(1024);
    const { eventIds, ...event } = z.parse(
      z.union([takenMessage, appliedReports]),
      JSON.parse(line),
    ) as LoggedMessage & {
      readonly eventIds?: readonly string[];
    };
    expect(event.level).toBe(['failed', 'set-aside'].includes(event.outcome) ? 'ERROR' : 'INFO');
    const isIts = (id: string | undefined) => (record: SQSRecord) =>
      !logged.has(record) &&
      (id === undefined ? record.messageId === event.messageId : record.body.includes(`"id":"${id}"`));
    for (const id of eventIds ?? [undefined]) logged.set(records.find(isIts(id)) as SQSRecord, event);
  }
  expect(logged.size).toBe(records.length);
  return records.map((record) => logged.get(record) as LoggedMessage);
};

/** Reads all items that events can change. */
export const everythingStored = async () => {
  const { store } = theWorld();
  const scans = (['Appliances', 'Contracts', 'AuditLog'] as const).map(async (table) => {
    const { Items = [], LastEvaluatedKey } = await store.send(
      new ScanCommand({ TableName: store.tableName(table), ConsistentRead: true }),
    );
    if (LastEvaluatedKey) throw new Error(`${table} is more than a page: this test would miss a part of it.`);
    return Items.map((item) => JSON.stringify(item)).toSorted();
  });
  return Promise.all(scans);
};

const minuteMs = 60_000;

/** Prepares the world so that the example event of a type can be applied, and returns the event. */
export const prepareFor = async (store: Store, type: InboundEventType) => {
  if (inboundEvents[type].subject === 'gatewayId') {
    const subject = await newReportedGateway(store);
    return eventLike(type, { subject, id: randomUUID() });
  }
  const { companyId, contract } = await onboard(store, { acceptedConsentVersion: 2, acceptedAtMs: startMs - minuteMs });
  const id = randomUUID();
  const userId = type === 'portal.contract.opened.v1' ? 'newcomer' : contract.userId;
  if (type !== 'portal.installation.removed.v1') return eventLike(type, { subject: companyId, id, data: { userId } });
  const gatewayId = `gw-${id}`;
  await grantGateway(store, partiesOf(companyId), gatewayId, startMs - minuteMs);
  await reportGateway(store, gatewayId, startMs, partiesOf(companyId));
  return eventLike(type, { subject: companyId, id, data: { userId, gatewayId } });
};

let reportedRows: Record<string, unknown>[] | undefined;

/** A new gateway, as `reportGateway` leaves it. Only the first of a process is reported; the others are copies of it. */
export const newReportedGateway = async (store: Store): Promise<string> => {
  const gatewayId = `gw-${randomUUID()}`;
  const TableName = store.tableName('Appliances');
  if (reportedRows) {
    const TransactItems = reportedRows.map((row) => ({ Put: { TableName, Item: { ...row, gatewayId } } }));
    await store.send(new TransactWriteCommand({ TransactItems }));
    return gatewayId;
  }
  await reportGateway(store, gatewayId);
  reportedRows = await readGatewayRows(gatewayId);
  return gatewayId;
};

/** All rows of a gateway, in the order of their sort keys. */
export const readGatewayRows = async (gatewayId: string): Promise<Record<string, unknown>[]> => {
  const { store } = theWorld();
  const { Items = [] } = await store.send(
    new QueryCommand({
      TableName: store.tableName('Appliances'),
      KeyConditionExpression: 'gatewayId = :gatewayId',
      ExpressionAttributeValues: { ':gatewayId': gatewayId },
    }),
  );
  return Items;
};

/** A gateway that its backend described an hour ago, with requested changes since then; the first two have version 2. */
export const reportGateway = async (
  store: Store,
  gatewayId: string,
  nowMs = startMs,
  askedBy: Parties = partiesOf('acme'),
): Promise<void> => {
  const report = (type: InboundEventType, minutesAgo: number, data: object = {}) =>
    eventLike(type, { subject: gatewayId, timeMs: nowMs - minutesAgo * minuteMs, data });
  const messages = [
    report('gateway.described.v1', 60),
    report('circuit.reported.v1', 59, { fulfilsVersion: undefined }),
    report('time-program.reported.v1', 59, { fulfilsVersion: undefined }),
    report('function.blocked.v1', 58),
  ];
  const { failures } = await take('takeGatewayReports', messages, { arrivedAtMs: nowMs });
  if (failures.length > 0) throw new Error(`The messages ${failures} of the scene failed.`);
  const ask = (key: { gatewayId: string; sk: string }, values: object) =>
    requestOf(store, key, values, { nowMs, askedBy });
  await ask(circuitItemKey(gatewayId, 'heating', 'hc1'), { roomSetpointCelsius: 21 });
  const program = { ...reportedProgram, name: 'Short evenings' };
  await ask(timeProgramItemKey(gatewayId, 'heating', 'hc1', '1'), program);
};

type Asking = { readonly nowMs: number; readonly askedBy: Parties };

const requestOf = async (
  store: Store,
  key: { gatewayId: string; sk: string },
  values: object,
  { nowMs, askedBy }: Asking,
) => {
  const requestedAtMs = nowMs - 30 * minuteMs;
  const context = { ...askedBy, nowMs: requestedAtMs, requestId: 'r', operation: 'test', actorKey: null };
  const { outcome } = await requestChange(store, context, {
    gateway: toGateway((await readStored(store, gatewayItemKey(key.gatewayId))) ?? {}),
    uses: 'heatingCircuits',
    key,
    item: (await readStored(store, key)) as object as Shadow,
    values,
    ifMatch: [],
    permittedSinceMs: nowMs,
    target: {},
  });
  if (outcome !== 'requested') throw new Error(`The change was not requested: ${outcome}.`);
};
