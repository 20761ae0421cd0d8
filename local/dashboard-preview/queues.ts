import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { GetQueueAttributesCommand, PurgeQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type ServedStack, UserFacingError } from 'serve-stack';
import type { InboundEvent, InboundEventType } from '../../lambdas/api/inbound-events/inbound-events.ts';
import type { GatewayReport } from '../../simulator/gateway-report.ts';
import { operatorMessagingOf } from '../connections.ts';
import { connectToQueues } from '../demo/appliances/backend-queues.ts';

const lookEveryMs = 250;
const longestWaitMs = 180_000;

/** Resolves when each of the queues, by logical id, is empty or filled. Throws UserFacingError after three minutes. */
export const waitUntilQueues = (
  are: 'empty' | 'filled',
  served: ServedStack,
  logicalIds: readonly string[],
): Promise<void> =>
  forEachQueue(served, logicalIds, async (client, QueueUrl, logicalId) => {
    const untilMs = Date.now() + longestWaitMs;
    while ((await messagesIn(client, QueueUrl)) > 0 !== (are === 'filled')) {
      if (Date.now() > untilMs)
        throw new UserFacingError(`The queue ${logicalId} was not ${are} after ${longestWaitMs / 1000} s.`);
      await wait(lookEveryMs);
    }
  });

export const purgeQueues = (served: ServedStack, logicalIds: readonly string[]): Promise<void> =>
  forEachQueue(served, logicalIds, (client, QueueUrl) => client.send(new PurgeQueueCommand({ QueueUrl })));

/** Sends a message to each of the queues, whether FIFO or standard. */
export const sendToQueues = (served: ServedStack, logicalIds: readonly string[]): Promise<void> =>
  forEachQueue(served, logicalIds, (client, QueueUrl, logicalId) => {
    const ofFifo = { MessageGroupId: logicalId, MessageDeduplicationId: randomUUID() };
    const MessageBody = '{}';
    return client.send(new SendMessageCommand({ QueueUrl, MessageBody, ...(QueueUrl.endsWith('.fifo') && ofFifo) }));
  });

const forEachQueue = async (
  served: ServedStack,
  logicalIds: readonly string[],
  act: (client: SQSClient, queueUrl: string, logicalId: string) => Promise<unknown>,
): Promise<void> => {
  const { queueEndpoint: endpoint, queueUrls, credentials } = operatorMessagingOf(served);
  const client = new SQSClient({ endpoint, region: served.version().stack.environment.region, credentials });
  try {
    for (const logicalId of logicalIds) {
      const queueUrl = queueUrls[logicalId];
      if (queueUrl === undefined)
        throw new UserFacingError(`The template has no queue ${logicalId}, which a scenario needs.`);
      await act(client, queueUrl, logicalId);
    }
  } finally {
    client.destroy();
  }
};

/** Includes messages in flight: received and not deleted. */
const messagesIn = async (client: SQSClient, QueueUrl: string): Promise<number> => {
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0);
};

type Accepted = InboundEvent<'portal.consent.accepted.v1'>;
type Withdrawn = InboundEvent<'portal.consent.withdrawn.v1'>;

/** Connects to the bus and the queue that the portal and the gateway backend send to. */
export const connectSenders = (served: ServedStack) => {
  const { queueEndpoint, eventEndpoint, queueUrls, portalBus, credentials } = operatorMessagingOf(served);
  const { region } = served.version().stack.environment;
  const queues = connectToQueues({
    region,
    endpoint: queueEndpoint,
    ...credentials,
    requestedChanges: '',
    gatewayReports: queueUrls.IntegrationsQueuesgatewayReportsQueue ?? '',
  });
  const bus = new EventBridgeClient({ endpoint: eventEndpoint, region, credentials });
  const put = async (type: InboundEventType, subject: string, data: object, atMs: number): Promise<void> => {
    const sent = { specversion: '1.0', id: 'preview', source: 'portal', type, subject, data };
    const Detail = JSON.stringify({ ...sent, time: new Date(atMs).toISOString() });
    const entry = { EventBusName: portalBus, Source: 'portal', DetailType: type, Detail };
    await bus.send(new PutEventsCommand({ Entries: [entry] }));
  };
  return {
    /** Sends the event that the owner of a company accepted a consent version. */
    putConsent: (companyId: string, data: Accepted['data'], atMs: number): Promise<void> =>
      put('portal.consent.accepted.v1', companyId, data, atMs),
    /** Sends the event that the owner of a company withdrew consent. */
    putWithdrawal: (companyId: string, data: Withdrawn['data'], atMs: number): Promise<void> =>
      put('portal.consent.withdrawn.v1', companyId, data, atMs),
    report: (reports: readonly GatewayReport[]): Promise<void> => queues.send(reports),
    close: () => {
      queues.close();
      bus.destroy();
    },
  };
};
