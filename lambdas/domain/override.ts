import { isDeepStrictEqual } from 'node:util';
import { maxOverrideDays } from '../api/limits.ts';
import { nextSwitchPoint, type Override } from '../api/schemas/override.ts';
import { inNormalForm, isSameMinute } from './normal-form.ts';
import { toTimestamp } from './time.ts';

/** What a partner asks for of an override: all but when it was asked. */
export type OverrideRequest = Omit<Override, 'since'>;

/** Why an override cannot end when it is to, as what was expected instead; undefined if it can. */
export const overrideEndFault = ({ until }: OverrideRequest, nowMs: number): string | undefined => {
  if (until === nextSwitchPoint) return undefined;
  const untilMs = Date.parse(until);
  const isAhead = untilMs > nowMs && untilMs <= nowMs + maxOverrideMs;
  return isAhead ? undefined : `Expected a time after now, and at most ${maxOverrideDays} days ahead.`;
};

/** The override that is requested at that time. */
export const requestedOverride = <Request extends OverrideRequest>(request: Request, nowMs: number) => ({
  ...request,
  since: toTimestamp(nowMs),
});

/** An override as a report has it. */
export type ReportedOverride = { readonly [Name in keyof Override]?: Override[Name] | undefined };

/**
 * Since when a reported override lasts if the report does not say it: as an override that is known, if that one is alike and began
 * by then. Without it, each report would begin another override.
 */
export const sinceOfAlike = (
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

/** The override that a report of that time has: what it leaves out is the next switch point, and the time of the report. */
export const reportedOverride = (override: ReportedOverride, atMs: number) => ({
  ...override,
  since: override.since ?? toTimestamp(atMs),
  until: override.until ?? nextSwitchPoint,
});

/**
 * Whether an appliance that reported an override at that time has done what is desired. An override whose end has come needs
 * nothing any more. An appliance may tell the time of a switch point where the request did not. What it has is undefined if its
 * report could not be read.
 */
export const isOverrideMet = (
  desired: Override | null,
  reported: Override | null | undefined,
  atMs: number,
): boolean => {
  if (desired && endMsOf(desired) <= atMs) return true;
  if (!desired || !reported) return desired === reported;
  const { since: requestedAt, until, ...level } = desired;
  const { since, until: end, ...reportedLevel } = reported;
  // One that was requested earlier may be alike: the switch point counts from the request.
  const isSameEnd = until === nextSwitchPoint ? isSameMinute(requestedAt, since) : isSameMinute(until, end);
  return isSameEnd && isDeepStrictEqual(inNormalForm(level), inNormalForm(reportedLevel));
};

/** By when an override has ended, whatever the time program: a program of a week has switched by then if it ever does. */
const endMsOf = ({ until, since }: Override): number =>
  until === nextSwitchPoint ? Date.parse(since) + maxOverrideMs : Date.parse(until);

const maxOverrideMs = maxOverrideDays * 86_400_000;
