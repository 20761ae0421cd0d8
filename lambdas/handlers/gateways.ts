import { gatewayBody } from '../answers/appliances.ts';
import { pageAnswer, pageStart } from '../answers/pages.ts';
import { Problem } from '../api/problems.ts';
import { serve } from '../chain/serve.ts';
import { readGateways } from '../data/appliances/appliances.ts';
import { gatewayPage } from '../domain/contract.ts';

export const listGateways = /* @__PURE__ */ serve('listGateways', async (call) => {
  const { store, contract, query, nowMs } = call;
  const start = pageStart(call);
  if (start instanceof Problem) return start;
  const { gatewayIds, next } = gatewayPage(contract, query.limit, start);
  const gateways = new Map((await readGateways(store, gatewayIds)).map((gateway) => [gateway.gatewayId, gateway]));
  const items = gatewayIds.flatMap((gatewayId) => {
    const gateway = gateways.get(gatewayId);
    return gateway ? [gatewayBody(gateway, nowMs)] : [];
  });
  return pageAnswer(call, items, next);
});

export const getGateway = /* @__PURE__ */ serve('getGateway', ({ gateway, nowMs }) => ({
  body: gatewayBody(gateway, nowMs),
}));
