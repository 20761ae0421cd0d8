import { CreateQueueCommand, GetQueueUrlCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import type { Environment } from '../template/stack.ts';
import type { QueueDefinition } from './queue-definitions.ts';

/** The number of messages in a queue, as its metrics report it. */
export type QueueDepth = {
  readonly queueName: string;
  readonly visible: number;
  readonly notVisible: number;
  readonly delayed: number;
  /** The sent time of the oldest message that is not deleted. */
  readonly oldestSentAtMs: number | undefined;
};

/** A queue engine, which grants everyone everything. */
export type QueueEngine = {
  readonly endpoint: string;
  /** A client that bypasses the functions' roles and the queues' policies. */
  readonly client: SQSClient;
  /** Creates or updates the queues as defined. Their messages remain. */
  readonly define: (queues: readonly QueueDefinition[]) => Promise<void>;
  readonly depthOf: (queueName: string) => Promise<QueueDepth>;
  readonly close: () => Promise<void>;
};

/** The engine's own view of a queue, in addition to SQS's operations. */
type Inspection = {
  readonly messages: {
    readonly ready: readonly Sent[];
    readonly delayed: readonly Sent[];
    readonly inflight: readonly { readonly message: Sent }[];
  };
};
type Sent = { readonly sentTimestamp: number };

/** Every queue of the engine belongs to this account. */
const engineAccountId = '000000000000';

/** These cannot be set again on an existing queue: its name says whether it is first in, first out. */
const fixedAttributes = ['DeduplicationScope', 'FifoQueue', 'FifoThroughputLimit'];

/** Starts the engine on a free port of the loopback address. */
export const startQueueEngine = async ({ region, accountId }: Environment): Promise<QueueEngine> => {
  await takeAllCharacters();
  const app = buildApp({ logger: false, defaultRegion: region });
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 });
  const client = new SQSClient({
    endpoint,
    region,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });

  const define = async ({ name, attributes }: QueueDefinition) => {
    const Attributes = { ...attributes };
    const { RedrivePolicy } = attributes;
    if (RedrivePolicy) Attributes.RedrivePolicy = RedrivePolicy.replace(`:${accountId}:`, `:${engineAccountId}:`);
    const existing = await client.send(new GetQueueUrlCommand({ QueueName: name })).catch(() => undefined);
    if (existing === undefined) return client.send(new CreateQueueCommand({ QueueName: name, Attributes }));
    for (const fixed of fixedAttributes) delete Attributes[fixed];
    return client.send(new SetQueueAttributesCommand({ QueueUrl: existing.QueueUrl, Attributes }));
  };

  return {
    endpoint,
    client,
    define: async (queues) => void (await Promise.all(queues.map(define))),
    depthOf: async (queueName) => {
      const response = await fetch(`${endpoint}/_fauxqs/queues/${queueName}`);
      const { ready, delayed, inflight } = ((await response.json()) as Inspection).messages;
      const sentAtMs = [...ready, ...inflight.map(({ message }) => message)].map(({ sentTimestamp }) => sentTimestamp);
      return {
        queueName,
        visible: ready.length,
        notVisible: inflight.length,
        delayed: delayed.length,
        oldestSentAtMs: sentAtMs.length > 0 ? sentAtMs.reduce((oldest, each) => Math.min(oldest, each)) : undefined,
      };
    },
    close: async () => {
      client.destroy();
      await app.close();
    },
  };
};

/** The characters that SQS refuses in a message. */
const refusedCharacter = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/** Replaces the engine's check, which tests surrogate halves and would refuse all characters beyond U+FFFF, such as emojis. */
const takeAllCharacters = async () => {
  const rules = new URL('sqs/sqsTypes.js', import.meta.resolve('fauxqs'));
  const { INVALID_MESSAGE_BODY_CHAR } = await import(rules.href);
  INVALID_MESSAGE_BODY_CHAR.test = (text: string) => refusedCharacter.test(text);
};
