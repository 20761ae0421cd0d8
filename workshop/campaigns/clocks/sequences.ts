import fc from 'fast-check';

const minuteMs = 60_000;

/** The clock errors of the portal and of the gateway backend. The operator uses the service's clock. */
const clocks = fc.record({
  portalMs: fc.integer({ min: -minuteMs, max: minuteMs }),
  backendMs: fc.integer({ min: -minuteMs, max: minuteMs }),
});

/** A repeated act is drawn more often. */
const acts = [
  'opened',
  'accepted',
  'withdrawn',
  'added',
  'removed',
  'report',
  'report',
  'change',
  'operator accepts',
  'operator withdraws',
  'operator grants',
  'operator revokes',
  'ends',
  'reinstates',
  'other owner',
  'erases',
  'onboards elsewhere',
  'contract record',
  'contract record',
  'appliance record',
  'appliance record',
  'record again',
  'read',
  'read',
  'read feed',
] as const;

export type Act = (typeof acts)[number];

const step = fc.record({
  act: fc.constantFrom(...acts) as fc.Arbitrary<Act>,
  /** The time since the previous step. */
  afterMs: fc.constantFrom(1, 400, 3000, 30_000, 70_000),
  /** The delivery delay of the step's event, and the time until a repeated delivery, if there is one. */
  delayMs: fc.constantFrom(0, 0, 0, 2000, 40_000, 100_000),
  againAfterMs: fc.constantFrom(undefined, undefined, 5000, 90_000),
  /** Whether the portal's event names a company that does not know the owner and may not be onboarded yet. */
  isElsewhere: fc.constantFrom(false, false, false, true),
});

/** Any order of actions by owners, operators, gateways and the partner, with any clock errors and deliveries. */
export const sequences = fc.record({ clocks, steps: fc.array(step, { minLength: 8, maxLength: 40 }) });

export type Sequence = typeof sequences extends fc.Arbitrary<infer Value> ? Value : never;

/** What happens next, and how its event is delivered. */
export type Step = Sequence['steps'][number];
