import { readGateways } from '../data/appliances.ts';
import { listGrantedGatewayIds } from '../data/contracts.ts';
import { presentGateway } from '../domain/appliance.ts';
import { serve } from '../middleware/serve.ts';
import { pageAnswer, pageStart } from '../operations/pages.ts';

export const handler = serve('listGateways', async (call) => {
  const { store, contract, query, nowMs } = call;
  const { gatewayIds, next } = await listGrantedGatewayIds(store, contract.companyId, query.limit, pageStart(call));
  const gateways = new Map((await readGateways(store, gatewayIds)).map((gateway) => [gateway.gatewayId, gateway]));
  const items = gatewayIds.flatMap((gatewayId) => {
    const gateway = gateways.get(gatewayId);
    return gateway ? [presentGateway(gateway, nowMs)] : [];
  });
  return pageAnswer(call, items, next);
});
