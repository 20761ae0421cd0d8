import type { StoreFault } from 'serve-stack';
import { UserFacingError } from 'serve-stack';
import type { Store } from '../../lambdas/data/store/store.ts';
import { parseOptions, portOf } from '../command-line.ts';
import { flood, impatientPartner, mixedTraffic, type Traffic, type World } from './demo-traffic.ts';
import {
  failingConsumers,
  holeInFeed,
  type Incident,
  idleBackend,
  letLastKeyExpire,
  refusedMessages,
  stoppedConsumers,
} from './incidents.ts';

/** Holds what a preview plays, and which alarms have to ring then; others may, unless none is expected. */
export type Scenario = {
  /** A sentence for the one who looks at the page. */
  readonly description: string;
  readonly traffic: (world: World) => readonly Traffic[];
  /** The fault that the store suffers from some moment on; it is told the physical name of a table. */
  readonly fault?: (tableName: (constructName: string) => string) => StoreFault;
  /** What else happens from that moment on, and ends before the run does. */
  readonly incident?: Incident;
  /** From that moment on until an incident would end, nothing runs by its schedule. */
  readonly stopsSchedules?: boolean;
  /** Changes the demo world before the run; returns what changes it back. */
  readonly prepare?: (store: Store) => Promise<() => Promise<void>>;
  /** Names of alarms, without the stack's. */
  readonly rings: readonly string[];
  /** Those of them that have to be over by the end, because their cause is. */
  readonly clears?: readonly string[];
};

/** The part of a run after which a fault or a partner's mistake sets in, so that a healthy time can be seen before it. */
const onset = { fault: 0.3, impatience: 0.4 };

export const faultOnset = onset.fault;

/** They ring until no dead letter is left. */
const deadLetterAlarms = [
  ...['portal-dead-letters', 'gateway-reports-dead-letters', 'requested-changes-dead-letters'],
  ...['portal-undelivered', 'relay-failures'],
] as const;

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
    incident: stoppedConsumers,
    rings: ['portal-events-age', 'gateway-reports-age', 'relay-slow', 'relay-late'],
    clears: ['portal-events-age', 'gateway-reports-age'],
  },
  'consumers-failing': {
    description: 'The store breaks off what the consumers ask of it; an event of the portal and 1,000 reports fail.',
    traffic: mixedTraffic,
    fault: () => ({ kind: 'down' }),
    incident: failingConsumers,
    rings: ['portal-events-failing', 'gateway-reports-failing'],
  },
  'messages-refused': {
    description:
      'Two events of the portal, of which one is a withdrawal, a report and a requested change are refused; a third event could not be delivered, and of one more change somebody else could make nothing. Of one more report, a part cannot be used.',
    traffic: mixedTraffic,
    incident: refusedMessages,
    rings: ['portal-withdrawals-refused', ...deadLetterAlarms],
    clears: deadLetterAlarms,
  },
  'backend-idle': {
    description: 'The gateway backend does not fetch what partners request of their appliances.',
    traffic: mixedTraffic,
    incident: idleBackend,
    rings: ['requested-changes-age'],
    clears: ['requested-changes-age'],
  },
  'schedules-stopped': {
    description: 'No rule calls the sweeper of webhook messages, nor the job that counts requests.',
    traffic: mixedTraffic,
    stopsSchedules: true,
    rings: ['webhook-messages-late', 'usage'],
    clears: ['webhook-messages-late', 'usage'],
  },
  'events-lost': {
    description: 'The oldest events of a feed that a partner reads from its beginning are lost.',
    traffic: mixedTraffic,
    incident: holeInFeed,
    rings: ['feed-gaps'],
    clears: ['feed-gaps'],
  },
  silence: {
    description: 'No request arrives at all.',
    traffic: () => [],
    rings: ['few-requests', 'canary'],
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;

const isScenarioName = (name: string): name is ScenarioName => Object.hasOwn(scenarios, name);

const usage = 'Known are --scenario <name>, --seconds <number> and --port <number>.';

/** Half an hour has to be shown, or some alarms have too little to look at; beyond ten minutes nobody waits. */
const secondsAllowed = { min: 6, max: 600 };

const options = {
  scenario: { type: 'string', default: 'healthy' },
  seconds: { type: 'string', default: '36' },
  port: { type: 'string', default: '0' },
} as const;

export type Options = { readonly name: ScenarioName; readonly seconds: number; readonly port: number };

/** Reads the arguments of `npm run dashboard`. Throws a sentence that says what to write instead. */
export const readOptions = (args: readonly string[]): Options => {
  const { scenario, seconds, port } = parseOptions(args, options, usage);
  if (!isScenarioName(scenario))
    throw new UserFacingError(`--scenario ${scenario} is none; known are ${Object.keys(scenarios).join(', ')}.`);
  if (!/^\d{1,3}$/.test(seconds) || Number(seconds) < secondsAllowed.min || Number(seconds) > secondsAllowed.max)
    throw new UserFacingError(
      `--seconds ${seconds} is none; write a whole number from ${secondsAllowed.min} to ${secondsAllowed.max}.`,
    );
  return { name: scenario, seconds: Number(seconds), port: portOf(port) };
};
