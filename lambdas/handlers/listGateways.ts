import { pageAnswer, pageStart } from '../answers/pages.ts';
import { serve } from '../chain/serve.ts';
import { readGateways } from '../data/appliances/appliances.ts';
import { listGrantedGatewayIds } from '../data/contracts/contracts.ts';
import { presentGateway } from '../domain/appliances/appliance.ts';

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
