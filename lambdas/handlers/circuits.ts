import {
  dhwCircuitBody,
  gatewayPartOf,
  heatingCircuitBody,
  taggedAnswer,
  timeProgramBody,
} from '../answers/appliances.ts';
import { withTerms } from '../answers/change-terms.ts';
import { withinLimits } from '../answers/circuit-limits.ts';
import { itemOrProblem } from '../answers/outcome-problems.ts';
import { pageAnswer, pageStart } from '../answers/pages.ts';
import { type CircuitFamily, dhw, type FamilyName, heating } from '../api/endpoints/circuit-endpoints.ts';
import { invalidRequest, Problem } from '../api/problems.ts';
import { pointerTo } from '../api/schemas/common.ts';
import { circuitProblem } from '../chain/preloads.ts';
import { type CallOf, serve } from '../chain/serve.ts';
import { circuitItemKey, listCircuits as readCircuits } from '../data/appliances/appliances.ts';
import { type RequestedChange, requestChange } from '../data/appliances/requested-changes.ts';
import { listTimePrograms as readTimePrograms, timeProgramItemKey } from '../data/appliances/time-programs.ts';
import {
  type Circuit,
  type Shadow,
  type SwitchPoint,
  switchPointFaults,
  type TimeProgram,
} from '../domain/appliance.ts';
import { levelFaults, limitsOf, missingSetting } from '../domain/circuit-limits.ts';
import { isOfCirculation, levelsOf } from '../domain/circulation.ts';
import { permittedSince } from '../domain/open-change.ts';
import { type OverrideRequest, overrideEndFault, requestedOverride } from '../domain/override.ts';

export const listHeatingCircuits = /* @__PURE__ */ serve('listHeatingCircuits', (call) =>
  listCircuits('heating', call, heatingCircuitBody),
);

export const getHeatingCircuit = /* @__PURE__ */ serve('getHeatingCircuit', (call) =>
  circuitAnswer('heating', call, call.circuit, heatingCircuitBody),
);

export const updateHeatingCircuit = /* @__PURE__ */ serve('updateHeatingCircuit', (call) =>
  withTerms(
    call,
    (change) => refuseMissingSetting('heating', change) ?? updateCircuit(heating, change, heatingCircuitBody),
  ),
);

export const setHeatingOverride = /* @__PURE__ */ serve('setHeatingOverride', (call) =>
  withTerms(call, (change) => changeOverride(heating, change, change.body, heatingCircuitBody)),
);

export const deleteHeatingOverride = /* @__PURE__ */ serve('deleteHeatingOverride', (call) =>
  changeOverride(heating, call, null, heatingCircuitBody),
);

export const listHeatingTimePrograms = /* @__PURE__ */ serve('listHeatingTimePrograms', (call) =>
  listTimePrograms('heating', call),
);

export const getHeatingTimeProgram = /* @__PURE__ */ serve('getHeatingTimeProgram', ({ timeProgram }) =>
  taggedAnswer(timeProgram, timeProgramBody(timeProgram)),
);

export const updateHeatingTimeProgram = /* @__PURE__ */ serve('updateHeatingTimeProgram', (call) =>
  withTerms(call, (change) => updateTimeProgram(heating, change)),
);

export const listDhwCircuits = /* @__PURE__ */ serve('listDhwCircuits', (call) =>
  listCircuits('dhw', call, dhwCircuitBody),
);

export const getDhwCircuit = /* @__PURE__ */ serve('getDhwCircuit', (call) =>
  circuitAnswer('dhw', call, call.circuit, dhwCircuitBody),
);

export const updateDhwCircuit = /* @__PURE__ */ serve('updateDhwCircuit', (call) =>
  withTerms(
    call,
    (change) =>
      refuseMissingSetting('dhw', change) ??
      refuseProgramOfCirculation(change) ??
      updateCircuit(dhw, change, dhwCircuitBody),
  ),
);

export const setDhwOverride = /* @__PURE__ */ serve('setDhwOverride', (call) =>
  withTerms(call, (change) => changeOverride(dhw, change, change.body, dhwCircuitBody)),
);

export const deleteDhwOverride = /* @__PURE__ */ serve('deleteDhwOverride', (call) =>
  changeOverride(dhw, call, null, dhwCircuitBody),
);

export const listDhwTimePrograms = /* @__PURE__ */ serve('listDhwTimePrograms', (call) =>
  listTimePrograms('dhw', call),
);

export const getDhwTimeProgram = /* @__PURE__ */ serve('getDhwTimeProgram', ({ timeProgram }) =>
  taggedAnswer(timeProgram, timeProgramBody(timeProgram)),
);

export const updateDhwTimeProgram = /* @__PURE__ */ serve('updateDhwTimeProgram', (call) =>
  withTerms(call, (change) => updateTimeProgram(dhw, change)),
);

/** Returns a circuit as `toBody` shows it, with the part that its gateway reports. */
const circuitAnswer = <
  Family extends FamilyName,
  Item extends Pick<Circuit, 'circuitId'> & Shadow,
  Body extends object,
>(
  family: Family,
  { gateway, nowMs }: Pick<CallOf<'getHeatingCircuit'>, 'gateway' | 'nowMs'>,
  circuit: Item,
  toBody: (circuit: Item) => Body,
) => taggedAnswer(circuit, { ...toBody(circuit), ...gatewayPartOf(gateway, family, circuit, nowMs) });

/** Returns the page of a family's circuits that the query selects, each as `toBody` shows it. */
const listCircuits = async <Family extends FamilyName, Body extends object>(
  family: Family,
  call: CallOf<'listHeatingCircuits' | 'listDhwCircuits'>,
  toBody: (circuit: Circuit<Family>) => Body,
) => {
  const { store, query, pathIds, gateway, nowMs } = call;
  const start = pageStart(call);
  if (start instanceof Problem) return start;
  const { circuits, next } = await readCircuits(store, { gatewayId: pathIds.gatewayId, family }, query.limit, start);
  const itemOf = (circuit: Circuit<Family>) => ({
    ...toBody(circuit),
    ...gatewayPartOf(gateway, family, circuit, nowMs),
  });
  return pageAnswer(call, circuits, { itemOf, positionOf: ({ circuitId }) => circuitId, next });
};

/** Refuses a change of a setting that the appliance of the circuit does not have. */
const refuseMissingSetting = (
  family: FamilyName,
  { gateway, pathIds, body }: Pick<CallOf<'updateHeatingCircuit' | 'updateDhwCircuit'>, 'gateway' | 'pathIds' | 'body'>,
) => {
  const feature = missingSetting(limitsOf(gateway, family, pathIds.circuitId), Object.keys(body));
  return feature === undefined ? undefined : new Problem('not-supported', { feature });
};

/** Refuses the time program of the circulation pump as the active one, because its levels say nothing about hot water. */
const refuseProgramOfCirculation = ({ gateway, pathIds, body }: CallOf<'updateDhwCircuit'>) => {
  const { circuitId } = pathIds;
  const { activeTimeProgramId: timeProgramId } = body;
  if (timeProgramId === undefined || !isOfCirculation(gateway, { circuitId, timeProgramId })) return undefined;
  const detail = 'Expected a time program of the hot water, not the one of the circulation pump.';
  return invalidRequest([{ pointer: pointerTo('body', 'activeTimeProgramId'), detail }]);
};

type CircuitUpdate<Family extends FamilyName> = Pick<
  CallOf<'updateHeatingCircuit'>,
  'store' | 'auditContext' | 'nowMs' | 'ifMatch' | 'pathIds' | 'gateway' | 'contract'
> & {
  readonly circuit: Circuit<Family>;
  readonly validUntilMs?: number | undefined;
  readonly body: RequestedChange<Circuit<Family>>['values'] & { readonly activeTimeProgramId?: string | undefined };
};

/** Requests other settings of a circuit. An active time program must exist. */
const updateCircuit = async <Family extends FamilyName, Body extends object>(
  { name: family, circuitFunction: uses }: CircuitFamily & { readonly name: Family },
  {
    store,
    auditContext,
    nowMs,
    ifMatch,
    pathIds,
    gateway,
    contract,
    circuit,
    body,
    validUntilMs,
  }: CircuitUpdate<Family>,
  toBody: (circuit: Circuit<Family>) => Body,
) => {
  const { gatewayId, circuitId } = pathIds;
  const values = withinLimits(body, limitsOf(gateway, family, circuitId));
  if (values instanceof Problem) return values;
  const { activeTimeProgramId: programId } = body;
  const outcome = await requestChange(store, auditContext, {
    gateway,
    uses,
    key: circuitItemKey(gatewayId, family, circuitId),
    item: circuit,
    values,
    ifMatch,
    permittedSinceMs: permittedSince(contract, gatewayId),
    validUntilMs,
    refersTo: programId === undefined ? undefined : timeProgramItemKey(gatewayId, family, circuitId, programId),
    target: { gatewayId, circuitId, family },
  });
  const changed = itemOrProblem(outcome, { uses, nowMs, missing: new Problem('circuit-not-found') });
  if (changed instanceof Problem) return changed;
  return circuitAnswer(family, { gateway, nowMs }, changed, toBody);
};

/** Requests an override of a circuit, or its end. Both are changes like any other, even if the circuit has no override. */
const changeOverride = async <Family extends FamilyName, Body extends object>(
  family: CircuitFamily & { readonly name: Family },
  call: Omit<CircuitUpdate<Family>, 'body'>,
  wanted: OverrideRequest | null,
  toBody: (circuit: Circuit<Family>) => Body,
) => {
  const { gateway, nowMs } = call;
  const feature = family.overrideFeature;
  if (!gateway.features.includes(feature)) return new Problem('not-supported', { feature });
  const fault = wanted && overrideEndFault(wanted, nowMs);
  if (fault) return invalidRequest([{ pointer: pointerTo('body', 'until'), detail: fault }]);
  const held = wanted && withinLimits(wanted, limitsOf(gateway, family.name, call.pathIds.circuitId));
  if (held instanceof Problem) return held;
  const override = held && requestedOverride(held, nowMs);
  return updateCircuit(family, { ...call, body: { override } as CircuitUpdate<Family>['body'] }, toBody);
};

/** Returns the page of a circuit's time programs that the query selects. */
const listTimePrograms = async (
  family: FamilyName,
  call: CallOf<'listHeatingTimePrograms' | 'listDhwTimePrograms'>,
) => {
  const { store, query, pathIds } = call;
  const start = pageStart(call);
  if (start instanceof Problem) return start;
  const { programs, next } = await readTimePrograms(store, { ...pathIds, family }, query.limit, start);
  const problem = programs.length === 0 ? await circuitProblem(store, family, pathIds) : undefined;
  if (problem) return problem;
  return pageAnswer(call, programs, {
    itemOf: timeProgramBody,
    positionOf: ({ timeProgramId }) => timeProgramId,
    next,
  });
};

type TimeProgramUpdate = Pick<
  CallOf<'updateHeatingTimeProgram'>,
  'store' | 'auditContext' | 'nowMs' | 'ifMatch' | 'pathIds' | 'gateway' | 'contract'
> & {
  readonly timeProgram: TimeProgram;
  readonly validUntilMs: number | undefined;
  readonly body: RequestedChange<TimeProgram>['values'] & { readonly switchPoints: readonly SwitchPoint[] };
};

/** Requests new content of a time program, if the appliance can store it. */
const updateTimeProgram = async (
  { name: family, timeProgramFunction: uses }: CircuitFamily,
  {
    store,
    auditContext,
    nowMs,
    ifMatch,
    pathIds,
    gateway,
    contract,
    timeProgram,
    body,
    validUntilMs,
  }: TimeProgramUpdate,
) => {
  const { gatewayId, circuitId, timeProgramId } = pathIds;
  const faults = [
    ...switchPointFaults(body.switchPoints, gateway.limits),
    ...levelFaults(body.switchPoints, levelsOf(gateway, family, { circuitId, timeProgramId })),
  ];
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
    permittedSinceMs: permittedSince(contract, gatewayId),
    validUntilMs,
    target: { gatewayId, circuitId, timeProgramId, family },
  });
  const changed = itemOrProblem(outcome, { uses, nowMs, missing: new Problem('time-program-not-found') });
  if (changed instanceof Problem) return changed;
  return taggedAnswer(changed, { ...timeProgramBody(changed), connectivity: gateway.connectivity });
};
