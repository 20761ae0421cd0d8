/**
 * Maps the seconds of a run to the hours that a dashboard shows of it: CloudWatch thinks in minutes, and nobody waits for
 * them. Only times are stretched; what was measured stays as it was.
 */
export type CompressedClock = {
  /** The shown time of something that happened in the run; what was before it belongs to its start. */
  readonly shownMs: (realMs: number) => number;
};

export const createCompressedClock = (
  realStartMs: number,
  shownStartMs: number,
  compression: number,
): CompressedClock => ({
  shownMs: (realMs) => Math.round(shownStartMs + Math.max(0, realMs - realStartMs) * compression),
});
