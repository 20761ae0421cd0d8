import type { StoreFault } from 'serve-stack';
import { UserFacingError } from 'serve-stack';
import { parseOptions, portOf } from '../command-line.ts';
import { calmTraffic, flood, impatientPartner, manyRequests, mixedTraffic, type World } from './demo-traffic.ts';
import {
  disableKey,
  failingConsumers,
  holeInFeed,
  type Incident,
  idleBackend,
  letLastKeyExpire,
  type PreviewedService,
  refusedMessages,
  stoppedConsumers,
  vainWithdrawal,
} from './incidents.ts';
import type { Traffic } from './traffic.ts';

/** What a preview plays and which alarms must ring. Other alarms may ring, unless the scenario expects none. */
export type Scenario = {
  /** A sentence for readers of the page. */
  readonly description: string;
  readonly traffic: (world: World) => readonly Traffic[];
  /** Returns the store's fault from `faultOnset` on; `tableName` returns the physical name of a table. */
  readonly fault?: (tableName: (constructName: string) => string) => StoreFault;
  /** An incident that starts at the same moment and ends before the run does. */
  readonly incident?: Incident;
  /** Whether schedules stop from that moment until the time at which an incident would end. */
  readonly stopsSchedules?: boolean;
  /** Changes the demo world or the stack before the run. Returns a function that restores it. */
  readonly prepare?: (service: PreviewedService) => Promise<() => Promise<void>>;
  /** The duration of the run in which a test expects the alarms. A second counts as five minutes for them. */
  readonly testSeconds: number;
  /** The alarms that must ring, by name without the stack's prefix. */
  readonly rings: readonly string[];
  /** The alarms that must have cleared by the end, because their cause is gone. */
  readonly clears?: readonly string[];
};

/** The fraction of a run at which a fault or a partner's mistake starts, so that the chart shows a healthy period before. */
const onset = { fault: 0.3, impatience: 0.4 };

export const faultOnset = onset.fault;

/** These alarms ring until their queues are empty. */
const deadLetterAlarms = [
  ...['portal-dead-letters', 'gateway-reports-dead-letters', 'requested-changes-dead-letters'],
  ...['portal-undelivered', 'relay-failures'],
] as const;

export const scenarios = {
  healthy: {
    description: 'Three partners at work; one of them begins to poll one path far too fast. Nothing is wrong with us.',
    traffic: (world) => [...mixedTraffic(world), impatientPartner(world, onset.impatience)],
    incident: vainWithdrawal,
    testSeconds: 8,
    rings: [],
  },
  'store-down': {
    description: 'The store drops every connection.',
    traffic: mixedTraffic,
    fault: () => ({ kind: 'down' }),
    testSeconds: 3,
    rings: ['store-unavailable', 'availability-fast-5m', 'page'],
  },
  'audit-log-down': {
    description: 'The store drops every call that touches the audit log: changes fail and are not made.',
    traffic: mixedTraffic,
    fault: (tableName) => ({ kind: 'down', table: tableName('AuditLog') }),
    testSeconds: 4,
    rings: ['audit-write-failures', 'ticket'],
  },
  'slow-appliances': {
    description:
      'The table of the appliances answers 600 ms late, just within the timeout of a call, while many requests arrive.',
    traffic: (world) => [...mixedTraffic(world), ...manyRequests(world)],
    fault: (tableName) => ({ kind: 'slow', table: tableName('Appliances'), delayMs: 600 }),
    testSeconds: 8,
    rings: ['latency', 'page', 'slow-requests', 'ticket'],
  },
  flood: {
    description: 'One partner keeps 120 requests under way at once.',
    traffic: (world) => [...mixedTraffic(world), flood(world, 120, onset.fault)],
    testSeconds: 3,
    rings: ['concurrency', 'page'],
  },
  'last-key-expiring': {
    description: 'The only valid key of a partner expires in two days.',
    traffic: calmTraffic,
    prepare: letLastKeyExpire,
    testSeconds: 3,
    rings: ['last-key-expiring-soon', 'last-key-expiring'],
  },
  'key-disabled': {
    description: 'The KMS key of webhook secrets has been disabled: no webhook message can be signed.',
    traffic: calmTraffic,
    prepare: disableKey,
    testSeconds: 3,
    rings: ['mac-keys'],
  },
  'consumers-stopped': {
    description: 'The consumers pause for a while; 1,000 reports and a portal event wait until they continue.',
    traffic: calmTraffic,
    incident: stoppedConsumers,
    testSeconds: 28,
    rings: ['portal-events-age', 'gateway-reports-age', 'relay-slow', 'relay-late'],
    clears: ['portal-events-age', 'gateway-reports-age'],
  },
  'consumers-failing': {
    description: 'The store drops the calls of the consumers; 20 portal events and 1,000 reports fail.',
    traffic: mixedTraffic,
    fault: () => ({ kind: 'down' }),
    incident: failingConsumers,
    testSeconds: 16,
    rings: ['portal-events-failing', 'gateway-reports-failing'],
  },
  'messages-refused': {
    description:
      'Two portal events (one of them a withdrawal), a report and a requested change are refused. Another portal event is undelivered, and another requested change is a dead letter of the gateway backend. A part of one more report is not usable.',
    traffic: calmTraffic,
    incident: refusedMessages,
    testSeconds: 12,
    rings: ['portal-withdrawals-refused', ...deadLetterAlarms],
    clears: deadLetterAlarms,
  },
  'backend-idle': {
    description: 'The gateway backend does not receive the changes that partners request.',
    traffic: calmTraffic,
    incident: idleBackend,
    testSeconds: 20,
    rings: ['requested-changes-age'],
    clears: ['requested-changes-age'],
  },
  'schedules-stopped': {
    description: 'No rule calls the sweeper of webhook messages, nor the job that counts requests.',
    traffic: mixedTraffic,
    stopsSchedules: true,
    testSeconds: 14,
    rings: ['webhook-messages-late', 'usage'],
    clears: ['webhook-messages-late', 'usage'],
  },
  'events-lost': {
    description: 'The oldest events of a feed that a partner reads from its beginning are lost.',
    traffic: calmTraffic,
    incident: holeInFeed,
    testSeconds: 14,
    rings: ['feed-gaps'],
    clears: ['feed-gaps'],
  },
  silence: {
    description: 'No request arrives at all.',
    traffic: () => [],
    testSeconds: 7,
    rings: ['few-requests', 'canary'],
  },
} as const satisfies Record<string, Scenario>;

type ScenarioName = keyof typeof scenarios;

const isScenarioName = (name: string): name is ScenarioName => Object.hasOwn(scenarios, name);

const usage = 'Options: --scenario <name>, --seconds <number> and --port <number>.';

/** At least half an hour of shown time, because some alarms need that much data; at most ten minutes of waiting. */
const secondsAllowed = { min: 6, max: 600 };

const options = {
  scenario: { type: 'string', default: 'healthy' },
  seconds: { type: 'string', default: '36' },
  port: { type: 'string', default: '0' },
} as const;

export type Options = { readonly name: ScenarioName; readonly seconds: number; readonly port: number };

/** Parses the arguments of `npm run dashboard`. Throws UserFacingError that says what to write instead. */
export const readOptions = (args: readonly string[]): Options => {
  const { scenario, seconds, port } = parseOptions(args, options, usage);
  if (!isScenarioName(scenario))
    throw new UserFacingError(
      `--scenario ${scenario} is unknown; the scenarios are ${Object.keys(scenarios).join(', ')}.`,
    );
  if (!/^\d{1,3}$/.test(seconds) || Number(seconds) < secondsAllowed.min || Number(seconds) > secondsAllowed.max)
    throw new UserFacingError(
      `--seconds ${seconds} is invalid; write a whole number from ${secondsAllowed.min} to ${secondsAllowed.max}.`,
    );
  return { name: scenario, seconds: Number(seconds), port: portOf(port) };
};
