const weekMs = 7 * 24 * 60 * 60_000;

/** Lets the store take the time that it takes: no verdict depends on how fast this machine is. */
export const patience = {
  requestTimeouts: { connectionTimeout: weekMs, requestTimeout: weekMs },
  storeDeadlineMs: weekMs,
};
