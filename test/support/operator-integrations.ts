import { EventEmitter } from 'node:events';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import {
  DeleteMessageCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import {
  type AccessKeys,
  type BusEvent,
  compileQueuePolicies,
  createAccessKeys,
  credentialsOfPrincipals,
  readQueuePolicies,
  readQueues,
  startEventService,
  startQueueService,
} from 'serve-stack/services';
import { createResolver, loadStack, resourcesOf } from 'serve-stack/template';
import { inject } from 'vitest';
import type { QueueWithDeadLetters } from '../../lambdas/api/queues.ts';
import {
  type Integrations,
  integrationsOf,
  portalBusLogicalName,
  type StageQueue,
} from '../../operator/integrations/integrations.ts';

/**
 * The queues and the bus of the synthesized template, without their consumers: a test can inspect the messages that were
 * sent.
 */
export const openIntegrations = async (accessKeys: AccessKeys = createAccessKeys()) => {
  const stack = loadStack(inject('assemblyDirectory'));
  const { environment, template } = stack;
  let policies: ReturnType<typeof compileQueuePolicies> = new Map();
  const queueService = await startQueueService({
    environment,
    accessKeys,
    events: new EventEmitter(),
    policyOf: (arn) => policies.get(arn),
  });
  const resolve = createResolver(stack, { queueEndpoint: queueService.endpoint });
  const queues = readQueues(template, resolve);
  policies = compileQueuePolicies(stack, queues, readQueuePolicies(stack, resolve));
  await queueService.define(queues);

  const onBus: BusEvent[] = [];
  const [bus] = resourcesOf(template, 'AWS::Events::EventBus').filter(({ logicalId }) =>
    logicalId.startsWith(portalBusLogicalName),
  );
  const busArn = resolve<string>({ 'Fn::GetAtt': [bus?.logicalId ?? '', 'Arn'] });
  const put = (event: BusEvent) => `${onBus.push(event)}`;
  const eventService = await startEventService({
    environment,
    accessKeys,
    buses: () => new Map([[busArn, { put }]]),
    policyOf: () => undefined,
  });

  const credentials = credentialsOfPrincipals(environment, accessKeys)();
  const region = 'eu-central-1';
  const integrations: Integrations = integrationsOf({
    sqs: new SQSClient({ endpoint: queueService.endpoint, region, credentials }),
    events: new EventBridgeClient({ endpoint: eventService.endpoint, region, credentials }),
    queueUrls: Object.fromEntries(
      resourcesOf(template, 'AWS::SQS::Queue').map(({ logicalId }) => [
        logicalId.replace(/[0-9A-F]{8}$/, ''),
        resolve<string>({ Ref: logicalId }),
      ]),
    ),
    portalBus: busArn,
  });
  const { sqs, urlOf } = integrations;
  const arnOf = (queue: StageQueue) => queues.find(({ url }) => url === urlOf(queue))?.arn;

  return {
    integrations,
    queueEndpoint: queueService.endpoint,
    eventEndpoint: eventService.endpoint,
    urlOf,
    /** The events that were put on the bus of the portal. */
    onBus,
    /** Sends a message to a queue, and returns its id. */
    send: async (
      queue: StageQueue,
      body: string | object,
      { groupId, delaySeconds }: { readonly groupId?: string | undefined; readonly delaySeconds?: number } = {},
    ): Promise<string> => {
      const { MessageId = '' } = await sqs.send(
        new SendMessageCommand({
          QueueUrl: urlOf(queue),
          MessageBody: typeof body === 'string' ? body : JSON.stringify(body),
          DelaySeconds: delaySeconds,
          ...(groupId !== undefined && { MessageGroupId: groupId, MessageDeduplicationId: `${Math.random()}` }),
        }),
      );
      return MessageId;
    },
    /** Receives and deletes one batch of messages. */
    drain: async (queue: StageQueue) => {
      const taken = [];
      for (;;) {
        const { Messages = [] } = await sqs.send(
          new ReceiveMessageCommand({
            QueueUrl: urlOf(queue),
            MaxNumberOfMessages: 10,
            MessageSystemAttributeNames: ['All'],
          }),
        );
        if (Messages.length === 0) return taken;
        for (const { ReceiptHandle } of Messages)
          await sqs.send(new DeleteMessageCommand({ QueueUrl: urlOf(queue), ReceiptHandle }));
        taken.push(...Messages);
      }
    },
    /** Starts a task that moves dead letters back to their queue, at this many a second. */
    startMove: async (queue: QueueWithDeadLetters, MaxNumberOfMessagesPerSecond: number) => {
      const [SourceArn, DestinationArn] = await Promise.all([arnOf(`${queue}/deadLetters`), arnOf(queue)]);
      await sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond }));
    },
    purge: (queue: StageQueue) => sqs.send(new PurgeQueueCommand({ QueueUrl: urlOf(queue) })),
    close: async () => {
      integrations.close();
      await queueService.close();
      await eventService.close();
    },
  };
};

export type OpenIntegrations = Awaited<ReturnType<typeof openIntegrations>>;
