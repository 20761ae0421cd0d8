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

const weekMs = 7 * 24 * 60 * 60_000;

/** Lets the store take the time that it takes: no verdict depends on how fast this machine is. */
export const patience = {
  requestTimeouts: { connectionTimeout: weekMs, requestTimeout: weekMs },
  storeDeadlineMs: weekMs,
};

/**
 * Looks until a look throws nothing, for as long as the machine takes, and returns what it saw. A test that hangs, which the
 * time-out of all tests ends, prints what it waited for.
 */
export const eventually = async <Value>(look: () => Value | Promise<Value>, everyMs = 100): Promise<Value> => {
  for (let missing = ''; ; await setTimeout(everyMs)) {
    try {
      return await look();
    } catch (error) {
      const { message } = error as Error;
      if (message !== missing) console.log(`Waiting: ${message}`);
      missing = message;
    }
  }
};
