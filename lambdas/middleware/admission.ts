import { readAdmission } from '../data/admission.ts';
import { bucketIdOf, counterOf } from '../domain/counter.ts';
import { known, type MiddlewareFactory } from './call.ts';

/** Reads in one go all that the checks behind it have to know. */
export const admission: MiddlewareFactory = ({ operationId, path }) => ({
  before: async (request) => {
    const { call } = request.context;
    const { companyId, keyId } = known(request, 'presentedKey');
    call.counter = counterOf(companyId, operationId, path, call.pathIds ?? {});
    call.admission = await readAdmission(known(request, 'store'), {
      companyId,
      keyId,
      bucketId: bucketIdOf(call.counter),
    });
    call.bucketArrivalMs = call.admission.bucketArrivalMs;
  },
});
