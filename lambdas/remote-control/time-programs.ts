import { pageAnswer, pageStart } from '../answers/page.ts';
import { taggedAnswer } from '../answers/shadow.ts';
import type { CircuitFamily, FamilyName } from '../api/endpoints/circuit-endpoints.ts';
import { invalidRequest, pointerTo } from '../api/invalid-request.ts';
import { Problem } from '../api/problem.ts';
import type { CallOf } from '../chain/serve.ts';
import { listTimePrograms as readTimePrograms, timeProgramItemKey } from '../data/appliances/appliances.ts';
import { type RequestedChange, requestChange } from '../data/appliances/requested-changes.ts';
import type { TimeProgram } from '../domain/appliances/appliance.ts';
import { type SwitchPoint, switchPointFaults } from '../domain/appliances/switch-points.ts';
import { changedOrProblem } from './change-outcome.ts';

/** The page of a circuit's time programs that the query asks for, each as `toBody` shows it. */
export const listTimePrograms = async <Family extends FamilyName, Body>(
  family: Family,
  call: CallOf<'listHeatingTimePrograms' | 'listDhwTimePrograms'>,
  toBody: (program: TimeProgram<Family>) => Body,
) => {
  const { store, query, pathIds } = call;
  const start = pageStart(call);
  if (start instanceof Problem) return start;
  const { programs, next } = await readTimePrograms(store, { ...pathIds, family }, query.limit, start);
  return pageAnswer(call, programs.map(toBody), next);
};

type UpdateCall<Family extends FamilyName> = Pick<
  CallOf<'updateHeatingTimeProgram'>,
  'store' | 'auditContext' | 'nowMs' | 'ifMatch' | 'pathIds' | 'gateway'
> & {
  readonly timeProgram: TimeProgram<Family>;
  readonly body: RequestedChange<TimeProgram<Family>>['values'] & { readonly switchPoints: readonly SwitchPoint[] };
};

/** Requests another content of a time program, if the appliance can hold it. */
export const updateTimeProgram = async <Family extends FamilyName, Body extends object>(
  { name: family, timeProgramFunction: uses }: CircuitFamily & { readonly name: Family },
  { store, auditContext, nowMs, ifMatch, pathIds, gateway, timeProgram, body }: UpdateCall<Family>,
  toBody: (program: TimeProgram<Family>) => Body,
) => {
  const { gatewayId, circuitId, timeProgramId } = pathIds;
  const faults = switchPointFaults(body.switchPoints, gateway.limits);
  if (faults.length > 0)
    return invalidRequest(
      faults.map(({ pointer, detail }) => ({ pointer: pointerTo('body', 'switchPoints') + pointer, detail })),
    );

  const outcome = await requestChange(store, auditContext, {
    gateway,
    uses,
    key: timeProgramItemKey(gatewayId, family, circuitId, timeProgramId),
    item: timeProgram,
    values: body,
    ifMatch,
    target: { gatewayId, circuitId, timeProgramId, family },
  });
  const changed = changedOrProblem(outcome, { uses, nowMs, missing: new Problem('time-program-not-found') });
  if (changed instanceof Problem) return changed;
  return taggedAnswer(changed, { ...toBody(changed), connectivity: gateway.connectivity });
};
