import { pageAnswer, pageStart } from '../answers/pages.ts';
import type { CircuitFamily, FamilyName } from '../api/endpoints/circuit-families.ts';
import type { AdmittedCall } from '../chain/serve.ts';
import { circuitItemKey, listCircuits as readCircuits, timeProgramItemKey } from '../data/appliances/appliances.ts';
import { requestChange } from '../data/appliances/requested-changes.ts';
import { type Circuit, presentShadow } from '../domain/appliances/appliance.ts';
import { entityTagOf } from '../domain/appliances/entity-tag.ts';
import { requestedOrProblem } from './change-outcome.ts';
import { circuitOf, gatewayOf } from './preloaded.ts';

/** What the handlers of both families do. An item holds what the schemas of its family say; `Body` is their type of it. */

export const listCircuits = async <Body>(
  family: FamilyName,
  call: AdmittedCall<'listHeatingCircuits'> | AdmittedCall<'listDhwCircuits'>,
) => {
  const { store, query, pathIds } = call;
  const place = { gatewayId: pathIds.gatewayId, family };
  const { circuits, next } = await readCircuits(store, place, query.limit, pageStart(call));
  return pageAnswer(call, circuits.map(presentCircuit<Body>), next);
};

export const getCircuit = <Body>(call: AdmittedCall<'getHeatingCircuit'> | AdmittedCall<'getDhwCircuit'>) => {
  const circuit = circuitOf(call);
  return { headers: { ETag: entityTagOf(circuit.version) }, body: presentCircuit<Body>(circuit) };
};

export const updateCircuit = async <Body>(
  { name: family, circuitFunction: uses }: CircuitFamily,
  call: AdmittedCall<'updateHeatingCircuit'> | AdmittedCall<'updateDhwCircuit'>,
) => {
  const { store, auditContext, nowMs, ifMatch, body, pathIds } = call;
  const { gatewayId, circuitId } = pathIds;
  const [item, gateway] = [circuitOf(call), gatewayOf(call)];
  const { activeTimeProgramId: programId } = body;
  const outcome = await requestChange(store, auditContext, {
    gateway,
    uses,
    key: circuitItemKey(gatewayId, family, circuitId),
    item,
    values: body,
    ifMatch,
    refersTo: programId === undefined ? undefined : timeProgramItemKey(gatewayId, family, circuitId, programId),
    target: { gatewayId, circuitId, family },
  });
  const circuit = requestedOrProblem(outcome, { uses, nowMs, missing: 'circuit-not-found' });
  return {
    headers: { ETag: entityTagOf(circuit.version) },
    body: { ...presentCircuit<Body>(circuit), connectivity: gateway.connectivity },
  };
};

const presentCircuit = <Body>(circuit: Circuit): Body => {
  const { gatewayId, circuitId } = circuit;
  return { gatewayId, circuitId, ...presentShadow(circuit) } as Body;
};
