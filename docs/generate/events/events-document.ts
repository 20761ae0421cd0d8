import { type Consumer, consumers } from '../../../lambdas/api/consumers.ts';
import {
  type InboundEventType,
  inboundEventDocs,
  inboundEvents,
  inboundEventTypes,
} from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { requestedChangeDocs, requestedChangeType } from '../../../lambdas/api/outbound-events/requested-change.ts';
import { type Queue, type QueueName, queues } from '../../../lambdas/api/queues.ts';
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
  payload: inboundPayload(type),
  examples: [{ payload: exampleOf(type) }],
});

const requestedChangeMessage = () => {
  const { summary, example } = requestedChangeDocs();
  return {
    name: requestedChangeType,
    contentType,
    summary,
    payload: requestedChangePayload(),
    examples: [{ payload: example }],
  };
};
