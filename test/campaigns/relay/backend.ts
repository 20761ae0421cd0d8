import type { RequestedChangeEvent } from '../../../lambdas/api/outbound-events/requested-change.ts';
import type { FifoMessage, SendToQueue } from '../../../lambdas/data/queues/queue-sender.ts';

export type Change = { readonly gatewayId: string; readonly item: string; readonly version: number };

/** A FIFO queue that takes each deduplication id once, as SQS does with what is sent again within five minutes. */
export const openQueue = () => {
  const taken = new Set<string>();
  const sent: Change[] = [];
  const send: SendToQueue = async (_queue, { body, groupId, deduplicationId }: FifoMessage) => {
    if (taken.has(deduplicationId)) return;
    taken.add(deduplicationId);
    const { data } = JSON.parse(body) as RequestedChangeEvent;
    sent.push({ gatewayId: groupId, item: JSON.stringify(data.item), version: data.version });
  };
  return { send, sent: sent as readonly Change[] };
};

/** The gateway backend: it applies a version of an item if it is higher than the last, and loses messages now and then. */
export const openBackend = (sent: readonly Change[], isLost: () => boolean) => {
  let losesNothing = false;
  const applied = new Map<string, number[]>();
  let next = 0;
  return {
    /** All that it has applied of an item, in order. */
    versionsOf: (gatewayId: string, { name }: { readonly name: string }): readonly number[] =>
      applied.get(`${gatewayId} ${name}`) ?? [],
    loseNothing: (): void => {
      losesNothing = true;
    },
    receive: (): void => {
      for (; next < sent.length; next++) {
        const change = sent[next] as Change;
        if (!losesNothing && isLost()) continue;
        const key = `${change.gatewayId} ${change.item}`;
        const versions = applied.get(key) ?? [];
        if (change.version > (versions.at(-1) ?? 0)) applied.set(key, [...versions, change.version]);
      }
    },
  };
};

export type Backend = ReturnType<typeof openBackend>;
