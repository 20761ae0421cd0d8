import { dhwCircuitBody } from '../answers/circuit.ts';
import { taggedAnswer } from '../answers/shadow.ts';
import { serve } from '../chain/serve.ts';

export const handler = serve('getDhwCircuit', ({ circuit }) => taggedAnswer(circuit, dhwCircuitBody(circuit)));
