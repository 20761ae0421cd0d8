import { pageAnswer, pageStart } from '../answers/page.ts';
import { taggedAnswer } from '../answers/shadow.ts';
import type { CircuitFamily, FamilyName } from '../api/endpoints/circuit-endpoints.ts';
import { Problem } from '../api/problem.ts';
import type { CallOf } from '../chain/serve.ts';
import { circuitItemKey, listCircuits as readCircuits, timeProgramItemKey } from '../data/appliances/appliances.ts';
import { type RequestedChange, requestChange } from '../data/appliances/requested-changes.ts';
import type { Circuit } from '../domain/appliances/appliance.ts';
import { changedOrProblem } from './change-outcome.ts';

/** The page of a family's circuits that the query asks for, each as `toBody` shows it. */
export const listCircuits = async <Family extends FamilyName, Body>(
  family: Family,
  call: CallOf<'listHeatingCircuits' | 'listDhwCircuits'>,
  toBody: (circuit: Circuit<Family>) => Body,
) => {
  const { store, query, pathIds } = call;
  const start = pageStart(call);
  if (start instanceof Problem) return start;
  const { circuits, next } = await readCircuits(store, { gatewayId: pathIds.gatewayId, family }, query.limit, start);
  return pageAnswer(call, circuits.map(toBody), next);
};

type UpdateCall<Family extends FamilyName> = Pick<
  CallOf<'updateHeatingCircuit'>,
  'store' | 'auditContext' | 'nowMs' | 'ifMatch' | 'pathIds' | 'gateway'
> & {
  readonly circuit: Circuit<Family>;
  readonly body: RequestedChange<Circuit<Family>>['values'] & { readonly activeTimeProgramId?: string | undefined };
};

/** Requests other settings of a circuit. A time program that it is to follow has to exist. */
export const updateCircuit = async <Family extends FamilyName, Body extends object>(
  { name: family, circuitFunction: uses }: CircuitFamily & { readonly name: Family },
  { store, auditContext, nowMs, ifMatch, pathIds, gateway, circuit, body }: UpdateCall<Family>,
  toBody: (circuit: Circuit<Family>) => Body,
) => {
  const { gatewayId, circuitId } = pathIds;
  const { activeTimeProgramId: programId } = body;
  const outcome = await requestChange(store, auditContext, {
    gateway,
    uses,
    key: circuitItemKey(gatewayId, family, circuitId),
    item: circuit,
    values: body,
    ifMatch,
    refersTo: programId === undefined ? undefined : timeProgramItemKey(gatewayId, family, circuitId, programId),
    target: { gatewayId, circuitId, family },
  });
  const changed = changedOrProblem(outcome, { uses, nowMs, missing: new Problem('circuit-not-found') });
  if (changed instanceof Problem) return changed;
  return taggedAnswer(changed, { ...toBody(changed), connectivity: gateway.connectivity });
};
