import { setTimeout } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

/**
 * Stops the clock of this process, which the local gateway uses, until the test ends. Rate limits then depend on the requests
 * only, and not on the speed of the machine.
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

/** Makes every duration that this process measures 0 until the test ends. */
export const stopStopwatch = (): void => {
  const stopped = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  onTestFinished(() => stopped.mockRestore());
};

const weekMs = 7 * 24 * 60 * 60_000;

/** Removes the time-outs of the store, so that no result depends on the speed of the machine. */
export const patience = {
  requestTimeouts: { connectionTimeout: weekMs, requestTimeout: weekMs },
  storeDeadlineMs: weekMs,
};

/**
 * Repeats a check until it throws nothing, however long the machine takes, and returns its result. It prints each new
 * error, so that a test that hangs says what it waits for.
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
