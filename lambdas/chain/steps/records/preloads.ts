import type { FamilyName } from '../../../api/endpoints/circuit-endpoints.ts';
import type { Endpoint, PreloadedItem } from '../../../api/endpoints/endpoint.ts';
import {
  type ApplianceItemKey,
  circuitItemKey,
  gatewayItemKey,
  timeProgramItemKey,
} from '../../../data/appliances/appliances.ts';
import { readPreloads } from '../../../data/lookup.ts';
import type { Step } from '../step.ts';

/** Begins to read what the endpoint wants brought along, while the token is consumed, unless the lookup has brought it. */
export const preloads: Step<'preloads'> =
  (endpoint) =>
  ({ store, lookup: { isGatewayGranted, preloaded }, pathIds = {} }) => {
    if (preloaded || !isGatewayGranted || !endpoint.preloads) return { preloaded: Promise.resolve(preloaded ?? {}) };
    const reading = readPreloads(store, preloadsOf(endpoint, pathIds));
    // A failure is met where the items are awaited, which a refused request never reaches.
    reading.catch(() => undefined);
    return { preloaded: reading };
  };

type Ids = Readonly<Record<string, string>>;

/** The items that an endpoint wants brought along, by the names that it has for them. */
export const preloadsOf = ({ preloads = [], family }: Endpoint, ids: Ids): Record<string, ApplianceItemKey> =>
  Object.fromEntries(preloads.map((item) => [item, itemKeys[item](ids, family as FamilyName)]));

/** Rows that preload a circuit or a time program are those of a family. */
const itemKeys: Readonly<Record<PreloadedItem, (ids: Ids, family: FamilyName) => ApplianceItemKey>> = {
  gateway: ({ gatewayId = '' }) => gatewayItemKey(gatewayId),
  circuit: ({ gatewayId = '', circuitId = '' }, family) => circuitItemKey(gatewayId, family, circuitId),
  timeProgram: ({ gatewayId = '', circuitId = '', timeProgramId = '' }, family) =>
    timeProgramItemKey(gatewayId, family, circuitId, timeProgramId),
};
