import * as z from 'zod/mini';
import { reportIntervalMinutes, staleAfterMinutes } from '../limits.ts';
import { connectivity, timestamp } from './common.ts';

/** Whether the shown values of a circuit are current. Events lack these properties, because they describe only the circuit. */
export const liveness = () => ({
  connectivity: connectivity(),
  connectivitySince: z.nullable(timestamp()),
  stale: z.boolean(),
});

export const livenessDescriptions = () => ({
  connectivity:
    'Whether the service can reach the gateway of the circuit now; an offline gateway receives changes when it is online again.',
  connectivitySince: 'When the connectivity of the gateway last changed, UTC; null if that is not known.',
  stale: `Whether the values may be out of date: neither the gateway nor the circuit has reported for ${staleAfterMinutes} minutes. A gateway reports at least every ${reportIntervalMinutes} minutes.`,
});

export const livenessExample = () =>
  ({ connectivity: 'online', connectivitySince: '2026-11-18T07:12:00Z', stale: false }) as const;
