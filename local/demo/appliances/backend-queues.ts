import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { RequestedChangeEvent } from '../../../lambdas/api/requested-change.ts';
import type { GatewayReport } from '../../../simulator/gateway-report.ts';

/** The endpoint, credentials and queue URLs of the gateway backend. It has no other access to the service. */
export type BackendConnection = {
  readonly region: string;
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Queue URLs. */
  readonly gatewayReports: string;
  readonly requestedChanges: string;
};

/** The queues of the gateway backend. */
export type BackendQueues = {
  /** Receives up to 10 requested changes, waiting at most one second. `done` deletes them from the queue. */
  readonly receive: (
    signal: AbortSignal,
  ) => Promise<{ readonly changes: readonly RequestedChangeEvent[]; readonly done: () => Promise<void> }>;
  /** Sends reports. Resolves when the queue has all of them. */
  readonly send: (reports: readonly GatewayReport[]) => Promise<void>;
  readonly close: () => void;
};

/** SQS sends and receives at most this many messages per call. */
const maxPerCall = 10;

export const connectToQueues = (connection: BackendConnection): BackendQueues => {
  const { region, endpoint, accessKeyId, secretAccessKey, gatewayReports, requestedChanges } = connection;
  const client = new SQSClient({ region, endpoint, credentials: { accessKeyId, secretAccessKey } });
  const sendSome = async (Entries: SendMessageBatchRequestEntry[]) => {
    const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: gatewayReports, Entries }));
    if (Failed[0]) throw new Error(`The queue rejected a report: ${Failed[0].Message ?? Failed[0].Code}`);
  };
  return {
    receive: async (abortSignal) => {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: requestedChanges,
          MaxNumberOfMessages: maxPerCall,
          WaitTimeSeconds: 1,
        }),
        { abortSignal },
      );
      return {
        changes: Messages.map(({ Body = '' }) => JSON.parse(Body) as RequestedChangeEvent),
        done: async () => {
          for (const { ReceiptHandle } of Messages)
            await client.send(new DeleteMessageCommand({ QueueUrl: requestedChanges, ReceiptHandle }));
        },
      };
    },
    send: async (reports) => {
      const entries = reports.map((report, index) => ({
        Id: String(index),
        MessageBody: JSON.stringify(report),
        MessageGroupId: report.subject,
      }));
      for (let first = 0; first < entries.length; first += maxPerCall)
        await sendSome(entries.slice(first, first + maxPerCall));
    },
    close: () => client.destroy(),
  };
};
