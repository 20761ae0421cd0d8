import type { EventEmitter } from 'node:events';
import type { StoreCall } from './dynamodb/observed-call.ts';
import type { Exchange } from './gateway/exchange.ts';

/** What happens in a run that AWS would count. Whoever listens pays for it: nothing is measured for nobody. */
export type TelemetryEvents = {
  exchange: [exchange: Exchange];
  /** How many invocations of a function are under way, those included that wait for a process. */
  concurrency: [{ readonly functionName: string; readonly underWay: number }];
  /** One has ended; `durationMs` without its wait for a process. */
  invocation: [{ readonly functionName: string; readonly durationMs: number; readonly hasFailed: boolean }];
  storeCall: [call: StoreCall];
};

export type TelemetryEmitter = EventEmitter<TelemetryEvents>;
