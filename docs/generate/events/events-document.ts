import { type Consumer, consumers } from '../../../lambdas/api/background-functions.ts';
import {
  type InboundEventType,
  inboundEventDocs,
  inboundEvents,
  inboundEventTypes,
} from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { type Queue, type QueueName, queues } from '../../../lambdas/api/queues.ts';
import { requestedChangeDocs, requestedChangeType } from '../../../lambdas/api/requested-change.ts';
import { type JsonSchema, typeNameOf } from '../../../partner/openapi/json-schema.ts';
import { exampleOf } from './examples.ts';
import { inboundPayload, requestedChangePayload } from './payload-schemas.ts';

const contentType = 'application/cloudevents+json';

/** The events between the service and the maker's other systems, as an AsyncAPI 3 document. */
const eventsDocument = () => ({
  asyncapi: '3.0.0',
  info: {
    title: 'Partner API: events of the portal and of the gateway backend',
    // Each type has a version of its own; this is the version of all that is about them.
    version: '1.0.0',
    description: 'Each message is one event, as CloudEvents 1.0 in JSON. docs/seams.md is the guide.',
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

/** A payload in which each part that generators of code make a type of has a name: `CircuitReportedV1Data`. */
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

/** One of several is named by what it says of itself, such as its family. */
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
