import { onTestFinished } from 'vitest';
import type { RunClock } from '../../../local/rehearsal/run-clock.ts';
import { type Group, memoryOf } from './process-memory.ts';

/** Megabytes per process of each group. */
type Memory = Partial<Record<Group, number>>;

/** Reads the memory of a local run each second until it is stopped; gives the mean of the run's second third and of its last. */
export const watchMemory = (pid: number, clock: RunClock) => {
  const thirds: Memory[][] = [[], [], []];
  const sampler = setInterval(
    () => thirds[Math.min(2, Math.floor((3 * clock.runMsAt(Date.now())) / clock.lengthMs))]?.push(memoryOf(pid)),
    1000,
  );
  onTestFinished(() => clearInterval(sampler));
  return {
    stop: (): { readonly second: Memory; readonly last: Memory } => {
      clearInterval(sampler);
      const [, second = [], last = []] = thirds;
      return { second: meanOf(second), last: meanOf(last) };
    },
  };
};

const meanOf = (samples: readonly Memory[]): Memory => {
  const groups = [...new Set(samples.flatMap((sample) => Object.keys(sample) as Group[]))];
  const means = groups.map((group) => {
    const values = samples.map((sample) => sample[group]).filter((each) => each !== undefined);
    return [group, Math.round(values.reduce((sum, each) => sum + each, 0) / values.length)];
  });
  return Object.fromEntries(means);
};
