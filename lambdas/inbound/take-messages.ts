import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { consumers } from '../api/background-functions.ts';
import type { Settings } from '../api/environment.ts';
import { doneOutcomes, type EffectOutcome } from '../api/inbound-events/inbound-event.ts';
import type { InboundEvent, InboundEventType, TypeFrom } from '../api/inbound-events/inbound-events.ts';
import type { TakenMessage } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import type { InboundQueueName } from '../api/queues.ts';
import { consumerEnvironment, type FunctionEnvironment, lambdaHandler } from '../data/function-environment.ts';
import { type Store, withDeadline } from '../data/store/store.ts';
import { faultFields, writeEvent } from '../domain/log-events.ts';
import { type Reading, readEvent } from './read-event.ts';

type Message = { readonly record: SQSRecord; readonly reading: Reading };

type Result = Pick<EventContent<TakenMessage>, 'outcome' | 'expected' | 'error' | 'stack'>;

/** The handler of a consumer that makes events so. */
export const messageHandler = <Name extends QueueConsumer>(
  name: Name,
  effects: Effects<Name>,
  variables: Readonly<Record<string, string | undefined>>,
) =>
  lambdaHandler(consumerEnvironment(consumers[name], variables), (event: SQSEvent, environment) =>
    takeMessages(name, effects, event, environment),
  );

/**
 * Takes a batch of messages: each is applied by itself, those of one subject in the order of their times. Answers with
 * those that failed, and the queue delivers them again; all others are done.
 */
const takeMessages = async <Name extends QueueConsumer>(
  name: Name,
  effects: Effects<Name>,
  { Records }: SQSEvent,
  environment: FunctionEnvironment,
): Promise<SQSBatchResponse> => {
  const { queue } = consumers[name].source;
  const { store, storeDeadlineMs, processTimeMs, setting } = environment;
  const context = { store: withDeadline(store, storeDeadlineMs), nowMs: processTimeMs, setting };

  /** Gives the message if it failed. */
  const take = async ({ record, reading }: Message) => {
    const result = await resultOf(effects, context, reading);
    logMessage(environment, name, { record, reading }, result);
    return isDone(result) ? [] : [{ itemIdentifier: record.messageId }];
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
  return { batchItemFailures: failures.flat() };
};

const isDone = ({ outcome }: Result): boolean => doneOutcomes.some((each) => each === outcome);

/**
 * One list for each subject, in the order of time. The order only spares writes that would be undone at once: each effect
 * stands whatever came before it, so one that fails holds up no other.
 */
const bySubject = (messages: readonly Message[]): Message[][] =>
  [...Map.groupBy(messages, ({ reading }) => reading.event?.subject).values()].map((ofSubject) =>
    ofSubject.toSorted((one, other) => timeOf(one) - timeOf(other)),
  );

const timeOf = ({ reading }: Message): number => reading.event?.timeMs ?? 0;

const resultOf = async <Name extends QueueConsumer>(
  effects: Effects<Name>,
  context: EffectContext<Name>,
  { event, refusal }: Reading,
): Promise<Result> => {
  if (refusal) return { outcome: refusal.fault, expected: refusal.expected };
  try {
    const effect = effects[event.type as keyof Effects<Name>] as Effect<Name, InboundEvent['type']>;
    return { outcome: (await effect(context, event)).outcome };
  } catch (error) {
    return { outcome: 'failed', ...faultFields(error) };
  }
};

const logMessage = (
  environment: FunctionEnvironment,
  operation: QueueConsumer,
  { record: { messageId, attributes }, reading: { labels, event } }: Message,
  result: Result,
) => {
  const nowMs = environment.processTimeMs();
  writeEvent(environment, nowMs, {
    level: result.outcome === 'failed' ? 'ERROR' : 'INFO',
    operation,
    messageId,
    receiveCount: Number(attributes.ApproximateReceiveCount),
    ...labels,
    ageMs: event && nowMs - event.timeMs,
    ...result,
  } satisfies EventContent<TakenMessage>);
};

type Rows = typeof consumers;

/** The consumers of queues, by name. */
export type QueueConsumer = {
  [Name in keyof Rows]: Rows[Name]['source'] extends { readonly queue: InboundQueueName } ? Name : never;
}[keyof Rows];

/** What the effects of a consumer may use: the store, the time, and the settings that its row names. */
export type EffectContext<Name extends QueueConsumer> = {
  readonly store: Store;
  readonly nowMs: () => number;
  readonly setting: <Setting extends Rows[Name]['settings'][number]>(name: Setting) => Settings[Setting];
};

/** Makes an event so. It throws for nothing that the event says, only where the fault is ours. */
export type Effect<Name extends QueueConsumer, Type extends InboundEventType> = (
  context: EffectContext<Name>,
  event: InboundEvent<Type>,
) => Promise<{ readonly outcome: EffectOutcome }>;

/** An effect for each type of events that the consumer's queue delivers. */
export type Effects<Name extends QueueConsumer> = {
  readonly [Type in TypeFrom<Rows[Name]['source']['queue']>]: Effect<Name, Type>;
};
