import { createHash } from 'node:crypto';
import { type RequestedChangeEvent, requestedChangeType } from '../api/requested-change.ts';
import { changeItemOf } from '../data/appliances/appliances.ts';
import type { OpenChange } from '../data/appliances/open-since-index.ts';
import type { FifoMessage } from '../runtime/senders.ts';

/**
 * Returns the message for the gateway's backend about an open change. The event's id is the same for each delivery of the same
 * version of the same item; `delivery` distinguishes deliveries that are repeated on purpose, so that the queue does not drop
 * them as repeats.
 */
export const requestedChangeMessage = (
  { gatewayId, sk, version, desired, desiredBy }: OpenChange,
  delivery = '',
): FifoMessage => {
  const id = digestOf(gatewayId, sk, String(version));
  const event = {
    specversion: '1.0',
    id,
    source: 'partner-api',
    type: requestedChangeType,
    subject: gatewayId,
    time: new Date(desiredBy.atMs).toISOString(),
    data: {
      item: changeItemOf(sk),
      version,
      desired,
      companyId: desiredBy.companyId,
      requestId: desiredBy.requestId,
    },
  } satisfies RequestedChangeEvent;
  return { body: JSON.stringify(event), groupId: gatewayId, deduplicationId: digestOf(id, delivery) };
};

const digestOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('|')).digest('base64url');
