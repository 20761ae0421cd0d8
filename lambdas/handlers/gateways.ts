import { gatewayBody } from '../answers/appliances.ts';
import { homeAnswer, homeStart, includesTimePrograms } from '../answers/home.ts';
import { pageAnswer, pageStart } from '../answers/pages.ts';
import { Problem } from '../api/problems.ts';
import { serve } from '../chain/serve.ts';
import { readGateways } from '../data/appliances/appliances.ts';
import { readHome } from '../data/appliances/home.ts';
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

export const getGateway = /* @__PURE__ */ serve('getGateway', async (call) => {
  const { store, pathIds, query, gateway, nowMs } = call;
  const after = homeStart(call);
  if (after instanceof Problem) return after;
  const body = gatewayBody(gateway, nowMs);
  if (query.include === undefined) return { body };
  const withTimePrograms = includesTimePrograms(call);
  return homeAnswer(call, body, await readHome(store, pathIds.gatewayId, { withTimePrograms, after }));
});
