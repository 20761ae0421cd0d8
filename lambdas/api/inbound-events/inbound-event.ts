import * as z from 'zod/mini';
import { type InboundQueueName, type Neighbour, queues } from '../queues.ts';
import { companyId, eventId, id, knownEnum, knownWord, type Schema, timestamp } from '../schemas/common.ts';

/** The definition of an event type. */
export type InboundEventRow = {
  /** The only queue that may deliver it. */
  readonly queue: InboundQueueName;
  /** What the event's `subject` identifies. */
  readonly subject: 'companyId' | 'gatewayId';
  /** The schema of the event's `data`; unknown properties are ignored. */
  readonly data: Schema;
  /** The event withdraws rights: until it is applied, a company can do more than the owner allows. */
  readonly isWithdrawal?: true;
};

/** What the rows of all reports of gateways and appliances have. */
export const ofGateway = { queue: 'gatewayReports', subject: 'gatewayId' } as const;

/**
 * The documentation of an event type for the maker's teams. A separate function returns it, which no handler calls, so the
 * bundler leaves it out of every Lambda function.
 */
export type EventDocs<Row extends InboundEventRow> = {
  readonly summary: string;
  readonly example: { readonly subject: string; readonly data: z.output<ReturnType<Row['data']>> };
  readonly properties: EventDescriptions;
};

/** Descriptions of all properties of `data`. An object, or a list of objects, also has those of its own properties. */
export type EventDescriptions = {
  readonly [name: string]: string | { readonly description: string; readonly properties: EventDescriptions };
};

/** A value as read from an event, without the parts that are null: null means absent. */
export type WithoutNulls<Value> = Value extends readonly (infer Element)[]
  ? WithoutNulls<Element>[]
  : Value extends object
    ? { [Name in keyof Value]: WithoutNulls<Exclude<Value[Name], null>> }
    : Value;

/**
 * Events whose time is further ahead of their arrival are refused: such an event would make all later ones stale until its
 * time.
 */
export const maxClockAheadMs = 60_000;

const subjects = { companyId, gatewayId: id } as const;

/** Returns the schema of a whole event of a type, with the attributes of CloudEvents 1.0. */
export const eventOf = <Data extends z.ZodMiniType>(
  type: string,
  { queue, subject, data }: Omit<InboundEventRow, 'data'> & { readonly data: () => Data },
) =>
  z.object({
    specversion: z.literal('1.0'),
    id: eventId(),
    source: z.literal<Neighbour>(queues[queue].neighbour),
    type: z.literal(type),
    subject: subjects[subject](),
    time: timestamp(),
    data: data(),
  });

/** Descriptions, for the maker's teams, of the attributes that every event has. */
export const envelopeDescriptions = () => ({
  specversion: 'The version of CloudEvents.',
  id: 'The id of the event, unique for its source: 1 to 128 visible ASCII characters. A retry has the same id. The audit log and the log contain it, so use no personal data.',
  source: 'The system that sends the event.',
  type: 'The type of the event, with its version.',
  subject: 'The subject of the event.',
  time: `When the fact occurred, according to the clock of the sender: RFC 3339 with 0 to 9 fractional digits of the second and any offset; T and Z may be small letters. If two events are about the same subject, the event with the later time counts, regardless of the order of arrival. At most ${maxClockAheadMs / 1000} s ahead of the arrival.`,
  data: 'The fact.',
});

/** Outcomes of an event that is done: its message leaves the queue. */
export const doneOutcomes = [
  'applied',
  /** Applied except for an unusable part, which the log line names. */
  'applied-in-part',
  /** Recorded, without a change of access. */
  'noted',
  /** A newer fact about the same subject is already known. */
  'stale',
] as const;
export type DoneOutcome = (typeof doneOutcomes)[number];

/**
 * Outcomes that can change a moment later, since events arrive in any order: the message waits, and is refused if the
 * gateway or the version does not appear.
 */
export const waitingOutcomes = ['gateway-not-found', 'version-not-found'] as const;

/** All outcomes of a readable event. The last two refuse it: the message becomes a dead letter. */
export const effectOutcomes = [
  ...doneOutcomes,
  ...waitingOutcomes,
  'company-not-found',
  'unknown-consent-version',
] as const;
export type EffectOutcome = (typeof effectOutcomes)[number];

/** Why a message cannot be an event. */
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
export const family = () => knownEnum(['heating', 'dhw']);

/** Alternatives of which one of its words, in any spelling, chooses one by the property of this name. */
export const choiceBy = <const Options extends Parameters<typeof z.discriminatedUnion>[1]>(
  name: string,
  options: Options,
) => {
  const union = z.discriminatedUnion(name, options);
  const words = options
    .flatMap(({ _zod }) => [...(_zod.propValues?.[name] ?? [])])
    .filter((word) => typeof word === 'string');
  const spelled = (value: unknown): unknown => {
    const word = knownWord(words, Object(value)[name]);
    return word === undefined ? value : { ...Object(value), [name]: word };
  };
  return z.pipe(z.transform<z.input<typeof union>, unknown>(spelled), union);
};

/** The item, within its gateway, that a change was requested for. */
export const changeItem = () =>
  choiceBy('kind', [
    z.object({ kind: z.literal('circuit'), family: family(), circuitId: id() }),
    z.object({ kind: z.literal('time-program'), family: family(), circuitId: id(), timeProgramId: id() }),
    z.object({ kind: z.literal('holiday') }),
  ]);

export const changeItemDescriptions = () => ({
  kind: 'Whether the change is for a circuit, a time program, or the holiday of the home.',
  family: 'The family of the circuit: room heating, or hot water (dhw).',
  circuitId: 'The id of the circuit within its gateway and family.',
  timeProgramId: 'The id of the time program within its circuit.',
});
