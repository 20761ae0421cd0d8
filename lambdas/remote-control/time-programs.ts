import { pageAnswer, pageStart } from '../answers/pages.ts';
import type { CircuitFamily, FamilyName } from '../api/endpoints/circuit-families.ts';
import { maxReportedErrors } from '../api/limits.ts';
import { Problem } from '../api/problem.ts';
import type { AdmittedCall } from '../chain/serve.ts';
import { listTimePrograms as readTimePrograms, timeProgramItemKey } from '../data/appliances/appliances.ts';
import { requestChange } from '../data/appliances/requested-changes.ts';
import { presentShadow, type TimeProgram } from '../domain/appliances/appliance.ts';
import { entityTagOf } from '../domain/appliances/entity-tag.ts';
import { switchPointFaults } from '../domain/appliances/switch-points.ts';
import { requestedOrProblem } from './change-outcome.ts';
import { circuitOf, gatewayOf, timeProgramOf } from './preloaded.ts';

/** What the handlers of both families do. An item holds what the schemas of its family say; `Body` is their type of it. */

export const listTimePrograms = async <Body>(
  family: FamilyName,
  call: AdmittedCall<'listHeatingTimePrograms'> | AdmittedCall<'listDhwTimePrograms'>,
) => {
  const { store, query } = call;
  const { gatewayId, circuitId } = circuitOf(call);
  const place = { gatewayId, family, circuitId };
  const { programs, next } = await readTimePrograms(store, place, query.limit, pageStart(call));
  return pageAnswer(call, programs.map(presentTimeProgram<Body>), next);
};

export const getTimeProgram = <Body>(
  call: AdmittedCall<'getHeatingTimeProgram'> | AdmittedCall<'getDhwTimeProgram'>,
) => {
  const program = timeProgramOf(call);
  return { headers: { ETag: entityTagOf(program.version) }, body: presentTimeProgram<Body>(program) };
};

export const updateTimeProgram = async <Body>(
  { name: family, timeProgramFunction: uses }: CircuitFamily,
  call: AdmittedCall<'updateHeatingTimeProgram'> | AdmittedCall<'updateDhwTimeProgram'>,
) => {
  const { store, auditContext, nowMs, ifMatch, body, pathIds } = call;
  const { gatewayId, circuitId, timeProgramId } = pathIds;
  const [item, gateway] = [timeProgramOf(call), gatewayOf(call)];
  const faults = switchPointFaults(body.switchPoints, gateway.limits);
  if (faults.length > 0)
    throw new Problem('invalid-request', {
      errors: faults
        .slice(0, maxReportedErrors)
        .map(({ pointer, detail }) => ({ pointer: `/body/switchPoints${pointer}`, detail })),
    });

  const outcome = await requestChange(store, auditContext, {
    gateway,
    uses,
    key: timeProgramItemKey(gatewayId, family, circuitId, timeProgramId),
    item,
    values: body,
    ifMatch,
    target: { gatewayId, circuitId, timeProgramId, family },
  });
  const program = requestedOrProblem(outcome, { uses, nowMs, missing: 'time-program-not-found' });
  return {
    headers: { ETag: entityTagOf(program.version) },
    body: { ...presentTimeProgram<Body>(program), connectivity: gateway.connectivity },
  };
};

const presentTimeProgram = <Body>(program: TimeProgram): Body =>
  ({ timeProgramId: program.timeProgramId, ...presentShadow(program) }) as Body;
