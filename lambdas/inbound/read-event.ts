import { type MessageFault, maxClockAheadMs } from '../api/inbound-events/inbound-event.ts';
import {
  type InboundEvent,
  type InboundEventType,
  inboundEventSchema,
  inboundEvents,
  inboundEventTypes,
} from '../api/inbound-events/inbound-events.ts';
import { maxMessageBytes } from '../api/limits.ts';
import type { TakenMessage } from '../api/log-events/background-events.ts';
import { type InboundQueueName, queues } from '../api/queues.ts';
import { eventIdPattern, idPattern, pointerTo } from '../api/schemas/common.ts';
import { setLibraryWords } from '../api/schemas/library-words.ts';
import { parseJson, repeatedPropertyIn } from '../domain/encoding.ts';
import { newestDayAt } from '../domain/energy.ts';
import { expectationOf, type Fault, usableReader } from './usable-parts.ts';

setLibraryWords();

/** Why a message is refused, in our own words: the text of the message is never quoted. */
type Refusal = { readonly fault: MessageFault; readonly expected: string };

/** What can be logged about any message, an event or not. Ids appear only if they are well-formed. */
export type Labels = Pick<TakenMessage, 'type' | 'eventId' | 'subject'>;

export type Reading = { readonly labels: Labels } & (
  | {
      readonly event: InboundEvent;
      /** What was expected of parts that cannot be used, if there are such parts: the event is read without them. */
      readonly unusable: string | undefined;
      readonly refusal?: undefined;
    }
  | { readonly event?: undefined; readonly refusal: Refusal }
);

/**
 * Reads the text of a message that a queue delivered. `arrivedAtMs` is when the queue accepted the message, the same for
 * every receive. Returns the event, or why the message is refused.
 */
export const readEvent = (queue: InboundQueueName, text: string, arrivedAtMs: number): Reading => {
  if (Buffer.byteLength(text) > maxMessageBytes)
    return { labels: {}, refusal: { fault: 'too-long', expected: `At most ${maxMessageBytes} bytes.` } };
  const written = asJson(text);
  const json = parseJson(written);
  if (json === undefined) return { labels: {}, refusal: { fault: 'not-json', expected: 'JSON.' } };
  const labels = labelsOf(json);
  const refuse = (fault: MessageFault, expected: string) => ({ labels, refusal: { fault, expected } });

  if (repeatedPropertyIn(written)) return refuse('repeated-property', 'Each property of an object once.');
  const { type } = labels;
  if (type === undefined) return refuse('unknown-type', `As type one of ${typesFrom(queue).join(', ')}.`);
  if (inboundEvents[type].queue !== queue)
    return refuse('wrong-queue', `Events of ${queues[queue].neighbour} only: ${typesFrom(queue).join(', ')}.`);
  const { value: event, unusable } = readerOf(type)(json);
  if (!event) return refuse('invalid', expectationsOf(unusable));
  const timeMs = Date.parse(event.time);
  if (timeMs > arrivedAtMs + maxClockAheadMs)
    return refuse('future-time', `A time at most ${maxClockAheadMs / 1000} s ahead of the arrival.`);
  const { id, subject, data } = event;
  // The schema is that of the type's row.
  const nulls = nullsIn((json as { readonly data: object }).data);
  const places = {
    ...(unusable.length > 0 && { unusable: unusable.map(({ pointer }) => pointer) }),
    ...(nulls.length > 0 && { nulls }),
  };
  const read = { id, type, subject, timeMs, arrivedAtMs, data, ...places } as InboundEvent;
  if ('day' in read.data && read.data.day > newestDayAt(timeMs))
    return refuse('future-time', `/data/day: A day that has begun at ${event.time} in some time zone.`);
  if ('start' in read.data && Date.parse(read.data.start) > timeMs)
    return refuse('future-time', `/data/start: An hour that has begun at ${event.time}.`);
  return { labels, event: read, unusable: unusable.length > 0 ? expectationsOf(unusable) : undefined };
};

/**
 * Returns the text as valid JSON: some libraries write a byte order mark before it, and NaN or Infinity for a missing
 * number, which becomes null.
 */
const asJson = (text: string): string =>
  text.replace(/^\uFEFF/, '').replace(textOrNoNumber, (token) => (token.startsWith('"') ? token : 'null'));

/** A text may be unterminated: it then ends with the message. */
const textOrNoNumber = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|-?\b(?:NaN|Infinity)\b/gs;

/** Null means absent, with some exceptions: of a holiday it says that there is none. */
const nullsIn = (part: unknown, path: readonly string[] = ['data']): string[] => {
  if (part === null) return [pointerTo(...path)];
  const isOwn = typeof part === 'object' && !Array.isArray(part) && path.length <= 2;
  return isOwn ? Object.entries(part).flatMap(([name, inner]) => nullsIn(inner, [...path, name])) : [];
};

const typesFrom = (queue: InboundQueueName): InboundEventType[] =>
  inboundEventTypes.filter((type) => inboundEvents[type].queue === queue);

type EventReader = ReturnType<typeof usableReader<ReturnType<typeof inboundEventSchema>>>;

const readers = new Map<InboundEventType, EventReader>();

const readerOf = (type: InboundEventType): EventReader => {
  const reader = readers.get(type) ?? usableReader(inboundEventSchema(type));
  readers.set(type, reader);
  return reader;
};

/**
 * Returns what was expected for the first five faults. The text names places that the schema knows and positions in lists,
 * and never quotes the event.
 */
const expectationsOf = (faults: readonly Fault[]): string =>
  faults
    .slice(0, 5)
    .map((fault) => `${fault.pointer}: ${expectationOf(fault)}`)
    .join(' ');

const labelsOf = (json: unknown): Labels => {
  const { id, type, subject } = Object(json) as Readonly<Record<string, unknown>>;
  return {
    type: inboundEventTypes.find((each) => each === type),
    eventId: matched(eventIdPattern, id),
    subject: matched(idPattern, subject),
  };
};

const matched = (pattern: RegExp, value: unknown): string | undefined =>
  typeof value === 'string' && pattern.test(value) ? value : undefined;
