import type { FamilyName } from '../../api/endpoints/circuit-families.ts';
import type { Endpoint, PreloadedItem } from '../../api/endpoints/endpoint.ts';
import {
  type ApplianceItemKey,
  circuitItemKey,
  gatewayItemKey,
  timeProgramItemKey,
} from '../../data/appliances/appliances.ts';
import { readLookup } from '../../data/lookup.ts';
import { bucketIdOf, rateLimitKeyOf, unknownGatewayKeyOf } from '../../domain/rate-limits/rate-limit-key.ts';
import { known, type MiddlewareFactory } from '../call.ts';

/** Reads in one go all that the checks behind it have to know, and what the endpoint wants brought along. */
export const admission: MiddlewareFactory = (endpoint) => ({
  before: async (request) => {
    const { call } = request.context;
    const { companyId, keyId } = known(request, 'presentedKey');
    const ids = call.pathIds ?? {};
    const counter = rateLimitKeyOf(companyId, endpoint.operationId, endpoint.path, ids);
    const read = await readLookup(known(request, 'store'), {
      companyId,
      keyId,
      bucketId: bucketIdOf(counter),
      gatewayId: ids.gatewayId,
      preloads: preloadsOf(endpoint, ids),
    });
    const isMiss = ids.gatewayId !== undefined && !read.isGatewayGranted;
    call.admission = read;
    call.counter = isMiss ? unknownGatewayKeyOf(companyId) : counter;
    call.ratePolicy = isMiss ? 'general' : endpoint.ratePolicy;
    call.bucketArrivalMs = isMiss ? 0 : read.bucketArrivalMs;
  },
});

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
