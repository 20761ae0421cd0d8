import { maxClockAheadMs } from '../api/inbound-events/inbound-event.ts';

/**
 * The times of a change of what an owner gives or withdraws: a contract, consent, or a gateway. They come from the clocks of
 * several systems, each off by up to a minute, so no single time orders changes.
 */
export type ChangeTimes = {
  /** When the change happened, by the sender's clock. A repeat has the same time. */
  readonly claimedAtMs: number;
  /** From when the change counts: the earlier of that time and its arrival by the clock of this service. */
  readonly countsFromMs: number;
  /** When this service received the change, by its own clock: events that it received earlier are not shown. */
  readonly receivedAtMs: number;
};

/** The times by which changes are ordered. */
export type OrderedTimes = Omit<ChangeTimes, 'receivedAtMs'>;

/** The last effective change. If none is known, any change is newer. */
export type Permission = OrderedTimes & { readonly isGiven: boolean };

/** A change at its own time, `nowMs`, and when it was recorded and arrived; both default to `nowMs`. */
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

/** Returns the time of a change that partners see: no later than its receipt by this service. */
export const happenedAtMs = ({ claimedAtMs, receivedAtMs }: ChangeTimes): number => Math.min(claimedAtMs, receivedAtMs);

/**
 * Whether a change gives something. After a withdrawal, both of its times have to be newer: neither a clock that is ahead nor a
 * late delivery brings back what was withdrawn meanwhile.
 */
export const isNewlyGiven = (known: Permission, { claimedAtMs, countsFromMs }: ChangeTimes): boolean =>
  claimedAtMs > known.claimedAtMs && (known.isGiven || countsFromMs > known.countsFromMs);

/** Whether both times of a withdrawal are older than what is known. In doubt it is not older, and access ends. */
export const isOlderWithdrawal = (known: OrderedTimes, { claimedAtMs, countsFromMs }: ChangeTimes): boolean =>
  claimedAtMs < known.claimedAtMs && countsFromMs < known.countsFromMs;

/** `noted`: the change is stored, but access stays the same. */
export type TakenOver<Change> = { readonly outcome: 'applied' | 'noted'; readonly change: Change };

/** Returns the known times after a withdrawal; undefined if the withdrawal is stale. */
export const withdrawn = (known: Permission, times: ChangeTimes): TakenOver<OrderedTimes> | undefined => {
  const change = afterWithdrawal(known, times);
  if (known.isGiven) return isOlderWithdrawal(known, times) ? undefined : { outcome: 'applied', change };
  const isKnown = change.claimedAtMs === known.claimedAtMs && change.countsFromMs === known.countsFromMs;
  return isKnown ? undefined : { outcome: 'noted', change };
};

/** Returns the known times after a withdrawal: neither of them decreases, so that everything given before stays older. */
export const afterWithdrawal = (known: Permission, { claimedAtMs, countsFromMs }: ChangeTimes) => ({
  claimedAtMs: Math.max(known.claimedAtMs, claimedAtMs),
  countsFromMs: Math.max(known.countsFromMs, countsFromMs),
});

/** An operator's program gets the time of the service in whole seconds, rounded up, so it may be ahead by up to one. */
const wholeSecondMs = 1000;

/** An operator's withdrawal overrides what is given: no earlier act from a clock that is ahead gives it again. */
export const withdrawalByOperator = (nowMs: number): ChangeTimes => ({
  claimedAtMs: nowMs + maxClockAheadMs,
  countsFromMs: nowMs,
  receivedAtMs: nowMs,
});

/**
 * An operator's grant overrides what is known; replays of earlier acts stay older. A later withdrawal ends it, even from a
 * clock that is behind.
 */
export const givenByOperator = (nowMs: number): ChangeTimes => ({
  claimedAtMs: nowMs + maxClockAheadMs,
  countsFromMs: nowMs - wholeSecondMs - maxClockAheadMs,
  receivedAtMs: nowMs,
});
