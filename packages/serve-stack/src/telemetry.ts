import type { EventEmitter } from 'node:events';
import type { StoreEvents } from './dynamodb/store-call.ts';
import type { FunctionEvents } from './functions/function-telemetry.ts';
import type { Exchange } from './gateway/exchange.ts';
import type { QueueEvents } from './sqs/queue-telemetry.ts';

/** Names what happens in a run that AWS would count. Whoever listens pays for it: nothing is measured for nobody. */
export type TelemetryEvents = StoreEvents & FunctionEvents & QueueEvents & { exchange: [exchange: Exchange] };

export type TelemetryEmitter = EventEmitter<TelemetryEvents>;
