import type { InboundEvent } from '../api/inbound-events/inbound-events.ts';
import { dhwMeasurements, heatingMeasurements } from '../api/schemas/circuit.ts';
import { type ApplianceFunction, applianceFunctions } from '../api/schemas/gateway.ts';
import { readingsOf } from '../api/schemas/measurement.ts';
import { changedItemKey, circuitItemKey, holidayItemKey, timeProgramItemKey } from '../data/appliances/appliances.ts';
import { reportEnergy } from '../data/appliances/energy.ts';
import { describeGateway, removeGateway, reportFacts } from '../data/appliances/gateways.ts';
import { refuseChange, report } from '../data/appliances/reports.ts';
import type { FactTimes } from '../domain/appliance.ts';
import { blockFacts, clearedFaultFacts, connectivityFacts, faultFacts } from '../domain/gateway.ts';
import { inNormalForm } from '../domain/normal-form.ts';
import { reportedOverride } from '../domain/override.ts';
import type { EffectContext, Effects } from './take-messages.ts';

/** What the reports of gateways and appliances come to. */
export const reportsEffects: Effects<'takeGatewayReports'> = {
  'gateway.described.v1': (context, event) =>
    describeGateway(context.store, { gatewayId: event.subject, ...event.data }, timesOf(context, event)),
  'gateway.removed.v1': (context, event) => removeGateway(context.store, event.subject, timesOf(context, event)),

  'gateway.connectivity.v1': (context, event) => {
    const { connectivity, lastSeenAt } = event.data;
    // Nothing was seen later than it is told; a time ahead would outlast all that come after it.
    const lastSeenAtMs = Math.min(lastSeenAt === undefined ? event.timeMs : Date.parse(lastSeenAt), event.timeMs);
    const facts = connectivityFacts(connectivity, lastSeenAtMs);
    return reportFacts(context.store, event.subject, facts, timesOf(context, event));
  },
  'function.blocked.v1': (context, event) => {
    const { function: name, since, until } = event.data;
    if (!isKnown(name)) return unknownFunction;
    const sinceMs = since === undefined ? event.timeMs : Date.parse(since);
    const facts = blockFacts(name, { sinceMs, untilMs: until === undefined ? null : Date.parse(until) });
    return reportFacts(context.store, event.subject, facts, timesOf(context, event));
  },
  'function.unblocked.v1': (context, event) => {
    const { function: name } = event.data;
    if (!isKnown(name)) return unknownFunction;
    return reportFacts(context.store, event.subject, blockFacts(name), timesOf(context, event));
  },
  'fault.reported.v1': (context, event) => {
    const { code, componentId, severity = 'fault', text, since } = event.data;
    const fault = {
      code,
      componentId: componentId || null,
      severity,
      text: text || null,
      // No fault began later than it is reported: a clock that is ahead would put it before all others.
      sinceMs: since ? Math.min(Date.parse(since), event.timeMs) : null,
    };
    return reportFacts(context.store, event.subject, faultFacts(fault), timesOf(context, event));
  },
  'fault.cleared.v1': (context, event) => {
    const { code, componentId } = event.data;
    const facts = clearedFaultFacts({ code, componentId: componentId || null });
    return reportFacts(context.store, event.subject, facts, timesOf(context, event));
  },

  'circuit.reported.v1': (context, event) => {
    const { family, circuitId, fulfilsVersion } = event.data;
    const key = circuitItemKey(event.subject, family, circuitId);
    const given = { reported: reportedCircuit(event), fulfilsVersion };
    return report(context.store, key, { circuitId }, given, timesOf(context, event));
  },
  'time-program.reported.v1': (context, event) => {
    const { family, circuitId, timeProgramId, name, switchPoints, fulfilsVersion } = event.data;
    const key = timeProgramItemKey(event.subject, family, circuitId, timeProgramId);
    const given = { reported: inNormalForm(present({ name, switchPoints })), fulfilsVersion };
    return report(context.store, key, { timeProgramId }, given, timesOf(context, event));
  },
  'energy.reported.v1': (context, event) =>
    reportEnergy(context.store, event.subject, event.data, timesOf(context, event)),
  'holiday.reported.v1': (context, event) => {
    const { holiday = null, fulfilsVersion } = event.data;
    const given = { reported: { holiday }, fulfilsVersion };
    return report(context.store, holidayItemKey(event.subject), {}, given, timesOf(context, event));
  },
  'change.refused.v1': (context, event) => {
    const { item, version, reason = 'unknown', detail = '' } = event.data;
    const refusal = { version, reason, detail };
    return refuseChange(context.store, changedItemKey(event.subject, item), refusal, timesOf(context, event));
  },
};

const isKnown = (name: string): name is ApplianceFunction => applianceFunctions.some((each) => each === name);

/** A later version may know it. */
const unknownFunction = {
  outcome: 'noted',
  unused: `/data/function: Expected one of ${applianceFunctions.join(', ')}.`,
} as const;

/** What an appliance reports of a circuit: settings that it leaves out stay as they are, and measurements become null. */
const reportedCircuit = ({ data, timeMs }: InboundEvent<'circuit.reported.v1'>) => {
  const { activeTimeProgramId = null, override: reportedOne, ...values } = data.reported ?? {};
  const override = reportedOne ? reportedOverride(reportedOne, timeMs) : null;
  const measurements = data.family === 'heating' ? heatingMeasurements : dhwMeasurements;
  return { ...values, activeTimeProgramId, override, ...readingsOf(measurements, values) };
};

/** The properties that are there. */
const present = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const timesOf = (
  { nowMs }: EffectContext<'takeGatewayReports'>,
  { timeMs }: Pick<InboundEvent, 'timeMs'>,
): FactTimes => ({ atMs: timeMs, receivedAtMs: nowMs() });
