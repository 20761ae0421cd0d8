/**
 * Returns by how much more time an action takes for an input that is eight times as long: 8 if the time is proportional to the
 * length, 64 if it grows with its square. What a busy machine adds is noise, so the least of several comparisons counts.
 */
export const growthOf = <Input>(
  action: (input: Input) => unknown,
  inputOf: (length: number) => Input,
  length: number,
) => {
  const [short, long] = [inputOf(length), inputOf(8 * length)];
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 8 && least > linearGrowth; attempt++)
    least = Math.min(
      least,
      timeOf(() => action(long)) /
        Math.max(
          timeOf(() => action(short)),
          negligibleMs,
        ),
    );
  return least;
};

/** More than the growth of a linear time, and less than half of that of a quadratic one. */
export const linearGrowth = 24;

/** A shorter time says nothing. */
const negligibleMs = 0.05;

const timeOf = (action: () => unknown): number => {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < 3; time++) {
    const beganAt = performance.now();
    action();
    least = Math.min(least, performance.now() - beganAt);
  }
  return least;
};

/**
 * Returns the time of the processor that an action takes on average once it was compiled, in milliseconds. Other programs hardly
 * change it.
 */
export const processorMsOf = (action: () => unknown): number => {
  averageMs(action);
  return averageMs(action);
};

const averageMs = (action: () => unknown): number => {
  const began = process.threadCpuUsage();
  for (let times = 1; ; times++) {
    action();
    const { user, system } = process.threadCpuUsage(began);
    if (user + system > 40_000) return (user + system) / 1000 / times;
  }
};
