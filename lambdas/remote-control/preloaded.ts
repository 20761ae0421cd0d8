import { Problem } from '../api/problem.ts';
import { toCircuit, toGateway, toTimeProgram } from '../data/appliances/appliances.ts';
import type { Lookup } from '../data/lookup.ts';
import { StoreUnavailableError } from '../data/store/store-errors.ts';
import type { Circuit, Gateway, TimeProgram } from '../domain/appliances/appliance.ts';

type PreloadCall = { readonly preloaded: Lookup['preloaded'] };

/** What the batch read has brought along, or the problem that says what of it there is not. */

export const gatewayOf = ({ preloaded: { gateway } }: PreloadCall): Gateway => {
  if (gateway) return toGateway(gateway);
  throw new StoreUnavailableError('The contract covers a gateway of which the Appliances table knows nothing yet.');
};

export const circuitOf = ({ preloaded: { circuit } }: PreloadCall): Circuit => {
  if (circuit) return toCircuit(circuit);
  throw new Problem('circuit-not-found');
};

export const timeProgramOf = (call: PreloadCall): TimeProgram => {
  circuitOf(call);
  if (call.preloaded.timeProgram) return toTimeProgram(call.preloaded.timeProgram);
  throw new Problem('time-program-not-found');
};
