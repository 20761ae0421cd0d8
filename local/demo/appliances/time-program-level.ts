import type { SwitchPoint } from '../../../lambdas/domain/appliances/switch-points.ts';

const dayMs = 86_400_000;
const daysPerWeek = 7;

/**
 * The level that a time program asks for at a time: that of the last switch point before it, last week's if need be;
 * undefined for a program without points. The simulated appliances' local time is UTC, on whatever machine they run.
 */
export const levelAt = (switchPoints: readonly SwitchPoint[], nowMs: number): string | undefined => {
  for (let daysBack = 0; daysBack <= daysPerWeek; daysBack++) {
    const dayOfWeek = dayOfWeekAt(nowMs - daysBack * dayMs);
    const latest = switchPoints
      .filter((point) => point.dayOfWeek === dayOfWeek && (daysBack > 0 || point.time <= timeAt(nowMs)))
      .toSorted((one, other) => one.time.localeCompare(other.time))
      .at(-1);
    if (latest) return latest.setpoint;
  }
  return undefined;
};

const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' });
const dayOfWeekAt = (epochMs: number) => weekday.format(epochMs).toLowerCase();

/** `HH:mm` */
const timeAt = (epochMs: number) => new Date(epochMs).toISOString().slice(11, 16);
