import { heatingCircuitBody } from '../answers/circuit.ts';
import { taggedAnswer } from '../answers/shadow.ts';
import { serve } from '../chain/serve.ts';

export const handler = serve('getHeatingCircuit', ({ circuit }) => taggedAnswer(circuit, heatingCircuitBody(circuit)));
