import { isDeepStrictEqual } from 'node:util';
import {
  dhwCircuitBody,
  dhwReadings,
  energyOfDayBody,
  gatewayBody,
  heatingCircuitBody,
  heatingReadings,
  holidayBody,
  timeProgramBody,
} from '../answers/appliances.ts';
import { dhw, heating } from '../api/endpoints/circuit-endpoints.ts';
import { holidayEndpoints } from '../api/endpoints/holiday-endpoints.ts';
import { applianceFunctions } from '../api/schemas/gateway.ts';
import { changeItemOf, toCircuit, toGateway, toHoliday } from '../data/appliances/appliances.ts';
import { daysOf, type EnergyOfMonth, energyPrefix } from '../data/appliances/energy.ts';
import { toTimeProgram } from '../data/appliances/time-programs.ts';
import type { ItemChange } from '../data/store/stream-record.ts';
import type { Shadow } from '../domain/appliance.ts';
import type { EnergyOfDay } from '../domain/energy.ts';
import { type FaultFactName, isFaultFact, type ReportedFault } from '../domain/fault.ts';
import type { FeedEventDraft } from '../domain/feed-event.ts';
import { blockFactName, type StoredFacts } from '../domain/gateway.ts';
import { holidaySince } from '../domain/holiday.ts';

type Item = Readonly<Record<string, unknown>>;

/**
 * Returns the feed events of a changed item of Appliances, for the companies that may act on its gateway; most reports
 * produce no event.
 */
export const applianceEvents = (change: ItemChange): FeedEventDraft[] => {
  const [kind] = String(change.keys.sk).split('#');
  if (kind === 'GATEWAY') return gatewayEvents(change);
  if (String(change.keys.sk).startsWith(energyPrefix)) return energyEvents(change);
  return kind === 'CIRCUIT' || kind === 'PROGRAM' || kind === 'HOLIDAY' ? shadowEvents(change) : [];
};

/** A report changes one day of a month. Several changed days at once come from a restore, and were recorded before. */
const energyEvents = ({ before, after }: ItemChange): FeedEventDraft[] => {
  const month = after as EnergyOfMonth | undefined;
  if (!month) return [];
  const known = new Map(before ? daysOf(before as EnergyOfMonth).map((each) => [each.day, measuredIn(each)]) : []);
  const [energy, ...others] = daysOf(month).filter((each) => !isDeepStrictEqual(measuredIn(each), known.get(each.day)));
  if (!energy || others.length > 0) return [];
  const { gatewayId, receivedAtMs } = month;
  return [
    {
      type: 'energy.reported',
      atMs: energy.reportedAtMs,
      receivedAtMs,
      gatewayId,
      resource: `/hvacs/${gatewayId}/energy`,
      day: energy.day,
      data: energyOfDayBody(energy),
    },
  ];
};

const measuredIn = ({ heating, dhw, cooling }: EnergyOfDay) => ({ heating, dhw, cooling });

const gatewayEvents = (change: ItemChange): FeedEventDraft[] => {
  const { before, after, atMs } = change;
  if (!after) return [];
  const gatewayId = String(after.gatewayId);
  const [old, facts] = [factsIn(before), factsIn(after)];
  const receivedAtMs = receiptOf(change);
  const eventOf = (type: FeedEventDraft['type'], name: keyof StoredFacts, part?: string): FeedEventDraft => ({
    type,
    // A fact that is missing was deleted when the gateway was removed.
    atMs: facts[name]?.atMs ?? Number(after.removedAtMs),
    receivedAtMs,
    gatewayId,
    resource: `/hvacs/${gatewayId}`,
    data: gatewayBody(toGateway(after), atMs),
    ...(part !== undefined && { part }),
  });
  return [
    ...(hasTurned(change) ? [eventOf('gateway.connectivity_changed', 'connectivity')] : []),
    ...applianceFunctions.flatMap((name) => {
      const factName = blockFactName(name);
      const [seen, block] = [old[factName], facts[factName]];
      if (seen?.sinceMs === block?.sinceMs && seen?.untilMs === block?.untilMs) return [];
      return [eventOf(block?.sinceMs === undefined ? 'function.unblocked' : 'function.blocked', factName, name)];
    }),
    ...changedFaults(old, facts, Number(after.removedAtMs)).map(([name, type]) => eventOf(type, name, name)),
  ];
};

/** Returns the faults that were reported or cleared. A fault that was deleted to make room for another has no event. */
const changedFaults = (old: StoredFacts, facts: StoredFacts, removedAtMs: number) =>
  [...new Set([...Object.keys(old), ...Object.keys(facts)])]
    .filter(isFaultFact)
    .flatMap((name): (readonly [FaultFactName, 'fault.reported' | 'fault.cleared'])[] => {
      const [seen, fault] = [old[name], facts[name]];
      if (fault?.code !== undefined)
        return isDeepStrictEqual(reportedIn(seen), reportedIn(fault)) ? [] : [[name, 'fault.reported']];
      const isCleared = seen?.code !== undefined && (fault !== undefined || seen.atMs <= removedAtMs);
      return isCleared ? [[name, 'fault.cleared']] : [];
    });

const reportedIn = ({ code, severity, text, sinceMs }: Partial<ReportedFault> = {}) => ({
  code,
  severity,
  text,
  sinceMs,
});

const factsIn = (gateway: Item | undefined): StoredFacts => (gateway?.facts as StoredFacts | undefined) ?? {};

/**
 * Returns whether the connectivity changed. A gateway that is described for the first time had no connectivity before; one
 * that was removed had.
 */
const hasTurned = ({ before, after = {} }: ItemChange): boolean => {
  const isKnown = before !== undefined || Number(after.removedAtMs) > 0;
  return isKnown && toGateway(after).connectivity !== (before && toGateway(before).connectivity);
};

const shadowEvents = (change: ItemChange): FeedEventDraft[] => {
  const { keys, before, after } = change;
  const { kind } = changeItemOf(String(keys.sk));
  const dataSince = (grantedAtMs: number) => {
    if (!after) return {};
    const lastingPart = (item: Item) => lastingPartOf(item, grantedAtMs);
    if (before && isDeepStrictEqual(lastingPart(before), lastingPart(after))) return undefined;
    return bodyOf(after, grantedAtMs);
  };
  const data = dataSince(0);
  // A holiday that is reported again is new to companies that were granted the gateway since its last report.
  const isForSome = kind === 'holiday' && after !== undefined && toHoliday({ ...after }).reported.holiday !== null;
  if (data === undefined && !isForSome) return [];
  return [
    {
      type: eventTypes[kind],
      atMs: newestSince(timesOf, change) ?? change.atMs,
      receivedAtMs: receiptOf(change),
      gatewayId: String(keys.gatewayId),
      resource: resourceOf(keys),
      data: data ?? {},
      ...(kind === 'holiday' && { dataSince }),
    },
  ];
};

const eventTypes = {
  circuit: 'circuit.changed',
  'time-program': 'time_program.changed',
  holiday: 'holiday.changed',
} as const;

/** Returns the body that GET of the item answers to a company that was granted the gateway at that time. */
const bodyOf = (item: Item, grantedAtMs: number): object => shownOf(item, grantedAtMs).body;

/**
 * Returns the part of the body whose change produces an event: everything but measurements, the time of the report, and the
 * target, which follows the settings and the time of day.
 */
const lastingPartOf = (item: Item, grantedAtMs: number): object => {
  const { body, readings } = shownOf(item, grantedAtMs);
  const left = new Set([...Object.keys(readings), 'reportedAt', 'target']);
  return Object.fromEntries(Object.entries(body).filter(([name]) => !left.has(name)));
};

const shownOf = (item: Item, grantedAtMs: number): { readonly body: object; readonly readings: object } => {
  const changed = changeItemOf(String(item.sk));
  if (changed.kind === 'holiday')
    return { body: holidayBody(holidaySince(toHoliday({ ...item }), grantedAtMs)), readings: {} };
  if (changed.kind === 'time-program') return { body: timeProgramBody(toTimeProgram({ ...item })), readings: {} };
  if (changed.family === 'dhw') {
    const circuit = toCircuit<'dhw'>({ ...item });
    return { body: dhwCircuitBody(circuit), readings: dhwReadings(circuit) };
  }
  const circuit = toCircuit<'heating'>({ ...item });
  return { body: heatingCircuitBody(circuit), readings: heatingReadings(circuit) };
};

type Times = Readonly<Record<string, number | undefined>>;

/** Returns the newest time that the change added; undefined if it added no time. */
const newestSince = (timesIn: (item: Item) => Times, { before = {}, after = {} }: ItemChange): number | undefined => {
  const [old, times] = [timesIn(before), timesIn(after)];
  const newTimes = Object.entries(times).flatMap(([name, time]) => (time === old[name] ? [] : (time ?? [])));
  return newTimes.length > 0 ? Math.max(...newTimes) : undefined;
};

const timesOf = ({ reportedAtMs, desiredAtMs, lastRefusal, lastDropped }: Partial<Shadow>): Times => ({
  reported: reportedAtMs,
  desired: desiredAtMs,
  refused: lastRefusal?.atMs,
  dropped: lastDropped?.atMs,
});

/**
 * Returns when this service received the change. For a deletion, only the record has a time, in whole seconds; the result
 * is then no earlier than the receipt of the deleted data.
 */
const receiptOf = (change: ItemChange): number =>
  newestSince(receiptsOf, change) ??
  Math.max(change.atMs, ...Object.values(receiptsOf(change.after ?? change.before ?? {})).map((time) => time ?? 0));

/** A request and a drop have only one time, which is already by this service's clock. */
const receiptsOf = (item: Item): Times => {
  const { receivedAtMs, desiredAtMs, lastRefusal, lastDropped }: Partial<Shadow> = item;
  return {
    received: receivedAtMs,
    desired: desiredAtMs,
    refused: lastRefusal?.receivedAtMs,
    dropped: lastDropped?.atMs,
    ...Object.fromEntries(Object.entries(factsIn(item)).map(([name, fact]) => [`fact ${name}`, fact.receivedAtMs])),
  };
};

const resourceOf = ({ gatewayId, sk }: Item): string => {
  const item = changeItemOf(String(sk));
  if (item.kind === 'holiday') return holidayEndpoints.getHoliday.path.replace('{gatewayId}', String(gatewayId));
  const { family, circuitId, ...rest } = item;
  const { path } = family === 'heating' ? heating : dhw;
  const circuit = `${path.replace('{gatewayId}', String(gatewayId))}/${circuitId}`;
  return 'timeProgramId' in rest ? `${circuit}/timePrograms/${rest.timeProgramId}` : circuit;
};
