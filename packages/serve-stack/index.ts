/** Serves a synthesized stack on this machine. */
export type { StoreCall, StoreFault } from './src/dynamodb/dynamodb-proxy.ts';
export { UserFacingError } from './src/errors.ts';
export { type LogDestination, readLogDestinations } from './src/functions/function-definitions.ts';
export type { OutsideHosts } from './src/functions/function-process.ts';
export type { Exchange } from './src/gateway/exchange.ts';
export { compileTemplate } from './src/gateway/gateway-responses.ts';
export type { RestApi } from './src/gateway/rest-api.ts';
export { serveStack } from './src/serve-stack.ts';
export type {
  ServedStack,
  ServedTables,
  ServeStackOptions,
} from './src/served-stack.ts';
export type { QueueDepth } from './src/services/queue-engine.ts';
export type { TelemetryEmitter, TelemetryEvents } from './src/stack-version.ts';
