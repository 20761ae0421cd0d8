import { isDeepStrictEqual } from 'node:util';
import type { FamilyName } from '../api/endpoints/circuit-endpoints.ts';
import { staleAfterMinutes } from '../api/limits.ts';
import type {
  DhwMeasurements,
  DhwSettings,
  HeatingMeasurements,
  HeatingSettings,
  ReadOnlyProperties,
} from '../api/schemas/circuit.ts';
import type { ApplianceFeature, ApplianceFunction } from '../api/schemas/gateway.ts';
import type { HolidayPeriod, HolidaySettings } from '../api/schemas/holiday.ts';
import type { Override } from '../api/schemas/override.ts';
import type { ProgramContent } from '../api/schemas/time-program.ts';
import type { DescribedLimits } from './circuit-limits.ts';
import type { DescribedCirculations } from './circulation.ts';
import { isHolidayMet, isHolidayOver } from './holiday.ts';
import { levelsApart } from './level-setpoints.ts';
import { inNormalForm, isSameText } from './normal-form.ts';
import type { Drop, Requesters } from './open-change.ts';
import { isOverrideMet, isOverrideOver } from './override.ts';

/** When something happened, by the sender's clock, and when this service received it, by its own clock. */
export type FactTimes = { readonly atMs: number; readonly receivedAtMs: number };

/** A function that the appliance blocks; its end may be unknown. */
export type Block = { readonly sinceMs: number; readonly untilMs: number | null };

/** A fault of an appliance, or maintenance that is due. */
export type Fault = {
  readonly code: string;
  /** The component that has the fault; null if the appliance names none. */
  readonly componentId: string | null;
  readonly severity: string;
  /** A description for people; null if the appliance has none. */
  readonly text: string | null;
  readonly sinceMs: number;
};

export type Gateway = {
  readonly gatewayId: string;
  readonly name: string;
  readonly type: string;
  readonly connectivity: 'online' | 'offline';
  /** Since when the gateway has been online or offline; null if that is not known. */
  readonly connectivitySinceMs: number | null;
  readonly lastSeenAtMs: number;
  readonly components: {
    readonly componentId: string;
    readonly type: string;
    readonly model: string;
    readonly serialNumber?: string | undefined;
  }[];
  readonly limits: SwitchPointLimits;
  readonly features: ApplianceFeature[];
  /** The limits of circuits, by family and id; absent if the gateway was described without limits. */
  readonly circuitLimits?: DescribedLimits | undefined;
  /** The circulation pumps of circuits, by family and id; absent if the gateway was described without any. */
  readonly circulations?: DescribedCirculations | undefined;
  readonly blocks: Readonly<Partial<Record<ApplianceFunction, Block>>>;
  /** The newest first. */
  readonly faults: readonly Fault[];
  /** The time zone of the home, by its IANA name; null if it is not known. */
  readonly timeZone: string | null;
};

/** The appliance's limits for the switch points of a time program. */
type SwitchPointLimits = {
  readonly maxSwitchPoints: number;
  readonly maxSwitchPointsPerDay: number;
  readonly switchPointRasterMinutes: number;
};

/**
 * The state that a partner can change, as in a device shadow: what the appliance last reported, with what no partner can change,
 * and the settings that were desired since. The version counts requested changes, not reports.
 */
export type Shadow<Settings extends object = object, ReadOnly extends object = object> = {
  readonly reported: Settings & ReadOnly;
  readonly reportedAtMs: number;
  /** When this service received the stored report, or the newest confirmation of a change. */
  readonly receivedAtMs: number;
  readonly desired?: Desired<Settings>;
  /** Who asked for each desired property, and when the newest of them was requested; present as long as something is desired. */
  readonly desiredBy?: Requesters;
  readonly desiredAtMs?: number;
  /** Since when the item has had open changes without a break: the time of the first of them. */
  readonly openSince?: string;
  /** Whether the gateway has ever answered with the version of a change of this item. */
  readonly answersWithVersions?: boolean;
  /** What is desired and the newest report does not say, if there is anything: a report of before has said it. */
  readonly unsaid?: readonly string[];
  /** Present if the setpoint of a level may be desired. */
  readonly desiresLevels?: true;
  /** Why the appliance has not fulfilled what is desired, if it reported a reason. */
  readonly lastRefusal?: Refusal;
  /** What was dropped of the last requested changes, if anything was; the next request removes it. */
  readonly lastDropped?: Drop;
  readonly version: number;
};

/** An appliance's refusal of the requested change of a version. */
export type Refusal = FactTimes & {
  readonly version: number;
  /** A short code. */
  readonly reason: string;
  readonly detail: string;
};

export type Desired<Settings extends object> = { readonly [Name in keyof Settings]?: Settings[Name] | undefined };

type CircuitShadows = {
  readonly heating: Shadow<HeatingSettings, ReadOnlyProperties & HeatingMeasurements>;
  readonly dhw: Shadow<DhwSettings, ReadOnlyProperties & DhwMeasurements>;
};

export type Circuit<Family extends FamilyName = FamilyName> = {
  readonly gatewayId: string;
  readonly circuitId: string;
} & CircuitShadows[Family];
export type TimeProgram = { readonly timeProgramId: string } & Shadow<ProgramContent>;

/** The holiday of a home, which is reached through its gateway. */
export type Holiday = { readonly gatewayId: string } & Shadow<HolidaySettings>;

/**
 * Whether the settings that were reported at that time fulfil everything that is desired; false if nothing is desired. Both are
 * compared in their normal form.
 */
export const isFulfilledBy = (seen: Shadow, reported: object, atMs: number): boolean => {
  const { desired } = seen;
  const values = levelsApart(inNormalForm(reported));
  return (
    desired !== undefined &&
    Object.entries(inNormalForm(desired)).every(([name, value]) => {
      if (name === 'override') return isOverrideMet(value, values.override as Override | null | undefined, atMs);
      if (name === 'holiday') return isHolidayMet(value, values.holiday as HolidayPeriod | null | undefined, atMs);
      // Some appliances have no names for their time programs. An answer with the version may still say another name.
      if (name === 'name' && !values.name) return !mayBeAnswered(seen, atMs);
      if (name === 'name') return isSameText(value, String(values.name));
      return isDeepStrictEqual(value, values[name]);
    })
  );
};

/** The settings of which a partner may ask for none, with null. */
export const mayBeNone: ReadonlySet<string> = new Set(['override', 'holiday']);

/** Whether a desired setting is an override or a holiday that is over at that time. */
export const isOver = (name: string, desired: unknown, atMs: number): boolean =>
  desired !== null &&
  ((name === 'override' && isOverrideOver(desired as Override, atMs)) ||
    (name === 'holiday' && isHolidayOver(desired as HolidayPeriod, atMs)));

/** How far the clocks of senders may be behind the service's. */
const clockToleranceMs = 60_000;

/** A report confirms or refuses only changes that were requested up to this time, by the clock of the service. */
export const latestRequestMs = ({ atMs }: Pick<FactTimes, 'atMs'>): number => atMs + clockToleranceMs;

export const isMadeSince = (
  { desiredAtMs = 0 }: Pick<Shadow, 'desiredAtMs'>,
  times: Pick<FactTimes, 'atMs'>,
): boolean => desiredAtMs <= latestRequestMs(times);

type Asked = Pick<Shadow, 'desiredAtMs' | 'openSince' | 'answersWithVersions'>;

const sinceRequestMs = ({ desiredAtMs = 0 }: Asked, atMs: number): number => atMs - desiredAtMs;

/** Whether the gateway may still answer with the version of what is desired, by any clock. */
const mayBeAnswered = (asked: Asked, atMs: number): boolean =>
  asked.answersWithVersions === true && sinceRequestMs(asked, atMs) < clockToleranceMs;

/**
 * Whether a report of that time may confirm what is desired by its values alone. If another change was open when the newest was
 * requested, the values may be those from before both: the appliance may apply the earlier change after its report. So the
 * report has to be from after the request, by any clock if the gateway could have answered with the version.
 */
export const mayConfirmByValues = (asked: Asked, { atMs }: Pick<FactTimes, 'atMs'>): boolean => {
  const { desiredAtMs, openSince } = asked;
  const isOnlyOpenChange = openSince === undefined || Date.parse(openSince) === desiredAtMs;
  if (isOnlyOpenChange) return sinceRequestMs(asked, atMs) >= -clockToleranceMs;
  return sinceRequestMs(asked, atMs) >= 0 && !mayBeAnswered(asked, atMs);
};

/** Returns the block of a function at a time, if there is one. */
export const blockAt = ({ blocks }: Gateway, name: ApplianceFunction, nowMs: number): Block | undefined => {
  const block = blocks[name];
  return block && (block.untilMs === null || nowMs < block.untilMs) ? block : undefined;
};

/**
 * Whether a reading of a circuit may be out of date at that time: neither the circuit nor its gateway was heard from for more
 * than `staleAfterMinutes`.
 */
export const isStale = (
  { lastSeenAtMs }: Pick<Gateway, 'lastSeenAtMs'>,
  { reportedAtMs }: Pick<Shadow, 'reportedAtMs'>,
  nowMs: number,
): boolean => nowMs - Math.max(lastSeenAtMs, reportedAtMs) > staleAfterMinutes * 60_000;

export type SwitchPoint = { readonly dayOfWeek: string; readonly time: string; readonly setpoint: string };

/** A broken rule: its place in the list, and what was expected. */
export type SwitchPointFault = { readonly pointer: string; readonly detail: string };

/** Checks the points of a time program against the appliance's limits. Returns all faults, in the order of the list. */
export const switchPointFaults = (points: readonly SwitchPoint[], limits: SwitchPointLimits): SwitchPointFault[] => {
  const { maxSwitchPoints, maxSwitchPointsPerDay, switchPointRasterMinutes: raster } = limits;
  const faults: SwitchPointFault[] = [];
  if (points.length > maxSwitchPoints)
    faults.push({ pointer: '', detail: `Expected at most ${maxSwitchPoints} switch points, got ${points.length}.` });

  const seen = new Set<string>();
  const perDay = new Map<string, number>();
  for (const [index, { dayOfWeek, time }] of points.entries()) {
    const count = (perDay.get(dayOfWeek) ?? 0) + 1;
    perDay.set(dayOfWeek, count);
    if (count === maxSwitchPointsPerDay + 1)
      faults.push({
        pointer: `/${index}`,
        detail: `Expected at most ${maxSwitchPointsPerDay} points on ${dayOfWeek}.`,
      });
    if (minuteOf(time) % raster !== 0)
      faults.push({ pointer: `/${index}/time`, detail: `Expected a multiple of ${raster} minutes, got ${time}.` });
    if (seen.has(`${dayOfWeek} ${time}`))
      faults.push({ pointer: `/${index}`, detail: `Expected one point only on ${dayOfWeek} at ${time}.` });
    seen.add(`${dayOfWeek} ${time}`);
  }
  return faults;
};

/** Returns the minute of the day for `hh:mm`. */
const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Returns the `ETag` of a version. */
export const entityTagOf = (version: number): string => `"${version}"`;

/** The tags of `If-Match`: `*`, or tags of which one has to match the version; empty if the request has no such condition. */
export type IfMatch = readonly string[];

export const expectedIfMatch =
  'Expected `*`, or the ETag of an answer, such as "7". Any other was changed on the way, by a proxy.';

/**
 * Parses the values of `If-Match`; returns undefined if they are not a list of tags in this service's format. A weak tag counts
 * as the strong one, unlike in RFC 9110 (13.1.1): proxies that compress an answer make its tag weak, and a tag is the version
 * of a stored item, which compression does not change. Elements of a list may be empty (RFC 9110, 5.6.1).
 */
export const parseIfMatch = (values: readonly string[]): IfMatch | undefined => {
  const elements = values.flatMap((value) => value.split(',')).map((element) => element.trim());
  const tags = elements.filter((element) => element !== '').map((element) => element.replace(/^W\//, ''));
  const isWellFormed = elements.join('') === '*' || tags.every((tag) => /^"\d+"$/.test(tag));
  return isWellFormed && (tags.length > 0 || values.length === 0) ? tags : undefined;
};

/** Whether `If-Match` allows a change of this version. */
export const isMatch = (ifMatch: IfMatch, version: number): boolean =>
  ifMatch.length === 0 || ifMatch.includes('*') || ifMatch.includes(entityTagOf(version));
