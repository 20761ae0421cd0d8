import type { RunClock } from '../run-clock.ts';

/**
 * Maps the seconds of a run to the hours that a dashboard shows of it: CloudWatch thinks in minutes, and nobody waits for
 * them. Only times are stretched; what was measured stays as it was.
 */
export type CompressedClock = {
  /** The shown time of something that happened at a real time. */
  readonly shownMs: (realMs: number) => number;
};

/** What a slow machine has done only after the run still belongs to it: it is shown at the end. */
export const createCompressedClock = (
  { runMsAt, lengthMs }: Pick<RunClock, 'runMsAt' | 'lengthMs'>,
  shownStartMs: number,
  compression: number,
): CompressedClock => {
  const lastShownMs = shownStartMs + lengthMs * compression - 1;
  return { shownMs: (realMs) => Math.min(Math.round(shownStartMs + runMsAt(realMs) * compression), lastShownMs) };
};
