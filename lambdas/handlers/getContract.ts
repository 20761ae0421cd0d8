import { contractBody } from '../answers/contract.ts';
import { serve } from '../chain/serve.ts';

export const handler = serve('getContract', ({ contract, settings }) => ({ body: contractBody(contract, settings) }));
