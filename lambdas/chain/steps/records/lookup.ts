import type { FamilyName } from '../../../api/endpoints/circuit-families.ts';
import type { Endpoint, PreloadedItem } from '../../../api/endpoints/endpoint.ts';
import {
  type ApplianceItemKey,
  circuitItemKey,
  gatewayItemKey,
  timeProgramItemKey,
} from '../../../data/appliances/appliances.ts';
import { readLookup } from '../../../data/lookup.ts';
import { bucketIdOf, rateLimitKeyOf, unknownGatewayKeyOf } from '../../../domain/rate-limits/rate-limit-key.ts';
import type { Step } from '../step.ts';

/** Reads in one go all that the steps behind it have to know, and what the endpoint wants brought along. */
export const lookup: Step<'lookup'> =
  (endpoint) =>
  async ({ store, presentedKey: { companyId, keyId }, pathIds: ids = {} }) => {
    const rateLimitKey = rateLimitKeyOf(companyId, endpoint.operationId, endpoint.path, ids);
    const found = await readLookup(store, {
      companyId,
      keyId,
      bucketId: bucketIdOf(rateLimitKey),
      gatewayId: ids.gatewayId,
      preloads: preloadsOf(endpoint, ids),
    });
    const isMiss = ids.gatewayId !== undefined && !found.isGatewayGranted;
    return isMiss
      ? { lookup: found, rateLimitKey: unknownGatewayKeyOf(companyId), ratePolicy: 'general', seenArrivalMs: 0 }
      : { lookup: found, rateLimitKey, ratePolicy: endpoint.ratePolicy, seenArrivalMs: found.bucketArrivalMs };
  };

type Ids = Readonly<Record<string, string>>;

const preloadsOf = ({ preloads = [], family }: Endpoint, ids: Ids): Record<string, ApplianceItemKey> =>
  Object.fromEntries(preloads.map((item) => [item, itemKeys[item](ids, family as FamilyName)]));

/** Rows that preload a circuit or a time program are those of a family. */
const itemKeys: Readonly<Record<PreloadedItem, (ids: Ids, family: FamilyName) => ApplianceItemKey>> = {
  gateway: ({ gatewayId = '' }) => gatewayItemKey(gatewayId),
  circuit: ({ gatewayId = '', circuitId = '' }, family) => circuitItemKey(gatewayId, family, circuitId),
  timeProgram: ({ gatewayId = '', circuitId = '', timeProgramId = '' }, family) =>
    timeProgramItemKey(gatewayId, family, circuitId, timeProgramId),
};
