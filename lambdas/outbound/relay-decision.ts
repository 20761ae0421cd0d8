import { listOpenChanges, type OpenChange } from '../data/appliances/open-since-index.ts';
import type { Store } from '../data/store/store.ts';
import { itemChangeOf, type StreamRecord } from '../data/store/stream-record.ts';
import type { Shadow } from '../domain/appliance.ts';
import type { StoredFacts } from '../domain/gateway.ts';

/** The changes that the backend gets because of a record, why, and what distinguishes this delivery from the first one. */
type ChangesToSend = {
  readonly changes: readonly OpenChange[];
  readonly outcome: 'sent' | 'reconnected';
  readonly delivery: string;
};

/**
 * Returns what a change of an item asks for: one requested change, or all open changes of a gateway that is online again.
 * Returns undefined if it asks for nothing.
 */
export const changesToSend = async (store: Store, change: ApplianceChange): Promise<ChangesToSend | undefined> => {
  if (isReconnected(change)) {
    const delivery = String(change.after?.facts?.connectivity?.atMs);
    return { changes: await listOpenChanges(store, change.gatewayId), outcome: 'reconnected', delivery };
  }
  return isRequested(change) ? { changes: [change.after as OpenChange], outcome: 'sent', delivery: '' } : undefined;
};

/** An item of Appliances before and after a change, from the table's stream. */
type ApplianceChange = {
  readonly gatewayId: string;
  readonly sk: string;
  readonly before: Item | undefined;
  /** Undefined if the item was deleted. */
  readonly after: Item | undefined;
};

type Item = Readonly<Partial<Shadow>> & { readonly facts?: StoredFacts };

/** Returns the change in a record. Throws if an image is not in DynamoDB's format. */
export const applianceChangeOf = (record: StreamRecord): ApplianceChange => {
  const { keys, before, after } = itemChangeOf(record);
  return { ...(keys as Pick<ApplianceChange, 'gatewayId' | 'sk'>), before, after };
};

/** Returns whether the record is a partner's requested change of the item. */
const isRequested = ({ before, after }: ApplianceChange): boolean =>
  after?.desired !== undefined && (after.version ?? 0) > (before?.version ?? 0);

/**
 * Returns whether the gateway has reported with this change that it is online: messages sent while it was offline may be
 * lost.
 */
const isReconnected = ({ before, after }: ApplianceChange): boolean =>
  after?.facts?.connectivity?.connectivity === 'online' &&
  after.facts.connectivity.atMs > (before?.facts?.connectivity?.atMs ?? 0);
