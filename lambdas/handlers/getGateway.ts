import { presentGateway } from '../domain/appliance.ts';
import { serve } from '../middleware/serve.ts';
import { gatewayOf } from '../operations/preloaded.ts';

export const handler = serve('getGateway', (call) => ({ body: presentGateway(gatewayOf(call), call.nowMs) }));
