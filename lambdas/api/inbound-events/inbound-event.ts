import * as z from 'zod/mini';
import { type InboundQueueName, type Neighbour, queues } from '../queues.ts';
import { companyId, id, type Schema, timestamp } from '../schemas/common.ts';

/** Everything that is known about a type of events before one arrives. */
export type InboundEventRow = {
  /** The only queue that may deliver it. */
  readonly queue: InboundQueueName;
  /** What the event's `subject` is the id of. */
  readonly subject: 'companyId' | 'gatewayId';
  /** Describes the event's `data`; properties that it does not know are ignored. */
  readonly data: Schema;
  /** The event withdraws rights: until it is applied, a company can do more than the owner allows. */
  readonly isWithdrawal?: true;
};

/**
 * The words and the example that the maker's teams read about a type of events. They stand beside the rows as a function
 * of their own, which no handler calls: so the bundler leaves them out of every function.
 */
export type EventDocs<Row extends InboundEventRow> = {
  readonly summary: string;
  readonly example: { readonly subject: string; readonly data: z.output<ReturnType<Row['data']>> };
  readonly properties: EventDescriptions;
};

/** A description of every property of `data`. That of an object, or of a list of objects, includes those of its properties. */
export type EventDescriptions = {
  readonly [name: string]: string | { readonly description: string; readonly properties: EventDescriptions };
};

/** A value that was read of an event: null means the same as absent there, so a part that is null is left out. */
export type WithoutNulls<Value> = Value extends readonly (infer Element)[]
  ? WithoutNulls<Element>[]
  : Value extends object
    ? { [Name in keyof Value]: WithoutNulls<Exclude<Value[Name], null>> }
    : Value;

/** An event whose time is further ahead of its arrival is refused: it would mute all that comes after it until then. */
export const maxClockAheadMs = 60_000;

const subjects = { companyId, gatewayId: id } as const;

/** A whole event of a type, as CloudEvents 1.0 names its parts. */
export const eventOf = <Data extends z.ZodMiniType>(
  type: string,
  { queue, subject, data }: Omit<InboundEventRow, 'data'> & { readonly data: () => Data },
) =>
  z.object({
    specversion: z.literal('1.0'),
    id: id(),
    source: z.literal<Neighbour>(queues[queue].neighbour),
    type: z.literal(type),
    subject: subjects[subject](),
    time: timestamp(),
    data: data(),
  });

/** What the maker's teams read about the parts that every event has. */
export const envelopeDescriptions = () => ({
  specversion: 'The version of CloudEvents.',
  id: 'The id of the event, unique for its source; a repeat has the id of the first. Audit and log tell it.',
  source: 'The system that sends the event.',
  type: 'The type of the event, with its version.',
  subject: 'What the event is about.',
  time: `When the fact came about, by the clock of the sender: RFC 3339 with 0 to 9 digits of the second and any offset. Of two events about the same thing the later time holds, in whatever order they arrive. At most ${maxClockAheadMs / 1000} s ahead of the arrival.`,
  data: 'The fact.',
});

/** What an event comes to that is done with: its message leaves the queue. */
export const doneOutcomes = [
  'applied',
  /** Applied but for a part that cannot be used, which the log line names. */
  'applied-in-part',
  /** Taken over, and access stays as it was. */
  'noted',
  /** Something newer is known of the same thing. */
  'stale',
] as const;
export type DoneOutcome = (typeof doneOutcomes)[number];

/** What may be there a moment later, since events come in any order: the message waits for it, and is refused if it does not come. */
export const waitingOutcomes = ['gateway-not-found', 'version-not-found'] as const;

/** What an event comes to that could be read. The last are refused: the message becomes a dead letter. */
export const effectOutcomes = [
  ...doneOutcomes,
  ...waitingOutcomes,
  'company-not-found',
  'unknown-consent-version',
] as const;
export type EffectOutcome = (typeof effectOutcomes)[number];

/** What is wrong with a message that cannot be an event. */
export const messageFaults = [
  'too-long',
  'not-json',
  'repeated-property',
  'unknown-type',
  'wrong-queue',
  'invalid',
  'future-time',
] as const;
export type MessageFault = (typeof messageFaults)[number];

/** The family of a circuit, as events name it. */
export const family = () => z.enum(['heating', 'dhw']);

/** What a change was requested of, within its gateway. */
export const changeItem = () =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circuit'), family: family(), circuitId: id() }),
    z.object({ kind: z.literal('time-program'), family: family(), circuitId: id(), timeProgramId: id() }),
    z.object({ kind: z.literal('holiday') }),
  ]);

export const changeItemDescriptions = () => ({
  kind: 'Whether the change is one of a circuit, of a time program, or of the holiday of the home.',
  family: 'The family of the circuit: room heating, or hot water (dhw).',
  circuitId: 'The id of the circuit within its gateway and family.',
  timeProgramId: 'The id of the time program within its circuit.',
});
