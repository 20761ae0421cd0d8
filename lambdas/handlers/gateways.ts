import {
  connectivityOf,
  energyOfDayBody,
  energyOfHourBody,
  gatewayBody,
  gatewayPartOf,
  measurementBody,
} from '../answers/appliances.ts';
import { homeAnswer, homeStart, includesTimePrograms } from '../answers/home.ts';
import { pageAnswer, pageStart } from '../answers/pages.ts';
import type { FamilyName } from '../api/endpoints/circuit-endpoints.ts';
import { Problem } from '../api/problems.ts';
import { gatewayProblem } from '../chain/preloads.ts';
import { serve } from '../chain/serve.ts';
import { readGateways } from '../data/appliances/appliances.ts';
import { readEnergy } from '../data/appliances/energy.ts';
import { readHome } from '../data/appliances/home.ts';
import { readHours } from '../data/appliances/hourly-energy.ts';
import { readMeasurements } from '../data/appliances/measurements.ts';
import type { Circuit } from '../domain/appliance.ts';
import { type Contract, gatewayPage, grantIn } from '../domain/contract.ts';
import { availableFrom, hoursAvailableFrom, hoursOf, periodOf } from '../domain/energy.ts';
import { seesSinceMs } from '../domain/feed-event.ts';
import type { Grant } from '../domain/grant.ts';
import { measuredSince, measurementsIn, shownAt } from '../domain/measurement.ts';
import { toTimestamp } from '../domain/time.ts';

export const listGateways = /* @__PURE__ */ serve('listGateways', async (call) => {
  const { store, contract, query, nowMs } = call;
  const start = pageStart(call);
  if (start instanceof Problem) return start;
  const { gatewayIds, next } = gatewayPage(contract, query.limit, start);
  const gateways = new Map((await readGateways(store, gatewayIds)).map((gateway) => [gateway.gatewayId, gateway]));
  const itemOf = (gatewayId: string) => {
    const gateway = gateways.get(gatewayId);
    return gateway && gatewayBody(gateway, nowMs);
  };
  return pageAnswer(call, gatewayIds, { itemOf, positionOf: (gatewayId) => gatewayId, next });
});

export const getGateway = /* @__PURE__ */ serve('getGateway', async (call) => {
  const { store, pathIds, query, gateway, nowMs } = call;
  const after = homeStart(call);
  if (after instanceof Problem) return after;
  const body = gatewayBody(gateway, nowMs);
  if (query.include === undefined) return { body };
  const withTimePrograms = includesTimePrograms(call);
  const partOf = <Family extends FamilyName>(family: Family, circuit: Circuit) =>
    gatewayPartOf(gateway, family, circuit, nowMs);
  const { roomBehind, answerOf } = homeAnswer(call, body, partOf);
  return answerOf(await readHome(store, pathIds.gatewayId, { withTimePrograms, after, roomBehind }));
});

export const getEnergy = /* @__PURE__ */ serve('getEnergy', async ({ store, contract, pathIds, query, nowMs }) => {
  const { gatewayId } = pathIds;
  const first = availableFrom(sinceMsOf(contract, gatewayId), nowMs);
  const { from, to } = periodOf(query, nowMs);
  const days = await readEnergy(store, gatewayId, { from: from > first ? from : first, to });
  const problem = days.length === 0 ? await gatewayProblem(store, pathIds) : undefined;
  if (problem) return problem;
  return { body: { gatewayId, availableFrom: first, days: days.map(energyOfDayBody) } };
});

export const getHourlyEnergy = /* @__PURE__ */ serve('getHourlyEnergy', async (call) => {
  const { store, contract, pathIds, query, nowMs } = call;
  const { gatewayId } = pathIds;
  const firstMs = hoursAvailableFrom(sinceMsOf(contract, gatewayId), nowMs);
  const { fromMs, toMs } = hoursOf(query, nowMs);
  const hours = await readHours(store, gatewayId, { fromMs: Math.max(fromMs, firstMs), toMs });
  const problem = hours.length === 0 ? await gatewayProblem(store, pathIds) : undefined;
  if (problem) return problem;
  return { body: { gatewayId, availableFrom: toTimestamp(firstMs), hours: hours.map(energyOfHourBody) } };
});

export const getMeasurements = /* @__PURE__ */ serve('getMeasurements', async (call) => {
  const { store, contract, pathIds, gateway, nowMs } = call;
  const { gatewayId } = pathIds;
  const sinceMs = sinceMsOf(contract, gatewayId);
  const shown = measuredSince(shownAt(await readMeasurements(store, gatewayId), nowMs), sinceMs);
  return { body: { gatewayId, ...connectivityOf(gateway), measurements: measurementsIn(shown).map(measurementBody) } };
});

/** Returns since when the company may see what the gateway has measured. The chain admits only gateways of the contract. */
const sinceMsOf = (contract: Contract, gatewayId: string): number =>
  seesSinceMs(contract, grantIn(contract, gatewayId) as Grant);
