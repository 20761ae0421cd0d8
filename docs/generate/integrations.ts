import {
  type DoneOutcome,
  type EffectOutcome,
  type MessageFault,
  maxClockAheadMs,
} from '../../lambdas/api/inbound-events/inbound-event.ts';
import {
  type InboundEventType,
  inboundEventDocs,
  inboundEvents,
  inboundEventTypes,
} from '../../lambdas/api/inbound-events/inbound-events.ts';
import { maxCircuits, maxMessageBytes, maxTimeProgramsPerCircuit } from '../../lambdas/api/limits.ts';
import {
  type InboundQueueName,
  messageRetentionDays,
  type Neighbour,
  type Queue,
  queues,
  waitSeconds,
} from '../../lambdas/api/queues.ts';
import { requestedChangeDocs } from '../../lambdas/api/requested-change.ts';
import { codeBlockOf, tableOf } from '../../partner/site/markdown.ts';
import { exampleOf } from './events-document.ts';
import type { Passages } from './marked-passages.ts';

/** The passages of the guide for the teams of the portal and of the gateway backend. */
export const integrationPassages: Passages = {
  queues: () => queueTable(),
  'portal-events': () => eventTable('portalEvents'),
  'gateway-reports': () => eventTable('gatewayReports'),
  'portal-event-examples': () => examplesOf('portalEvents'),
  'gateway-report-examples': () => examplesOf('gatewayReports'),
  'requested-change-example': () => codeBlockOf('json', textOf(requestedChangeDocs().example)),
  'event-refusals': () => refusalTable(),
  'max-message-bytes': () => `${maxMessageBytes}`,
  'max-items': () =>
    `${maxCircuits} circuits, both families together, and a circuit ${maxTimeProgramsPerCircuit} time programs`,
  'max-clock-ahead': () => `${maxClockAheadMs / 1000} seconds`,
  waits: () =>
    `${waitSeconds.length} times, ${Math.round(waitSeconds.reduce((sum, each) => sum + each, 0) / 60)} minutes in all,`,
  'message-retention': () => `${messageRetentionDays} days`,
};

const systems: Readonly<Record<Neighbour, string>> = {
  portal: 'the portal',
  'gateway-backend': 'the gateway backend',
};

const queueTable = () =>
  tableOf(
    ['queue', 'sent by', 'received by', 'order', 'hidden after a receive', 'dead letter after'],
    Object.entries<Queue>(queues).flatMap(([name, queue]) => {
      if (queue.direction === 'within') return [];
      const { neighbour, direction, kind, isBehindBus, visibilityTimeoutSeconds, maxReceiveCount } = queue;
      const parties = [`${systems[neighbour]}${isBehindBus ? ', through the event bus' : ''}`, 'this service'];
      return [
        [
          name,
          ...(direction === 'in' ? parties : parties.toReversed()),
          kind === 'fifo' ? 'kept for each gateway' : 'any',
          `${visibilityTimeoutSeconds} s`,
          direction === 'in' ? 'a refusal' : `${maxReceiveCount} receives`,
        ],
      ];
    }),
  );

const typesOf = (queue: InboundQueueName): InboundEventType[] =>
  inboundEventTypes.filter((type) => inboundEvents[type].queue === queue);

const eventTable = (queue: InboundQueueName): string =>
  tableOf(
    ['type', 'meaning'],
    typesOf(queue).map((type) => [`\`${type}\``, inboundEventDocs()[type].summary]),
  );

const examplesOf = (queue: InboundQueueName): string =>
  typesOf(queue)
    .map((type) => codeBlockOf('json', textOf(exampleOf(type))))
    .join('\n\n');

/** Returns an event with each of its members on a line. */
const textOf = (event: object): string =>
  `{\n${Object.entries(event)
    .map(([name, value]) => `  "${name}": ${JSON.stringify(value)}`)
    .join(',\n')}\n}`;

/** What the teams do about a message that was not applied, by the outcome in its log line. */
const refusals: Readonly<Record<Exclude<EffectOutcome, DoneOutcome> | MessageFault, string>> = {
  'too-long': `The message has more than ${maxMessageBytes} bytes. Its queue rejects such a message when it is sent.`,
  'not-json': 'The message is not JSON.',
  'repeated-property': 'An object has the same property twice.',
  'unknown-type': 'The type does not exist, or not in this version.',
  'wrong-queue': 'The type belongs to the other queue.',
  invalid:
    'A part of the event is missing or does not match its schema. The log line has the place and the expected value.',
  'future-time': `\`time\` is more than ${maxClockAheadMs / 1000} seconds ahead of the arrival in the queue, or \`data.day\` had not started in any time zone at that time. Correct the clock and send the event again.`,
  'company-not-found':
    'The company was not onboarded. You need not do anything: the operator applies the event after the onboarding.',
  'unknown-consent-version':
    'That version of the terms does not exist. The newest version is `consent.newestVersion` in `config/<stage>.json`, or `consent.requiredVersion` without that entry.',
  'gateway-not-found': 'The gateway was never described, or was removed. Send `gateway.described.v1`.',
  'version-not-found': 'No change with that version was requested for that circuit or time program.',
};

const refusalTable = () =>
  tableOf(
    ['outcome', 'cause, and what to do'],
    Object.entries(refusals).map(([outcome, words]) => [`\`${outcome}\``, words]),
  );
