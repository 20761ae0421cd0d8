import type { Store } from '../../lambdas/data/store/store.ts';
import type { StoreFault } from '../aws/dynamodb/store-fault.ts';
import { flood, impatientPartner, mixedTraffic, type World } from './traffic/demo-traffic.ts';
import { letLastKeyExpire } from './traffic/last-key-expiring.ts';
import type { Traffic } from './traffic/load-shapes.ts';

/** Holds what a rehearsal plays, and which alarms have to ring then; others may, unless none is expected. */
export type Scenario = {
  /** A sentence for the one who looks at the page. */
  readonly description: string;
  readonly traffic: (world: World) => readonly Traffic[];
  /** The fault that the store suffers from some moment on; it is told the physical name of a table. */
  readonly fault?: (tableName: (constructName: string) => string) => StoreFault;
  /** Whether consumers are stopped for a while, with a backlog that they find when they go on. */
  readonly stopsConsumers?: true;
  /** Changes the demo world before the run; returns what changes it back. */
  readonly prepare?: (store: Store) => Promise<() => Promise<void>>;
  /** Names of alarms, without the stack's. */
  readonly rings: readonly string[];
};

/** The part of a run after which a fault or a partner's mistake sets in, so that a healthy time can be seen before it. */
const onset = { fault: 0.3, impatience: 0.4 };

export const faultOnset = onset.fault;

export const scenarios = {
  healthy: {
    description: 'Three partners at work; one of them begins to poll one path far too fast. Nothing is wrong with us.',
    traffic: (world) => [...mixedTraffic(world), impatientPartner(world, onset.impatience)],
    rings: [],
  },
  'store-down': {
    description: 'The store breaks every connection off.',
    traffic: mixedTraffic,
    fault: () => ({ kind: 'down' }),
    rings: ['store-unavailable', 'availability-fast-5m', 'page'],
  },
  'audit-log-down': {
    description: 'The store breaks off every call that touches the audit log: changes fail, and are not made.',
    traffic: mixedTraffic,
    fault: (tableName) => ({ kind: 'down', table: tableName('AuditLog') }),
    rings: ['audit-write-failures', 'ticket'],
  },
  'slow-appliances': {
    description: 'The table of the appliances answers 600 ms late, just within what a call may take.',
    traffic: mixedTraffic,
    fault: (tableName) => ({ kind: 'slow', table: tableName('Appliances'), delayMs: 600 }),
    rings: ['latency', 'page'],
  },
  flood: {
    description: 'One partner keeps 200 requests under way at once.',
    traffic: (world) => [...mixedTraffic(world), flood(world, 200, onset.fault)],
    rings: ['concurrency', 'page'],
  },
  'last-key-expiring': {
    description: 'The only valid key of a partner expires in two days.',
    traffic: mixedTraffic,
    prepare: letLastKeyExpire,
    rings: ['last-key-expiring-soon', 'last-key-expiring'],
  },
  'consumers-stopped': {
    description: 'No consumer gets anything for a while; 1,000 reports and an event of the portal wait until it does.',
    traffic: mixedTraffic,
    stopsConsumers: true,
    rings: ['portal-events-age', 'gateway-reports-age', 'relay-slow', 'relay-late', 'page', 'ticket'],
  },
  silence: {
    description: 'No request arrives at all.',
    traffic: () => [],
    rings: ['few-requests', 'canary'],
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;

export const isScenarioName = (name: string): name is ScenarioName => Object.hasOwn(scenarios, name);
