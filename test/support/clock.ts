import { setTimeout } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

/**
 * Stops the clock of this process, by which the local gateway stamps requests, until the test ends: what a rate limit
 * admits follows then from the requests alone, however long the machine takes for them.
 */
export const stopClock = () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(async () => {
    const aheadMs = Date.now() - vi.getRealSystemTime();
    vi.useRealTimers();
    // A clock never goes back.
    await setTimeout(Math.max(0, aheadMs));
  });
  return { forward: (ms: number) => void vi.setSystemTime(Date.now() + ms) };
};

/** Lets whatever this process measures take no time, until the test ends. */
export const stopStopwatch = (): void => {
  const stopped = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  onTestFinished(() => stopped.mockRestore());
};
