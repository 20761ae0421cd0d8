import { isDeepStrictEqual } from 'node:util';
import { maxOverrideDays } from '../api/limits.ts';
import { nextSwitchPoint, type Override } from '../api/schemas/override.ts';
import { inNormalForm, isSameMinute } from './normal-form.ts';
import { toTimestamp } from './time.ts';

/**
 * A partner's request for an override: all but the time of the request. The appliance ends an override by its own clock and
 * reports that, so this service has no timer for it.
 */
export type OverrideRequest = Omit<Override, 'since'>;

/** Returns what was expected of an override's end if it is invalid; undefined if it is valid. */
export const overrideEndFault = ({ until }: OverrideRequest, nowMs: number): string | undefined => {
  if (until === nextSwitchPoint) return undefined;
  const untilMs = Date.parse(until);
  const isAhead = untilMs > nowMs && untilMs <= nowMs + maxOverrideMs;
  return isAhead ? undefined : `Expected a time after now, and at most ${maxOverrideDays} days ahead.`;
};

/** Returns the override that is requested at that time. */
export const requestedOverride = <Request extends OverrideRequest>(request: Request, nowMs: number) => ({
  ...request,
  since: toTimestamp(nowMs),
});

/** An override as it is reported. */
export type ReportedOverride = { readonly [Name in keyof Override]?: Override[Name] | undefined };

/**
 * Returns the start of a reported override whose report does not have it: that of an equal known override that began by
 * `latestMs`. Without this, each report would begin another override.
 */
export const sinceOfSameOverride = (
  { since: _, until: end = nextSwitchPoint, ...level }: ReportedOverride,
  known: readonly (Override | null | undefined)[],
  latestMs: number,
): string | undefined =>
  known.find((override) => {
    if (!override || Date.parse(override.since) > latestMs) return false;
    const { since: _, until, ...knownLevel } = override;
    const isSameEnd = until === nextSwitchPoint || isSameMinute(until, end);
    return isSameEnd && isDeepStrictEqual(inNormalForm(knownLevel), inNormalForm(level));
  })?.since;

/**
 * Returns the override that was reported at that time. By default it began at the time of the report, and ends at the next
 * switch point.
 */
export const reportedOverride = (override: ReportedOverride, atMs: number) => ({
  ...override,
  since: override.since ?? toTimestamp(atMs),
  until: override.until ?? nextSwitchPoint,
});

/**
 * Whether an appliance that reported an override at that time has fulfilled the desired one. An override that has ended needs
 * nothing more. An appliance may report the time of a switch point where the request did not have it. `reported` is undefined
 * if the report could not be read.
 */
export const isOverrideMet = (
  desired: Override | null,
  reported: Override | null | undefined,
  atMs: number,
): boolean => {
  if (desired && isOverrideOver(desired, atMs)) return true;
  if (!desired || !reported) return desired === reported;
  const { since: requestedAt, until, ...level } = desired;
  const { since, until: end, ...reportedLevel } = reported;
  // An earlier override may be equal except for its start, from which the next switch point is counted.
  const isSameEnd = until === nextSwitchPoint ? isSameMinute(requestedAt, since) : isSameMinute(until, end);
  return isSameEnd && isDeepStrictEqual(inNormalForm(level), inNormalForm(reportedLevel));
};

export const isOverrideOver = (override: Override, atMs: number): boolean => endMsOf(override) <= atMs;

/**
 * When an override has ended at the latest, whatever the time program: the program of a week has switched by then, if it ever
 * does.
 */
const endMsOf = ({ until, since }: Override): number =>
  until === nextSwitchPoint ? Date.parse(since) + maxOverrideMs : Date.parse(until);

const maxOverrideMs = maxOverrideDays * 86_400_000;
