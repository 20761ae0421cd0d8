import { EventEmitter } from 'node:events';
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createAccessKeys, startQueueService } from 'serve-stack/services';
import { arnOf, defaultEnvironment as environment } from 'serve-stack/template';

/** Starts one standard queue that needs no credentials. */
export const openQueue = async () => {
  const accessKeys = createAccessKeys();
  const service = await startQueueService({
    environment,
    accessKeys,
    events: new EventEmitter(),
    policyOf: () => () => 'allow',
  });
  const [name, url] = ['queue', `${service.endpoint}/${environment.accountId}/queue`];
  const arn = arnOf(environment, 'sqs', name);
  await service.define([{ constructName: name, name, arn, url, visibilityTimeoutSeconds: 30, attributes: {} }]);
  const principal = { arn: 'arn:aws:sts::000000000000:assumed-role/tester/t', decide: () => 'allow' as const };
  const accessKeyId = accessKeys.issue(principal);
  const client = new SQSClient({
    endpoint: service.endpoint,
    region: environment.region,
    credentials: { accessKeyId, secretAccessKey: 'any' },
  });
  return {
    url,
    client,
    endpoint: service.endpoint,
    accessKeyId,
    region: environment.region,
    /** Receives and deletes a message, and returns its body. */
    take: async (): Promise<string | undefined> => {
      const { Messages: [message] = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl: url }));
      if (message) await client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message.ReceiptHandle }));
      return message?.Body;
    },
    close: async () => {
      client.destroy();
      await service.close();
    },
  };
};
