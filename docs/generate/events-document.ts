import { type Consumer, consumers } from '../../lambdas/api/background-functions.ts';
import { type EventDescriptions, envelopeDescriptions } from '../../lambdas/api/inbound-events/inbound-event.ts';
import {
  type InboundEventType,
  inboundEventDocs,
  inboundEventSchema,
  inboundEvents,
  inboundEventTypes,
} from '../../lambdas/api/inbound-events/inbound-events.ts';
import { type Queue, type QueueName, queues } from '../../lambdas/api/queues.ts';
import { requestedChange, requestedChangeDocs, requestedChangeType } from '../../lambdas/api/requested-change.ts';
import { type JsonSchema, toJsonSchema, typeNameOf } from '../../partner/openapi/json-schema.ts';

const contentType = 'application/cloudevents+json';

/** The events between the service and the maker's other systems, as an AsyncAPI 3 document. */
const eventsDocument = () => ({
  asyncapi: '3.0.0',
  info: {
    title: 'Partner API: events of the portal and of the gateway backend',
    // Each type has its own version. This is the version of the document about them.
    version: '1.0.0',
    description:
      'Each message is one event, as CloudEvents 1.0 in JSON. The service sends times in UTC that end in `Z`, and takes any offset. docs/integrations.md is the guide.',
  },
  defaultContentType: contentType,
  channels: Object.fromEntries(
    Object.entries<Queue>(queues)
      .filter(([, { direction }]) => direction !== 'within')
      .map(([name, { summary }]) => [
        name,
        { title: name, description: `${summary}.`, messages: messagesOf(name as QueueName) },
      ]),
  ),
  operations: {
    ...Object.fromEntries(Object.entries<Consumer>(consumers).flatMap(operationOf)),
    sendRequestedChanges: {
      action: 'send',
      summary: queues.requestedChanges.summary,
      channel: { $ref: '#/channels/requestedChanges' },
    },
  },
  components: {
    messages: {
      ...Object.fromEntries(inboundEventTypes.map((type) => [type, inboundMessage(type)])),
      [requestedChangeType]: requestedChangeMessage(),
    },
  },
});

/** The text of docs/events.json. */
export const eventsText = (): string => `${JSON.stringify(eventsDocument(), null, 2)}\n`;

const typesIn = (queue: QueueName): string[] =>
  queue === 'requestedChanges'
    ? [requestedChangeType]
    : inboundEventTypes.filter((type) => inboundEvents[type].queue === queue);

const messagesOf = (queue: QueueName) =>
  Object.fromEntries(typesIn(queue).map((type) => [type, { $ref: `#/components/messages/${type}` }]));

const operationOf = ([name, { summary, source }]: [string, Consumer]) =>
  'queue' in source && queues[source.queue].direction !== 'within'
    ? [[name, { action: 'receive', summary, channel: { $ref: `#/channels/${source.queue}` } }] as const]
    : [];

const inboundMessage = (type: InboundEventType) => ({
  name: type,
  contentType,
  summary: inboundEventDocs()[type].summary,
  payload: named(type, inboundPayload(type)),
  examples: [{ payload: exampleOf(type) }],
});

/** Returns a payload in which each part that code generators make a type of has a name: `CircuitReportedV1Data`. */
const named = (type: string, payload: JsonSchema): JsonSchema => withNames(typeNameOf(type), payload);

const withNames = (name: string, schema: JsonSchema): JsonSchema => {
  const { properties, items, anyOf, oneOf, enum: values, type } = schema;
  const needsName =
    properties !== undefined || values !== undefined || (anyOf ?? oneOf) !== undefined || type === 'object';
  const parts = (list: unknown) =>
    (list as JsonSchema[]).map((part, index) => withNames(`${name}${nameOfPart(part, index)}`, part));
  return {
    ...(needsName && { $id: name }),
    ...schema,
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as Record<string, JsonSchema>).map(([property, each]) => [
          property,
          withNames(name + typeNameOf(property), each),
        ]),
      ),
    }),
    ...(items !== undefined && { items: withNames(`${name}Item`, items as JsonSchema) }),
    ...(anyOf !== undefined && { anyOf: parts(anyOf) }),
    ...(oneOf !== undefined && { oneOf: parts(oneOf) }),
  };
};

/** Returns the name of an alternative: its constants, such as its family, or its position. */
const nameOfPart = ({ properties = {} }: JsonSchema, index: number): string =>
  Object.values(properties as Record<string, JsonSchema>)
    .flatMap(({ const: constant }) => (typeof constant === 'string' ? [typeNameOf(constant)] : []))
    .join('') || `Option${index + 1}`;

const requestedChangeMessage = () => {
  const { summary, example } = requestedChangeDocs();
  return {
    name: requestedChangeType,
    contentType,
    summary,
    payload: named(requestedChangeType, requestedChangePayload()),
    examples: [{ payload: example }],
  };
};

/** The JSON Schema of a whole event of a type. */
const inboundPayload = (type: InboundEventType): JsonSchema => {
  const { properties } = inboundEventDocs()[type];
  const subject = { companyId: 'The id of the company.', gatewayId: 'The id of the gateway.' }[
    inboundEvents[type].subject
  ];
  const json = toJsonSchema(() => inboundEventSchema(type), 'sent');
  return describeEvent(json, {
    ...envelopeDescriptions(),
    subject,
    data: { description: envelopeDescriptions().data, properties },
  });
};

/** Returns the JSON Schema of a requested change. It allows unknown properties, since a later version may add some. */
const requestedChangePayload = (): JsonSchema =>
  describeEvent(toJsonSchema(requestedChange, 'answered'), requestedChangeDocs().properties);

/**
 * Returns the schema with a description of every property. Throws if a property has no description, or a description no
 * property.
 */
const describeEvent = (json: JsonSchema, words: EventDescriptions): JsonSchema => {
  const used = new Set<string>();
  const described = describeParts(json, { words, place: '', used });
  const idle = placesOf(words).filter((place) => !used.has(place));
  if (idle.length > 0)
    throw new Error(`No event has these properties, which are described: ${idle.join(', ')}. ${remedy}`);
  return described;
};

const remedy =
  'Correct the words of its type in lambdas/api/inbound-events/, or those of a requested change in lambdas/api/requested-change.ts.';

type Words = { readonly words: EventDescriptions; readonly place: string; readonly used: Set<string> };

const describeParts = (json: JsonSchema, words: Words): JsonSchema => ({
  ...json,
  ...(json.items !== undefined && { items: describeParts(json.items as JsonSchema, words) }),
  ...mapList(json, 'anyOf', words),
  ...mapList(json, 'oneOf', words),
  ...(json.properties !== undefined && {
    properties: Object.fromEntries(
      Object.entries(json.properties as Record<string, JsonSchema>).map(([name, property]) => [
        name,
        describeProperty(name, property, words),
      ]),
    ),
  }),
});

const mapList = (json: JsonSchema, keyword: 'anyOf' | 'oneOf', words: Words): JsonSchema => {
  const parts = json[keyword] as JsonSchema[] | undefined;
  return parts ? { [keyword]: parts.map((part) => describeParts(part, words)) } : {};
};

const describeProperty = (name: string, property: JsonSchema, { words, place: around, used }: Words): JsonSchema => {
  const [own, place] = [words[name], `${around}/${name}`];
  if (own === undefined) throw new Error(`The property ${place} of an event has no description. ${remedy}`);
  used.add(place);
  return typeof own === 'string'
    ? { description: own, ...property }
    : { description: own.description, ...describeParts(property, { words: own.properties, place, used }) };
};

const placesOf = (words: EventDescriptions, around = ''): string[] =>
  Object.entries(words).flatMap(([name, own]) => [
    `${around}/${name}`,
    ...(typeof own === 'string' ? [] : placesOf(own.properties, `${around}/${name}`)),
  ]);

/** A whole event of a type, as its sender would write it. */
export const exampleOf = (type: InboundEventType) => {
  const { subject, data } = inboundEventDocs()[type].example;
  return {
    specversion: '1.0',
    id: '01KAJ4W0Q7ZJX8M3T5V9B2C6DN',
    source: queues[inboundEvents[type].queue].neighbour,
    type,
    subject,
    time: '2026-11-21T10:16:02.004Z',
    data,
  };
};
