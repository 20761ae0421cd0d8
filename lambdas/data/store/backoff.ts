import { setTimeout } from 'node:timers/promises';

const firstCeilingMs = 25;
const lastCeilingMs = 400;

/** Waits with full jitter: anything up to a ceiling that doubles with each attempt. */
export const backOff = (attempt: number): Promise<void> =>
  setTimeout(Math.random() * Math.min(lastCeilingMs, firstCeilingMs * 2 ** attempt));
