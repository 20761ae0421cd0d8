/** The progress of a run. It follows real time, but stops while the machine is behind. */
export type RunClock = {
  readonly lengthMs: number;
  /** Resolves when the run has reached `runMs` (true) or has ended before (false). */
  readonly until: (runMs: number) => Promise<boolean>;
  readonly isOver: () => boolean;
  /** Stops the clock until the work has ended, so that a slow machine plays the same run, only longer. */
  readonly standStillFor: (work: Promise<unknown>) => Promise<void>;
  /** Returns the run time at a real time; 0 for times before the run. */
  readonly runMsAt: (realMs: number) => number;
  /** Returns the share of the real time so far in which the machine gave this process no time, from 0 to 1. */
  readonly stalledShare: () => number;
  readonly stop: () => void;
};

type Mark = { readonly realMs: number; readonly runMs: number };

const tickMs = 5;

/** The clock advances at most this much per tick: if the process got no time for longer, the run does not skip ahead. */
const longestStepMs = 25;

/** Starts the clock of a run of this length. The run also ends when `hasTime` returns false. */
export const startRunClock = (lengthMs: number, hasTime = () => true): RunClock => {
  const marks: Mark[] = [{ realMs: Date.now(), runMs: 0 }];
  const lastMark = () => marks.at(-1) as Mark;
  let holds = 0;
  let waiting: (() => void)[] = [];
  let stalledMs = 0;

  const tick = () => {
    const { realMs, runMs } = lastMark();
    const nowMs = Date.now();
    stalledMs += Math.max(0, nowMs - realMs - longestStepMs);
    const stepMs = holds > 0 ? 0 : Math.min(nowMs - realMs, longestStepMs);
    marks.push({ realMs: nowMs, runMs: runMs + stepMs });
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
  const timer = setInterval(tick, tickMs);
  const isOver = () => lastMark().runMs >= lengthMs || !hasTime();

  return {
    lengthMs,
    until: async (runMs) => {
      while (lastMark().runMs < runMs && !isOver()) await new Promise<void>((resolve) => waiting.push(resolve));
      return lastMark().runMs >= runMs;
    },
    isOver,
    standStillFor: async (work) => {
      holds++;
      try {
        await work;
      } finally {
        holds--;
      }
    },
    runMsAt: (realMs) => interpolate(marks, realMs),
    stalledShare: () => stalledMs / Math.max(1, lastMark().realMs - (marks[0] as Mark).realMs),
    stop: () => clearInterval(timer),
  };
};

const interpolate = (marks: readonly Mark[], realMs: number): number => {
  const after = indexOfFirstAfter(marks, realMs);
  const [from, to] = [marks[after - 1], marks[after]];
  if (!from) return 0;
  if (!to) return from.runMs;
  return from.runMs + ((to.runMs - from.runMs) * (realMs - from.realMs)) / (to.realMs - from.realMs);
};

/** A binary search, because a run of ten minutes has a hundred thousand marks. */
const indexOfFirstAfter = (marks: readonly Mark[], realMs: number): number => {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle] as Mark).realMs <= realMs) low = middle + 1;
    else high = middle;
  }
  return low;
};

/**
 * Maps the seconds of a run to the hours that a dashboard shows, because CloudWatch's periods are minutes long. Only times
 * are stretched; measured values stay unchanged.
 */
export type CompressedClock = {
  /** Returns the shown time of a real time. */
  readonly shownMs: (realMs: number) => number;
};

/** Creates a clock whose shown times never exceed the end of the run: a slow machine may do some of its work later. */
export const createCompressedClock = (
  { runMsAt, lengthMs }: Pick<RunClock, 'runMsAt' | 'lengthMs'>,
  shownStartMs: number,
  compression: number,
): CompressedClock => {
  const lastShownMs = shownStartMs + lengthMs * compression - 1;
  return { shownMs: (realMs) => Math.min(Math.round(shownStartMs + runMsAt(realMs) * compression), lastShownMs) };
};
