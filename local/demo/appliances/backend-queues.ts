import { randomUUID } from 'node:crypto';
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SentData, TypeFrom } from '../../../lambdas/api/inbound-events/inbound-events.ts';
import type { RequestedChangeEvent } from '../../../lambdas/api/requested-change.ts';

/** Tells the gateway backend where its queues are, and as whom it asks: all that it gets of the service. */
export type BackendConnection = {
  readonly region: string;
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** URLs of queues. */
  readonly gatewayReports: string;
  readonly requestedChanges: string;
};

/** The queues of the gateway backend. */
export type BackendQueues = {
  /** Waits a moment for requested changes; `done` takes them out of the queue. */
  readonly receive: (
    signal: AbortSignal,
  ) => Promise<{ readonly changes: readonly RequestedChangeEvent[]; readonly done: () => Promise<void> }>;
  /** Resolves when the queue has all reports. */
  readonly send: (reports: readonly GatewayReport[]) => Promise<void>;
  readonly close: () => void;
};

/** SQS takes and hands out no more at once. */
const maxPerCall = 10;

export const connectToQueues = (connection: BackendConnection): BackendQueues => {
  const { region, endpoint, accessKeyId, secretAccessKey, gatewayReports, requestedChanges } = connection;
  const client = new SQSClient({ region, endpoint, credentials: { accessKeyId, secretAccessKey } });
  const sendSome = async (Entries: SendMessageBatchRequestEntry[]) => {
    const { Failed = [] } = await client.send(new SendMessageBatchCommand({ QueueUrl: gatewayReports, Entries }));
    if (Failed[0]) throw new Error(`The queue did not take a report: ${Failed[0].Message ?? Failed[0].Code}`);
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

type ReportType = TypeFrom<'gatewayReports'>;

/** An event of the gateway backend, as docs/integrations.md describes it. */
export type GatewayReport = ReturnType<typeof gatewayReport>;

export const gatewayReport = <Type extends ReportType>(
  type: Type,
  gatewayId: string,
  data: SentData<Type>,
  atMs: number,
) => ({
  specversion: '1.0',
  id: randomUUID(),
  source: 'gateway-backend',
  type: type as ReportType,
  subject: gatewayId,
  time: new Date(atMs).toISOString(),
  data: data as SentData<ReportType>,
});
