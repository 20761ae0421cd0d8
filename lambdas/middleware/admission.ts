import type { Endpoint } from '../api/endpoint.ts';
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

const preloadsOf = (
  { preloads = [], family = 'heating' }: Endpoint,
  { gatewayId = '', circuitId = '', timeProgramId = '' }: Readonly<Record<string, string>>,
): Record<string, ApplianceItemKey> => {
  const keys = {
    gateway: gatewayItemKey(gatewayId),
    circuit: circuitItemKey(gatewayId, family, circuitId),
    timeProgram: timeProgramItemKey(gatewayId, family, circuitId, timeProgramId),
  };
  return Object.fromEntries(preloads.map((item) => [item, keys[item]]));
};
