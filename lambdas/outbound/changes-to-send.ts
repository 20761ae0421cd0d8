import type { Shadow } from '../domain/appliance.ts';
import type { StoredFacts } from '../domain/gateway.ts';

/** An item of Appliances before and after a change of it, as the stream of the table tells it. */
export type ItemChange = {
  readonly gatewayId: string;
  readonly sk: string;
  readonly before: Item | undefined;
  /** Undefined if the item was deleted. */
  readonly after: Item | undefined;
};

type Item = Readonly<Partial<Shadow>> & { readonly facts?: StoredFacts };

/** Whether a partner has requested a change of the item with this. */
export const isRequested = ({ before, after }: ItemChange): boolean =>
  after?.desired !== undefined && (after.version ?? 0) > (before?.version ?? 0);

/** Whether the gateway has told with this that it is online; what was sent while it was not may be lost. */
export const isReconnected = ({ before, after }: ItemChange): boolean =>
  after?.facts?.connectivity?.connectivity === 'online' &&
  after.facts.connectivity.atMs > (before?.facts?.connectivity?.atMs ?? 0);
