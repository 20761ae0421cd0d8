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

/** The override that a report of that time has: what it leaves out is the next switch point, and the time of the report. */
export const reportedOverride = <Reported extends { readonly until?: string | undefined }>(
  override: Reported,
  atMs: number,
) => ({ since: toTimestamp(atMs), ...override, until: override.until ?? nextSwitchPoint });

/**
 * Whether an appliance that reported an override at that time has done what is desired. An override whose end has come needs
 * nothing any more. An appliance may tell the time of a switch point where the request did not.
 */
export const isOverrideMet = (desired: Override | null, reported: Override | null, atMs: number): boolean => {
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
