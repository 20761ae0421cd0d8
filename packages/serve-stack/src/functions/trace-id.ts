import { randomBytes } from 'node:crypto';

/** A new trace header as AWS makes them. */
export const traceIdAt = (atMs: number): string =>
  `Root=1-${Math.floor(atMs / 1000).toString(16)}-${randomBytes(12).toString('hex')}`;
