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
import { createResolver, loadStack, resourcesOf, type Stack } from 'serve-stack/template';
import { inject } from 'vitest';
import type { QueueWithDeadLetters } from '../../lambdas/api/queues.ts';
import {
  type Integrations,
  integrationsOf,
  portalBusLogicalName,
  type StageQueue,
} from '../../operator/integrations/integrations.ts';

/** The stage is no sandbox; the commands for its simulated homes need only its queue of controls. */
const withControls = ({ template, ...stack }: Stack): Stack => ({
  ...stack,
  template: {
    ...template,
    Resources: {
      ...template.Resources,
      SandboxControls00000000: { Type: 'AWS::SQS::Queue', Properties: {} },
    },
  },
});

/**
 * The queues and the bus of a template, the synthesized one with a queue of controls by default, without their consumers: a test
 * can inspect the messages that were sent.
 */
export const openIntegrations = async (
  accessKeys: AccessKeys = createAccessKeys(),
  stack: Stack = withControls(loadStack(inject('assemblyDirectory'))),
) => {
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
  const addresses = {
    sqs: new SQSClient({ endpoint: queueService.endpoint, region, credentials }),
    events: new EventBridgeClient({ endpoint: eventService.endpoint, region, credentials }),
    queueUrls: Object.fromEntries(
      resourcesOf(template, 'AWS::SQS::Queue').map(({ logicalId }) => [
        logicalId.replace(/[0-9A-F]{8}$/, ''),
        resolve<string>({ Ref: logicalId }),
      ]),
    ),
    portalBus: busArn,
  };
  const integrations: Integrations = integrationsOf(addresses);
  const { sqs, urlOf } = integrations;
  const arnOf = (queue: StageQueue) => queues.find(({ url }) => url === urlOf(queue))?.arn;

  const drain = async (QueueUrl: string) => {
    const taken = [];
    for (;;) {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] }),
      );
      if (Messages.length === 0) return taken;
      for (const { ReceiptHandle } of Messages) await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      taken.push(...Messages);
    }
  };

  return {
    integrations,
    addresses,
    queueEndpoint: queueService.endpoint,
    eventEndpoint: eventService.endpoint,
    urlOf,
    /** Receives and deletes the controls that were sent. */
    drainControls: () => drain(integrations.urlOfControls()),
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
    /** Receives and deletes all messages of a queue. */
    drain: (queue: StageQueue) => drain(urlOf(queue)),
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
