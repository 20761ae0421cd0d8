/** How far a run has come. It follows the real time, but stands still while the machine is behind with what it has to do. */
export type RunClock = {
  readonly lengthMs: number;
  /** Resolves when so much of the run is over; tells whether it is, or the run is over earlier. */
  readonly until: (runMs: number) => Promise<boolean>;
  readonly isOver: () => boolean;
  /** Stands still until the work has ended: on a slow machine a run takes longer, and is the same run. */
  readonly standStillFor: (work: Promise<unknown>) => Promise<void>;
  /** Tells how much of the run was over at a real time; what was before the run belongs to its start. */
  readonly runMsAt: (realMs: number) => number;
  /** Tells for which part of the time so far this process waited for the machine, from 0 to 1. */
  readonly stalledShare: () => number;
  readonly stop: () => void;
};

type Mark = { readonly realMs: number; readonly runMs: number };

const tickMs = 5;

/** A process that gets no time for longer than this has missed some of the run; the clock does not skip that. */
const longestStepMs = 25;

/** Starts a run of this length. It is over earlier if there is no more time for it, however far it has come. */
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

/** Searches by halves: a run of ten minutes has a hundred thousand marks. */
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
