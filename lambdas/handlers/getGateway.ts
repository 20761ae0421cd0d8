import { serve } from '../chain/serve.ts';
import { presentGateway } from '../domain/appliances/appliance.ts';
import { gatewayOf } from '../remote-control/preloaded.ts';

export const handler = serve('getGateway', (call) => ({ body: presentGateway(gatewayOf(call), call.nowMs) }));
