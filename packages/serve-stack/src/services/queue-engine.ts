import { CreateQueueCommand, GetQueueUrlCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import type { Environment } from '../template/template.ts';
import type { QueueDefinition } from './queue-definitions.ts';

/** What a queue holds, as its metrics tell it. */
export type QueueDepth = {
  readonly queueName: string;
  readonly visible: number;
  readonly notVisible: number;
  readonly delayed: number;
  /** When the oldest message was sent that nobody has deleted. */
  readonly oldestSentAtMs: number | undefined;
};

/** An engine of queues: it grants everything to everyone. */
export type QueueEngine = {
  readonly endpoint: string;
  /** Reaches it past the functions' roles and the queues' policies. */
  readonly client: SQSClient;
  /** Lets the queues be as they are defined; what is in them stays. */
  readonly define: (queues: readonly QueueDefinition[]) => Promise<void>;
  readonly depthOf: (queueName: string) => Promise<QueueDepth>;
  readonly close: () => Promise<void>;
};

/** What the engine tells of a queue beside SQS's own operations. */
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

/** Once a queue is there, these cannot be told again: its name says whether it is first in, first out. */
const fixedAttributes = ['DeduplicationScope', 'FifoQueue', 'FifoThroughputLimit'];

/** Starts the engine on a free port of this machine alone. */
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

/** What SQS refuses in a message. */
const refusedCharacter = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/** The engine looks at halves of characters, and would refuse all beyond U+FFFF: every emoji. */
const takeAllCharacters = async () => {
  const rules = new URL('sqs/sqsTypes.js', import.meta.resolve('fauxqs'));
  const { INVALID_MESSAGE_BODY_CHAR } = await import(rules.href);
  INVALID_MESSAGE_BODY_CHAR.test = (text: string) => refusedCharacter.test(text);
};
