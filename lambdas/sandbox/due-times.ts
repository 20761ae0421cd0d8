import type { ApplianceState } from '../../simulator/appliance-state.ts';
import { onlineIntervalMs } from '../../simulator/simulated-appliance.ts';

/** How long a home is simulated each minute after its installation, a requested change or a control. */
export const livelyForMs = 60 * 60_000;

/** How often a home is simulated: as often as the schedule allows while it is lively, then as often as it reports online. */
const livelyIntervalMs = 60_000;
const restIntervalMs = 60 * 60_000;

/**
 * Returns when a home is due next: after its interval, or earlier if an override or a holiday ends or if its gateway has to report
 * that it is online.
 */
export const nextDueMs = (
  { circuits, holiday, isOffline, reportedOnlineAtMs }: ApplianceState,
  livelyUntilMs: number,
  nowMs: number,
): number => {
  const ends = [
    ...circuits.map(({ content }) => (content as Overridden).override?.until),
    holiday?.content.holiday?.to,
  ];
  const intervalMs = nowMs < livelyUntilMs ? livelyIntervalMs : restIntervalMs;
  // A text that is no time becomes NaN, which is not later.
  const times = [
    ...ends.map((until) => Date.parse(String(until))),
    ...(isOffline ? [] : [reportedOnlineAtMs + onlineIntervalMs]),
  ].filter((timeMs) => timeMs > nowMs);
  return Math.min(nowMs + intervalMs, ...times);
};

type Overridden = { readonly override?: { readonly until: string } | null };
