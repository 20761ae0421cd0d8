import type { FamilyName } from '../api/circuit-families.ts';
import type { Endpoint, PreloadedItem } from '../api/endpoint.ts';
import { readAdmission } from '../data/admission.ts';
import { type ApplianceItemKey, circuitItemKey, gatewayItemKey, timeProgramItemKey } from '../data/appliances.ts';
import { bucketIdOf, counterOf, missCounterOf } from '../domain/counter.ts';
import { known, type MiddlewareFactory } from './call.ts';

/** Reads in one go all that the checks behind it have to know, and what the endpoint wants brought along. */
export const admission: MiddlewareFactory = (endpoint) => ({
  before: async (request) => {
    const { call } = request.context;
    const { companyId, keyId } = known(request, 'presentedKey');
    const ids = call.pathIds ?? {};
    const counter = counterOf(companyId, endpoint.operationId, endpoint.path, ids);
    const read = await readAdmission(known(request, 'store'), {
      companyId,
      keyId,
      bucketId: bucketIdOf(counter),
      gatewayId: ids.gatewayId,
      preloads: preloadsOf(endpoint, ids),
    });
    const isMiss = ids.gatewayId !== undefined && !read.isGatewayGranted;
    call.admission = read;
    call.counter = isMiss ? missCounterOf(companyId) : counter;
    call.rateClass = isMiss ? 'general' : endpoint.rateClass;
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
