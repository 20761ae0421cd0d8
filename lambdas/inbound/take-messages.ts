import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { consumers } from '../api/background-functions.ts';
import type { Settings } from '../api/environment.ts';
import {
  doneOutcomes,
  type EffectOutcome,
  type InboundEventRow,
  waitingOutcomes,
} from '../api/inbound-events/inbound-event.ts';
import {
  type InboundEvent,
  type InboundEventType,
  inboundEvents,
  type TypeFrom,
} from '../api/inbound-events/inbound-events.ts';
import type { AppliedReports, TakenMessage } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import { hiddenSecondsAfter, type InboundQueueName, waitSeconds } from '../api/queues.ts';
import { maxEventIdCharacters } from '../api/schemas/common.ts';
import { type Store, withDeadline } from '../data/store/store.ts';
import { toTimestamp } from '../domain/time.ts';
import {
  consumerEnvironment,
  type FunctionEnvironment,
  lambdaHandler,
  requestTimeouts,
} from '../runtime/function-environment.ts';
import { faultFields, writeEvent } from '../runtime/log-lines.ts';
import {
  createMessageHider,
  createQueueSender,
  type HideMessage,
  type SendToQueue,
  type StandardMessage,
} from '../runtime/senders.ts';
import { isLasting } from '../runtime/set-aside.ts';
import { type Reading, readEvent } from './read-event.ts';

type Message = { readonly record: SQSRecord; readonly reading: Reading };

type Result = Pick<EventContent<TakenMessage>, 'outcome' | 'expected' | 'error' | 'stack'>;

/** Returns the Lambda handler of a queue consumer, which applies each message's event with `effects`. */
export const messageHandler = <Name extends QueueConsumer>(
  name: Name,
  effects: Effects<Name>,
  variables: Readonly<Record<string, string | undefined>>,
) => {
  const own: TakerEnvironment = {
    ...consumerEnvironment(consumers[name], variables),
    send: createQueueSender(variables, requestTimeouts),
    hide: createMessageHider(variables, requestTimeouts),
  };
  return lambdaHandler(own, (event: SQSEvent, environment) => takeMessages(name, effects, event, environment));
};

type TakerEnvironment = FunctionEnvironment & {
  readonly send: SendToQueue<StandardMessage>;
  readonly hide: HideMessage;
};

/**
 * Processes a batch of messages: each on its own, those of one subject in the order of their times. Returns the messages
 * that failed for now, which the queue delivers again; all others are done, delayed or dead letters.
 */
const takeMessages = async <Name extends QueueConsumer>(
  name: Name,
  effects: Effects<Name>,
  { Records }: SQSEvent,
  environment: TakerEnvironment,
): Promise<SQSBatchResponse> => {
  const { queue } = consumers[name].source;
  const { store, storeDeadlineMs, processTimeMs, setting } = environment;
  const context = { store: withDeadline(store, storeDeadlineMs), nowMs: processTimeMs, setting };

  const applied: InboundEvent[] = [];
  /** Returns the message if it failed for now. */
  const take = async (message: Message) => {
    const result = await resultOf(effects, context, message.reading);
    const settled = await settle(environment, queue, message, result).then(
      () => result,
      (error: unknown): Result => ({ outcome: 'failed', ...faultFields(error) }),
    );
    if (name === 'takeGatewayReports' && settled.outcome === 'applied' && message.reading.event)
      applied.push(message.reading.event);
    else logMessage(environment, name, message, settled);
    return settled.outcome === 'failed' ? [{ itemIdentifier: message.record.messageId }] : [];
  };

  const messages = Records.map((record) => ({
    record,
    reading: readEvent(queue, record.body, Number(record.attributes.SentTimestamp)),
  }));
  const failures = await Promise.all(
    bySubject(messages).map(async (ofSubject) => {
      const ofThese = [];
      for (const message of ofSubject) ofThese.push(...(await take(message)));
      return ofThese;
    }),
  );
  if (applied.length > 0) logReports(environment, applied);
  return { batchItemFailures: failures.flat() };
};

/**
 * Acts on the outcome before the message leaves the queue or stays in it. A message that waits for its gateway or version
 * is sent again with a delay and the number of its waits: the queue's own receive count also grows with each outage.
 */
const settle = async (
  { send, hide, processTimeMs }: TakerEnvironment,
  queue: InboundQueueName,
  message: Message,
  { outcome, expected, error }: Result,
): Promise<void> => {
  const { body, receiptHandle, attributes } = message.record;
  if (isOneOf(doneOutcomes, outcome)) return;
  if (outcome === 'failed') {
    const seconds = hiddenSecondsAfter(Number(attributes.ApproximateReceiveCount));
    // If this fails, the message is only received sooner.
    if (seconds !== undefined) await hide(queue, receiptHandle, seconds).catch(() => undefined);
    return;
  }
  const groupId = attributes.MessageGroupId;
  const waits = waitsOf(message);
  const delaySeconds = isOneOf(waitingOutcomes, outcome) ? waitSeconds[waits] : undefined;
  if (delaySeconds !== undefined)
    try {
      return await send(queue, { body, groupId, delaySeconds, attributes: { waits: String(waits + 1) } });
    } catch (fault) {
      // For example, the copy of a message at the maximum length is too long with its attribute. It is refused instead.
      if (!isLasting(fault)) throw fault;
    }
  const refused = { outcome, expected, error, sentAt: toTimestamp(Number(attributes.SentTimestamp)) };
  await send('failures', {
    body,
    groupId,
    attributes: { ...textsIn(refused), refusedAt: toTimestamp(processTimeMs()) },
  });
};

const isOneOf = <Outcome extends string>(outcomes: readonly Outcome[], outcome: string): outcome is Outcome =>
  outcomes.some((each) => each === outcome);

/** Returns how often a message has already waited. The sender can set this attribute: a wrong count only shortens the wait. */
const waitsOf = ({ record }: Message): number => {
  const waits = Number(record.messageAttributes?.waits?.stringValue ?? 0);
  return Number.isInteger(waits) && waits >= 0 ? waits : waitSeconds.length;
};

const textsIn = (texts: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).flatMap(([name, text]) => (text ? [[name, text]] : [])));

/**
 * Returns one list for each subject, in the order of time. The order only saves writes that later events would undo at
 * once: each effect is valid whatever was applied before it, so an event that fails does not block others.
 */
const bySubject = (messages: readonly Message[]): Message[][] =>
  [...Map.groupBy(messages, ({ reading }) => reading.event?.subject).values()].map((ofSubject) =>
    ofSubject.toSorted((one, other) => timeOf(one) - timeOf(other)),
  );

const timeOf = ({ reading }: Message): number => reading.event?.timeMs ?? 0;

const resultOf = async <Name extends QueueConsumer>(
  effects: Effects<Name>,
  context: EffectContext<Name>,
  reading: Reading,
): Promise<Result> => {
  if (reading.refusal) return { outcome: reading.refusal.fault, expected: reading.refusal.expected };
  const { event, unusable } = reading;
  try {
    const effect = effects[event.type as keyof Effects<Name>] as Effect<Name, InboundEvent['type']>;
    const { outcome, unused } = await effect(context, event);
    const left = [unusable, unused].filter((each) => each !== undefined);
    if (left.length === 0) return { outcome };
    return { outcome: outcome === 'applied' ? 'applied-in-part' : outcome, expected: left.join(' ') };
  } catch (error) {
    return { outcome: isLasting(error) ? 'set-aside' : 'failed', ...faultFields(error) };
  }
};

const logMessage = (environment: FunctionEnvironment, operation: QueueConsumer, message: Message, result: Result) => {
  const { messageId, attributes } = message.record;
  const { labels, event } = message.reading;
  const nowMs = environment.processTimeMs();
  writeEvent(environment, nowMs, {
    level: result.outcome === 'failed' || result.outcome === 'set-aside' ? 'ERROR' : 'INFO',
    operation,
    messageId,
    receiveCount: Number(attributes.ApproximateReceiveCount),
    waits: waitsOf(message) || undefined,
    ...labels,
    ageMs: event && nowMs - event.timeMs,
    ...result,
    WithdrawalsRefused: withdrawalsRefused(message, result),
  } satisfies EventContent<TakenMessage>);
};

/**
 * Returns whether a message that withdraws rights became a dead letter, as a count, because an alarm without data would never
 * ring; `undefined` if the message withdraws none, or its type cannot be read.
 */
const withdrawalsRefused = ({ reading }: Message, { outcome }: Result): 0 | 1 | undefined => {
  const { type } = reading.labels;
  if (type === undefined || outcome === 'wrong-queue') return undefined;
  const { isWithdrawal }: InboundEventRow = inboundEvents[type];
  if (!isWithdrawal) return undefined;
  return outcome === 'failed' || isOneOf(doneOutcomes, outcome) ? 0 : 1;
};

/** The number of the longest ids for which a log line has room. */
const longestIdsPerLine = 5;

const logReports = (environment: FunctionEnvironment, applied: readonly InboundEvent[]) => {
  const nowMs = environment.processTimeMs();
  // A whole batch has one line, unless its ids are too long for it.
  const characters = applied.reduce((sum, { id }) => sum + id.length, 0);
  const perLine = characters > longestIdsPerLine * maxEventIdCharacters ? longestIdsPerLine : applied.length;
  for (let first = 0; first < applied.length; first += perLine) {
    const logged = applied.slice(first, first + perLine);
    writeEvent(environment, nowMs, {
      level: 'INFO',
      operation: 'takeGatewayReports',
      outcome: 'applied',
      eventIds: logged.map(({ id }) => id),
      ageMs: nowMs - Math.min(...logged.map(({ timeMs }) => timeMs)),
    } satisfies EventContent<AppliedReports>);
  }
};

type Rows = typeof consumers;

/** The names of the consumers that receive a neighbour's events. */
type QueueConsumer = {
  [Name in keyof Rows]: Rows[Name]['source'] extends { readonly queue: InboundQueueName } ? Name : never;
}[keyof Rows];

/** What the effects of a consumer can use: the store, the time, and the settings that its row names. */
export type EffectContext<Name extends QueueConsumer> = {
  readonly store: Store;
  readonly nowMs: () => number;
  readonly setting: <Setting extends Rows[Name]['settings'][number]>(name: Setting) => Settings[Setting];
};

/** Applies an event. Throws only for faults of ours, never for the event's content. */
type Effect<Name extends QueueConsumer, Type extends InboundEventType> = (
  context: EffectContext<Name>,
  event: InboundEvent<Type>,
) => Promise<EffectResult> | EffectResult;

/** `unused` says what was expected of a part of the event that its effect could not use. */
type EffectResult = { readonly outcome: EffectOutcome; readonly unused?: string | undefined };

/** An effect for each type of events that the consumer's queue delivers. */
export type Effects<Name extends QueueConsumer> = {
  readonly [Type in TypeFrom<Rows[Name]['source']['queue']>]: Effect<Name, Type>;
};
