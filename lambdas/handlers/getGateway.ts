import { gatewayBody } from '../answers/gateway.ts';
import { serve } from '../chain/serve.ts';

export const handler = serve('getGateway', ({ gateway, nowMs }) => ({ body: gatewayBody(gateway, nowMs) }));
