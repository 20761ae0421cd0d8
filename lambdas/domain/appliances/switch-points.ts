import type { SwitchPointLimits } from './appliance.ts';

export type SwitchPoint = { readonly dayOfWeek: string; readonly time: string; readonly setpoint: string };

/** A broken rule: its place in the list, and what was expected. */
export type SwitchPointFault = { readonly pointer: string; readonly detail: string };

/** Holds the points of a time program against what the appliance can hold; every fault, in the order of the list. */
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

/** The minute of the day, of `hh:mm`. */
const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
