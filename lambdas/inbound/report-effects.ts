import type { FamilyName } from '../api/endpoints/circuit-endpoints.ts';
import type { InboundEvent } from '../api/inbound-events/inbound-events.ts';
import { dhwMeasurements, heatingMeasurements } from '../api/schemas/circuit.ts';
import { type ApplianceFunction, applianceFunctions } from '../api/schemas/gateway.ts';
import type { Target } from '../api/schemas/level-setpoints.ts';
import { readingsOf } from '../api/schemas/measurement.ts';
import type { Override } from '../api/schemas/override.ts';
import { rareSetpoints } from '../api/schemas/setpoints.ts';
import {
  type ApplianceItemKey,
  changedItemKey,
  circuitItemKey,
  holidayItemKey,
  readShadow,
} from '../data/appliances/appliances.ts';
import { reportEnergy } from '../data/appliances/energy.ts';
import { describeGateway, removeGateway, reportFacts } from '../data/appliances/gateways.ts';
import { reportHour } from '../data/appliances/hourly-energy.ts';
import { reportMeasurements } from '../data/appliances/measurements.ts';
import { type Report, refuseChange, report } from '../data/appliances/reports.ts';
import { timeProgramItemKey } from '../data/appliances/time-programs.ts';
import type { Store } from '../data/store/store.ts';
import { type FactTimes, latestRequestMs, mayBeNone, type Shadow } from '../domain/appliance.ts';
import { blockFacts, clearedFaultFacts, connectivityFacts, faultFacts } from '../domain/gateway.ts';
import { levelsInOrder } from '../domain/level-setpoints.ts';
import { usableMeasurements } from '../domain/measurement.ts';
import { inNormalForm } from '../domain/normal-form.ts';
import { type ReportedOverride, reportedOverride, sinceOfSameOverride } from '../domain/override.ts';
import type { EffectContext, Effects } from './take-messages.ts';
import { isWithin } from './usable-parts.ts';

/** The effects of the reports of gateways and appliances. */
export const reportsEffects: Effects<'takeGatewayReports'> = {
  'gateway.described.v1': (context, event) =>
    describeGateway(context.store, { gatewayId: event.subject, ...event.data }, timesOf(context, event)),
  'gateway.removed.v1': (context, event) => removeGateway(context.store, event.subject, timesOf(context, event)),

  'gateway.connectivity.v1': (context, event) => {
    const { connectivity, lastSeenAt } = event.data;
    // The gateway cannot have been seen after the event; a future time would outlast all later ones.
    const lastSeenAtMs = Math.min(lastSeenAt === undefined ? event.timeMs : Date.parse(lastSeenAt), event.timeMs);
    const facts = connectivityFacts(connectivity, lastSeenAtMs);
    return reportFacts(context.store, event.subject, facts, timesOf(context, event));
  },
  'function.blocked.v1': (context, event) => {
    const { function: name, since, until } = event.data;
    if (!isKnown(name)) return unknownFunction;
    // A block cannot begin after its report. The clock of an appliance may be ahead.
    const sinceMs = Math.min(since === undefined ? event.timeMs : Date.parse(since), event.timeMs);
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
      // A fault cannot have begun after its report: with a clock that is ahead, it would be listed before all others.
      sinceMs: since ? Math.min(Date.parse(since), event.timeMs) : null,
    };
    return reportFacts(context.store, event.subject, faultFacts(fault), timesOf(context, event));
  },
  'fault.cleared.v1': (context, event) => {
    const { code, componentId } = event.data;
    const facts = clearedFaultFacts({ code, componentId: componentId || null });
    return reportFacts(context.store, event.subject, facts, timesOf(context, event));
  },

  'circuit.reported.v1': async (context, event) => {
    const { family, circuitId, fulfilsVersion } = event.data;
    const key = circuitItemKey(event.subject, family, circuitId);
    const given = { ...(await reportedCircuit(context.store, key, event)), fulfilsVersion };
    return report(context.store, key, { ids: { circuitId }, ...given }, timesOf(context, event));
  },
  'time-program.reported.v1': (context, event) => {
    const { family, circuitId, timeProgramId, name, switchPoints, fulfilsVersion } = event.data;
    const key = timeProgramItemKey(event.subject, family, circuitId, timeProgramId);
    const given = { reported: inNormalForm(present({ name, switchPoints })), fulfilsVersion };
    return report(context.store, key, { ids: { timeProgramId }, ...given }, timesOf(context, event));
  },
  'energy.reported.v1': (context, event) =>
    saysNothing(event)
      ? { outcome: 'noted' }
      : reportEnergy(context.store, event.subject, { ...event.data, ...unreadIn(event) }, timesOf(context, event)),
  'hourly-energy.reported.v1': (context, event) =>
    saysNothing(event)
      ? { outcome: 'noted' }
      : reportHour(context.store, event.subject, { ...event.data, ...unreadIn(event) }, timesOf(context, event)),
  'measurements.reported.v1': async (context, event) => {
    // With a clock that is ahead, a measurement would be shown to a company whose access begins after its arrival.
    const reportedAtMs = Math.min(event.timeMs, event.arrivedAtMs);
    const { usable: reported, faults } = usableMeasurements(event.data.measurements ?? [], reportedAtMs);
    const unused = faults.length > 0 ? `/data/measurements: ${faults.join(' ')}` : undefined;
    if (Object.keys(reported).length === 0) return { outcome: 'noted', unused };
    return { ...(await reportMeasurements(context.store, event.subject, reported, timesOf(context, event))), unused };
  },
  'holiday.reported.v1': (context, event) => {
    const { holiday, fulfilsVersion } = event.data;
    const given = { ...settingsIn(event, '/data', { holiday }, { holiday: null }), fulfilsVersion };
    return report(context.store, holidayItemKey(event.subject), given, timesOf(context, event));
  },
  'change.refused.v1': (context, event) => {
    const { item, version, reason = 'unknown', detail = '' } = event.data;
    const refusal = { version, reason, detail };
    return refuseChange(context.store, changedItemKey(event.subject, item), refusal, timesOf(context, event));
  },
};

type EnergyEvent = InboundEvent<'energy.reported.v1' | 'hourly-energy.reported.v1'>;

/** Whether an event has quantities of energy, and none that can be used. */
const saysNothing = ({ data, unusable, nulls }: EnergyEvent): boolean => {
  const { heating, dhw, cooling } = data;
  const hasNumbers = [heating, dhw, cooling].some((use) => Object.keys(use ?? {}).length > 0);
  return unusable !== undefined && nulls === undefined && !hasNumbers;
};

const unreadIn = ({ unusable }: EnergyEvent) =>
  unusable && { unread: unusable.map((pointer) => pointer.slice('/data'.length)) };

const isKnown = (name: string): name is ApplianceFunction => applianceFunctions.some((each) => each === name);

/** Not an error: a later version of the service may know the function. */
const unknownFunction = {
  outcome: 'noted',
  unused: `/data/function: Expected one of ${applianceFunctions.join(', ')}.`,
} as const;

/**
 * Returns what an appliance reports about a circuit. Measurements that the report omits become null, and so does what a circuit
 * may lack. Other settings stay as they are.
 */
const reportedCircuit = async (
  store: Store,
  key: ApplianceItemKey,
  event: InboundEvent<'circuit.reported.v1'>,
): Promise<Report> => {
  const { family, reported } = event.data;
  const readings = readingsOf(family === 'heating' ? heatingMeasurements : dhwMeasurements, { ...reported });
  if (!reported) return { reported: readings };
  const { override: sent, displayName, target, levelSetpoints: levels, ...values } = reported;
  const override = sent ? await wholeOverride(store, key, sent, event) : null;
  const readOnly = {
    ...(displayName !== undefined && { displayName: displayName || null }),
    ...(target && { target: wholeTarget(target) }),
  };
  const said = {
    ...readOnly,
    ...values,
    ...(levels && { levelSetpoints: levelsInOrder(levels) }),
    ...(sent?.until !== undefined && { override }),
  };
  const settings = settingsIn(event, '/data/reported', said, { ...lacking(family), override });
  return { ...settings, reported: { ...settings.reported, ...readings } };
};

/** What a circuit may lack, in addition to an override. */
const lacking = (family: FamilyName) => ({
  displayName: null,
  target: null,
  levelSetpoints: null,
  activeTimeProgramId: null,
  ...(family === 'heating' && {
    heatingCurve: null,
    ...Object.fromEntries(rareSetpoints().map((name) => [name, null])),
  }),
});

type ReportedTarget = { readonly [Name in keyof Target]?: Target[Name] | undefined };

/** Returns what a circuit aims at; null if nothing of it can be read. */
const wholeTarget = ({ temperatureCelsius = null, level = null }: ReportedTarget): Target | null =>
  temperatureCelsius === null && level === null ? null : { temperatureCelsius, level };

/**
 * Returns an override with its start. If the appliance does not report the start, a known override with the same content
 * provides it.
 */
const wholeOverride = async (
  store: Store,
  key: ApplianceItemKey,
  override: ReportedOverride,
  { timeMs }: Pick<InboundEvent, 'timeMs'>,
) => {
  if (override.since !== undefined) return reportedOverride(override, timeMs);
  const { desired, reported }: Partial<Shadow<OfOverride>> = (await readShadow(store, key)) ?? {};
  const known = [desired?.override, reported?.override];
  const since = sinceOfSameOverride(override, known, latestRequestMs({ atMs: timeMs }));
  return reportedOverride({ ...override, since }, timeMs);
};

type OfOverride = { readonly override?: Override | null };

/**
 * Returns the settings that a report says, and what it means for the others by default. A setting that cannot be used is neither.
 * Null leaves a setting out, too, but is a value of those that may be asked to be none.
 */
const settingsIn = (event: InboundEvent, under: string, said: object, defaults: object) => {
  const others = Object.entries(defaults).filter(([name]) => Object(said)[name] === undefined);
  const isNone = ([name]: [string, unknown]) => mayBeNone.has(name) && event.nulls?.includes(`${under}/${name}`);
  return {
    reported: { ...present(said), ...Object.fromEntries(others.filter(isNone)) },
    byDefault: Object.fromEntries(
      others.filter((other) => !isNone(other) && !isUnusable(event, `${under}/${other[0]}`)),
    ),
  };
};

const isUnusable = ({ unusable = [] }: InboundEvent, place: string): boolean =>
  unusable.some((pointer) => isWithin(pointer, place));

/** Returns the properties whose value is not undefined. */
const present = (values: object): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const timesOf = (
  { nowMs }: EffectContext<'takeGatewayReports'>,
  { timeMs }: Pick<InboundEvent, 'timeMs'>,
): FactTimes => ({ atMs: timeMs, receivedAtMs: nowMs() });
