import { createHash } from 'node:crypto';
import { type RequestedChangeEvent, requestedChangeType } from '../../api/requested-change.ts';
import type { Requester, Shadow } from '../../domain/appliance.ts';
import type { FifoMessage } from '../senders.ts';
import type { Store } from '../store/store.ts';
import { changeItemOf, readShadows, type StoredShadow } from './appliances.ts';

/** A requested change that its appliance has not fulfilled yet: the item by its sort key, and all that is desired of it. */
export type OpenChange = {
  readonly gatewayId: string;
  readonly sk: string;
  readonly version: number;
  readonly desired: NonNullable<Shadow['desired']>;
  readonly desiredBy: Requester;
};

/** The requested changes of a gateway that are open, strongly consistent. Throws StoreUnavailableError. */
export const listOpenChanges = async (store: Store, gatewayId: string): Promise<OpenChange[]> =>
  (await readShadows(store, gatewayId)).flatMap(openChangeOf(gatewayId));

const openChangeOf =
  (gatewayId: string) =>
  ({ sk, version, desired, desiredBy }: StoredShadow): OpenChange[] =>
    desired && desiredBy ? [{ gatewayId, sk, version, desired, desiredBy }] : [];

/**
 * Words an open change for the gateway's backend. The event's id is the same for each delivery of the same version of the same
 * item; `delivery` tells deliveries apart that are meant to be one more, so that the queue does not take them for repeats.
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
