import type { InboundEvent } from '../api/inbound-events/inbound-events.ts';
import { changedItemKey, circuitItemKey, holidayItemKey, timeProgramItemKey } from '../data/appliances/appliances.ts';
import { reportEnergy } from '../data/appliances/energy.ts';
import { describeGateway, removeGateway, reportFacts } from '../data/appliances/gateways.ts';
import { refuseChange, report } from '../data/appliances/reports.ts';
import type { FactTimes } from '../domain/appliance.ts';
import { blockFacts, connectivityFacts } from '../domain/gateway.ts';
import type { EffectContext, Effects } from './take-messages.ts';

/** What the reports of gateways and appliances come to. */
export const reportsEffects: Effects<'takeGatewayReports'> = {
  'gateway.described.v1': (context, event) =>
    describeGateway(context.store, { gatewayId: event.subject, ...event.data }, timesOf(context, event)),
  'gateway.removed.v1': (context, event) => removeGateway(context.store, event.subject, timesOf(context, event)),

  'gateway.connectivity.v1': (context, event) => {
    const { connectivity, lastSeenAt } = event.data;
    // Nothing was seen later than it is told; a time ahead would outlast all that come after it.
    const facts = connectivityFacts(connectivity, Math.min(Date.parse(lastSeenAt), event.timeMs));
    return reportFacts(context.store, event.subject, facts, timesOf(context, event));
  },
  'function.blocked.v1': (context, event) => {
    const { function: name, since, until } = event.data;
    const facts = blockFacts(name, { sinceMs: Date.parse(since), untilMs: until === null ? null : Date.parse(until) });
    return reportFacts(context.store, event.subject, facts, timesOf(context, event));
  },
  'function.unblocked.v1': (context, event) =>
    reportFacts(context.store, event.subject, blockFacts(event.data.function), timesOf(context, event)),

  'circuit.reported.v1': (context, event) => {
    const { family, circuitId, reported, fulfilsVersion } = event.data;
    const key = circuitItemKey(event.subject, family, circuitId);
    return report(context.store, key, { circuitId }, { reported, fulfilsVersion }, timesOf(context, event));
  },
  'time-program.reported.v1': (context, event) => {
    const { family, circuitId, timeProgramId, name, switchPoints, fulfilsVersion } = event.data;
    const key = timeProgramItemKey(event.subject, family, circuitId, timeProgramId);
    const given = { reported: { name, switchPoints }, fulfilsVersion };
    return report(context.store, key, { timeProgramId }, given, timesOf(context, event));
  },
  'energy.reported.v1': (context, event) =>
    reportEnergy(context.store, event.subject, event.data, timesOf(context, event)),
  'holiday.reported.v1': (context, event) => {
    const { holiday, fulfilsVersion } = event.data;
    const given = { reported: { holiday }, fulfilsVersion };
    return report(context.store, holidayItemKey(event.subject), {}, given, timesOf(context, event));
  },
  'change.refused.v1': (context, event) => {
    const { item, ...refusal } = event.data;
    return refuseChange(context.store, changedItemKey(event.subject, item), refusal, timesOf(context, event));
  },
};

const timesOf = (
  { nowMs }: EffectContext<'takeGatewayReports'>,
  { timeMs }: Pick<InboundEvent, 'timeMs'>,
): FactTimes => ({ atMs: timeMs, receivedAtMs: nowMs() });
