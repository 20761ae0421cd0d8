import { maxClockAheadMs } from '../api/inbound-events/inbound-event.ts';

/**
 * The times of a change of what an owner gives and takes back: consent, or a gateway. Clocks of several systems are in
 * them, each off by up to a minute, so no single time orders changes.
 */
export type ChangeTimes = {
  /** When it came about, as its sender says. A repeat claims the same time. */
  readonly claimedAtMs: number;
  /** From when it counts: the earlier of that time and its arrival by the clock of this service. */
  readonly countsFromMs: number;
  /** When this service took it in, by its own clock: what was taken in before is not shown under it. */
  readonly receivedAtMs: number;
};

/** By what changes are ordered. */
export type OrderedTimes = Omit<ChangeTimes, 'receivedAtMs'>;

/** The last change that stands; when nothing is known, anything is newer. */
export type Permission = OrderedTimes & { readonly isGiven: boolean };

/** A change that was told: at a time of its own, taken in now, and arrived at its own time unless another is given. */
type ToldChange = {
  readonly nowMs: number;
  readonly recordedAtMs?: number | undefined;
  readonly arrivedAtMs?: number | undefined;
};

export const timesOf = ({ nowMs, recordedAtMs = nowMs, arrivedAtMs = nowMs }: ToldChange): ChangeTimes => ({
  claimedAtMs: nowMs,
  countsFromMs: Math.min(nowMs, arrivedAtMs),
  receivedAtMs: recordedAtMs,
});

/** When a change came about, as partners are told it: no later than this service knows of it. */
export const happenedAtMs = ({ claimedAtMs, receivedAtMs }: ChangeTimes): number => Math.min(claimedAtMs, receivedAtMs);

/**
 * Whether something is given by a change. After a withdrawal it has to be newer by both of its times: a clock that is ahead
 * does not bring back what was taken meanwhile, nor does a delivery that is late.
 */
export const isNewlyGiven = (known: Permission, { claimedAtMs, countsFromMs }: ChangeTimes): boolean =>
  claimedAtMs > known.claimedAtMs && (known.isGiven || countsFromMs > known.countsFromMs);

/** Whether a withdrawal is older than what is known: by both of its times. In doubt it is not, and access ends. */
export const isOlderWithdrawal = (known: OrderedTimes, { claimedAtMs, countsFromMs }: ChangeTimes): boolean =>
  claimedAtMs < known.claimedAtMs && countsFromMs < known.countsFromMs;

/** Noted: access is as it was. */
export type TakenOver<Change> = { readonly outcome: 'applied' | 'noted'; readonly change: Change };

/** What a withdrawal makes of the times of what is known; undefined if it is stale. */
export const withdrawn = (known: Permission, times: ChangeTimes): TakenOver<OrderedTimes> | undefined => {
  const change = afterWithdrawal(known, times);
  if (known.isGiven) return isOlderWithdrawal(known, times) ? undefined : { outcome: 'applied', change };
  const isKnown = change.claimedAtMs === known.claimedAtMs && change.countsFromMs === known.countsFromMs;
  return isKnown ? undefined : { outcome: 'noted', change };
};

/** What is known after a withdrawal: neither of its times goes back, so that whatever was given before stays older. */
export const afterWithdrawal = (known: Permission, { claimedAtMs, countsFromMs }: ChangeTimes) => ({
  claimedAtMs: Math.max(known.claimedAtMs, claimedAtMs),
  countsFromMs: Math.max(known.countsFromMs, countsFromMs),
});

/** An operator's program is told the time of the service in whole seconds, rounded up: it is up to one later than it was. */
const wholeSecondMs = 1000;

/** An operator withdraws what stands, whoever gave it: no clock that is ahead has it given again by an act from before. */
export const withdrawalByOperator = (nowMs: number): ChangeTimes => ({
  claimedAtMs: nowMs + maxClockAheadMs,
  countsFromMs: nowMs,
  receivedAtMs: nowMs,
});

/**
 * An operator gives over what stands, and no repeat of an older act is newer. A withdrawal from after it ends it, also if it
 * comes by a clock that is behind.
 */
export const giftByOperator = (nowMs: number): ChangeTimes => ({
  claimedAtMs: nowMs + maxClockAheadMs,
  countsFromMs: nowMs - wholeSecondMs - maxClockAheadMs,
  receivedAtMs: nowMs,
});
