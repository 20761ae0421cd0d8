import type { CircuitFamily, FamilyName } from '../api/circuit-families.ts';
import { maxReportedErrors } from '../api/limits.ts';
import { Problem } from '../api/problem.ts';
import { listTimePrograms as readTimePrograms, timeProgramItemKey } from '../data/appliances.ts';
import { makeWish } from '../data/wishes.ts';
import { presentWishable, type TimeProgram } from '../domain/appliance.ts';
import { entityTagOf } from '../domain/entity-tag.ts';
import { switchPointFaults } from '../domain/switch-points.ts';
import type { AdmittedCall } from '../middleware/serve.ts';
import { pageAnswer, pageStart } from './pages.ts';
import { circuitOf, gatewayOf, timeProgramOf } from './preloaded.ts';
import { wishedOrProblem } from './wish-answers.ts';

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
  const { store, act, nowMs, ifMatch, body, pathIds } = call;
  const { gatewayId, circuitId, timeProgramId } = pathIds;
  const [item, gateway] = [timeProgramOf(call), gatewayOf(call)];
  const faults = switchPointFaults(body.switchPoints, gateway.limits);
  if (faults.length > 0)
    throw new Problem('invalid-request', {
      errors: faults
        .slice(0, maxReportedErrors)
        .map(({ pointer, detail }) => ({ pointer: `/body/switchPoints${pointer}`, detail })),
    });

  const outcome = await makeWish(store, act, {
    gateway,
    uses,
    key: timeProgramItemKey(gatewayId, family, circuitId, timeProgramId),
    item,
    values: body,
    ifMatch,
    target: { gatewayId, circuitId, timeProgramId, family },
  });
  const program = wishedOrProblem(outcome, { uses, nowMs, missing: 'time-program-not-found' });
  return {
    headers: { ETag: entityTagOf(program.version) },
    body: { ...presentTimeProgram<Body>(program), connectivity: gateway.connectivity },
  };
};

const presentTimeProgram = <Body>(program: TimeProgram): Body =>
  ({ timeProgramId: program.timeProgramId, ...presentWishable(program) }) as Body;
