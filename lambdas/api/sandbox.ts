import type { Table } from './tables.ts';

/**
 * The table of the simulated homes of a sandbox, one item for each home. Only a stage with `simulatedHomes` has it. A lost home
 * is installed again with its factory settings.
 */
export const simulatedHomesTable = {
  partitionKey: 'gatewayId',
  // All homes are in one partition of the index, which shows which homes exist and when each is due.
  indexes: { byDue: { partitionKey: 'agenda', sortKey: 'dueAt', projection: 'KEYS_ONLY' } },
  isDisposable: true,
} as const satisfies Table;

/** The function that simulates the homes. */
export const simulateHomes = {
  summary: 'Simulate the appliances of a sandbox, and their gateway backend and portal',
  timeoutSeconds: 25,
  /**
   * How long its queues hide a message: six times the timeout, as AWS advises, since Lambda may receive a message and call the
   * function only later.
   */
  visibilityTimeoutSeconds: 150,
  /** The maximum number of messages in a call: those of different homes are processed concurrently. */
  batchSize: 10,
  /** Leaves concurrency of the account for the endpoints. */
  maxConcurrency: 10,
} as const;

/** The name of the function, of its bundle and of the operation in its log events. */
export type SandboxFunctionName = 'simulateHomes';

/** The queue of controls, which operators send. */
export const sandboxControls = {
  /** An operator waits for the effect: a control that could not be applied for this long is dropped. */
  retentionMinutes: 10,
} as const;

/** The largest number of simulated homes of a company. */
export const maxSimulatedHomes = 10;

/** The environment variables that only this function has. */
export const sandboxVariables = {
  homesTable: 'SIMULATED_HOMES_TABLE',
  homesOfCompany: 'SIMULATED_HOMES_OF_COMPANY',
  portalBus: 'PORTAL_BUS',
} as const;
