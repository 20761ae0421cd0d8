/** Serves a synthesized stack on this machine. */
export type { StoreCall } from './src/dynamodb/store-call.ts';
export type { StoreFault } from './src/dynamodb/store-fault.ts';
export { UserFacingError } from './src/errors/user-facing-error.ts';
export { type LogDestination, readLogDestinations } from './src/functions/function-definitions.ts';
export type { OutsideHosts } from './src/functions/function-process.ts';
export { compileTemplate } from './src/gateway/context-variables.ts';
export type { Exchange } from './src/gateway/exchange.ts';
export type { RestApi } from './src/gateway/rest-api.ts';
export { serveStack } from './src/serve-stack.ts';
export type { ServedStack, ServedTables, ServeStackOptions } from './src/served-stack.ts';
export type { QueueDepth } from './src/sqs/queue-telemetry.ts';
export type { TelemetryEmitter, TelemetryEvents } from './src/telemetry.ts';
