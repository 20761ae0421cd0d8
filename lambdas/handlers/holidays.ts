import { holidayBody, taggedAnswer } from '../answers/appliances.ts';
import { withTerms } from '../answers/change-terms.ts';
import { withinLimits } from '../answers/circuit-limits.ts';
import { itemOrProblem } from '../answers/outcome-problems.ts';
import { invalidRequest, Problem } from '../api/problems.ts';
import { pointerTo } from '../api/schemas/common.ts';
import type { HolidayPeriod } from '../api/schemas/holiday.ts';
import { type CallOf, serve } from '../chain/serve.ts';
import { holidayItemKey } from '../data/appliances/appliances.ts';
import { requestChange } from '../data/appliances/requested-changes.ts';
import type { Holiday } from '../domain/appliance.ts';
import { heatingLimitsOf } from '../domain/circuit-limits.ts';
import { type Contract, grantIn } from '../domain/contract.ts';
import type { Grant } from '../domain/grant.ts';
import { holidayEndFault, holidaySince } from '../domain/holiday.ts';
import { permittedSince } from '../domain/open-change.ts';

export const getHoliday = /* @__PURE__ */ serve('getHoliday', ({ contract, pathIds, holiday: item }) => {
  const holiday = shownUnder(contract, pathIds.gatewayId)(item);
  return taggedAnswer(holiday, holidayBody(holiday));
});

export const setHoliday = /* @__PURE__ */ serve('setHoliday', (call) =>
  withTerms(call, ({ body, ...change }) => {
    const fault = holidayEndFault(body, change.nowMs);
    if (fault) return invalidRequest([{ pointer: pointerTo('body', 'to'), detail: fault }]);
    const holiday = withinLimits(body, ...heatingLimitsOf(change.gateway));
    return holiday instanceof Problem ? holiday : changeHoliday(change, holiday);
  }),
);

export const deleteHoliday = /* @__PURE__ */ serve('deleteHoliday', (call) => changeHoliday(call, null));

type HolidayChange = Omit<CallOf<'deleteHoliday'>, 'body'> & { readonly validUntilMs?: number | undefined };

/** Requests a holiday, or its end. It is a change of heating, so a block of `heatingCircuits` refuses it. */
const changeHoliday = async (
  { store, auditContext, nowMs, ifMatch, pathIds, gateway, contract, holiday: item, validUntilMs }: HolidayChange,
  holiday: HolidayPeriod | null,
) => {
  const { gatewayId } = pathIds;
  const uses = 'heatingCircuits';
  const outcome = await requestChange(store, auditContext, {
    gateway,
    uses,
    key: holidayItemKey(gatewayId),
    item,
    shownOf: shownUnder(contract, gatewayId),
    values: { holiday },
    ifMatch,
    permittedSinceMs: permittedSince(contract, gatewayId),
    validUntilMs,
    target: { gatewayId },
  });
  const missing = new Problem('not-supported', { feature: 'holidays' });
  const changed = itemOrProblem(outcome, { uses, nowMs, missing });
  if (changed instanceof Problem) return changed;
  return taggedAnswer(changed, { ...holidayBody(changed), connectivity: gateway.connectivity });
};

/** Returns what the company may see of a holiday. The chain admits only gateways of the contract. */
const shownUnder = (contract: Contract, gatewayId: string) => {
  const { receivedAtMs } = grantIn(contract, gatewayId) as Grant;
  return (item: Holiday): Holiday => holidaySince(item, receivedAtMs);
};
