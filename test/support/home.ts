import type { FamilyName } from '../../lambdas/api/endpoints/circuit-endpoints.ts';
import type { OperationId } from '../../lambdas/api/endpoints/endpoints.ts';
import { circuitItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { timeProgramItemKey } from '../../lambdas/data/appliances/time-programs.ts';
import { putShadow, reportedCircuits, reportedProgram } from './appliance.ts';
import { type CallOptions, call, equipCompany, goodCall } from './call.ts';
import { startMs, theWorld } from './world.ts';

export type Ask = Awaited<ReturnType<typeof openHome>>['ask'];

/** A company with a gateway. Its calls are far enough apart never to exceed a rate limit. */
export const openHome = async () => {
  const company = await equipCompany(theWorld().store);
  let calls = 0;
  const ask = (operationId: OperationId, options: CallOptions = {}, ids: Record<string, string> = {}) => {
    const good = goodCall(operationId, company);
    const nowMs = startMs + 10 * calls++;
    return call(operationId, {
      ...good,
      nowMs: nowMs + 60_000 * calls,
      ...options,
      pathParameters: { ...good.pathParameters, ...ids },
    });
  };
  return { ...company, ask };
};

/** Reads a home without `include`: one call for each list. */
export const readPartByPart = async (ask: Ask) => {
  const circuitsOf = async (list: OperationId, programs: OperationId) => {
    const circuits = [];
    for (const circuit of (await ask(list)).body.items) {
      const { items } = (await ask(programs, {}, { circuitId: circuit.circuitId })).body;
      circuits.push({ ...circuit, timePrograms: items });
    }
    return circuits;
  };
  return {
    ...(await ask('getGateway')).body,
    heatingCircuits: await circuitsOf('listHeatingCircuits', 'listHeatingTimePrograms'),
    dhwCircuits: await circuitsOf('listDhwCircuits', 'listDhwTimePrograms'),
  };
};

const standing = { reportedAtMs: startMs, receivedAtMs: startMs, version: 1 };

export const putCircuit = (gatewayId: string, family: FamilyName, circuitId: string, store = theWorld().store) =>
  putShadow(
    store,
    circuitItemKey(gatewayId, family, circuitId),
    { circuitId },
    { reported: reportedCircuits[family], ...standing },
  );

type CircuitIds = { readonly gatewayId: string; readonly family: FamilyName; readonly circuitId: string };

export const putProgram = (
  { gatewayId, family, circuitId }: CircuitIds,
  timeProgramId: string,
  switchPoints: object[],
  store = theWorld().store,
) =>
  putShadow(
    store,
    timeProgramItemKey(gatewayId, family, circuitId, timeProgramId),
    { timeProgramId },
    { reported: { ...reportedProgram, switchPoints }, ...standing },
  );

export const pointsOf = (count: number) => Array(count).fill(reportedProgram.switchPoints[0]);
