import { setTimeout } from 'node:timers/promises';

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
