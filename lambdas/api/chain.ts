import type { Endpoint, PreloadedItem, Requirements } from './endpoints/endpoint.ts';
import type { ProblemCode } from './problems.ts';

/** Facts that are known of every request before its first step. `chain/facts.ts` has the types of all facts. */
type OpeningFact = 'event' | 'requestId' | 'nowMs' | 'sourceIp' | 'store';

/** Which endpoints a step is for, as data, so that the compiler and the function decide alike; all, if it says nothing. */
type Condition =
  | { readonly has: 'onBehalfOfUser' | 'query' | 'idempotencyKey' | 'ifMatch' | 'body' }
  | { readonly pathHas: string }
  | { readonly preloads: PreloadedItem };

type StepRow = Partial<Requirements> & {
  readonly name: string;
  readonly appliesTo?: Condition;
  /** Facts that the step needs. */
  readonly reads: readonly string[];
  /** Facts that only some endpoints have: those that a step with a condition adds. */
  readonly mayRead?: readonly string[];
  /** Facts that the steps behind it, the handler, headers and event can count on if it does not refuse. */
  readonly adds?: readonly string[];
};

/** Names the first step that reads what no step before it adds; `never` if there is none. */
type OrderFault<Rows extends readonly StepRow[], Known = OpeningFact, Maybe = never> = Rows extends readonly [
  infer Row extends StepRow,
  ...infer Rest extends readonly StepRow[],
]
  ? MissingFact<Row, Known, Maybe> extends infer Missing extends string
    ? [Missing] extends [never]
      ? Row extends { readonly appliesTo: Condition }
        ? OrderFault<Rest, Known, Maybe | AddedBy<Row>>
        : OrderFault<Rest, Known | AddedBy<Row>, Maybe>
      : `${Row['name']} reads ${Missing} before it is there`
    : never
  : never;

type MissingFact<Row extends StepRow, Known, Maybe> =
  | Exclude<Row['reads'][number], Known>
  | Exclude<MayReadBy<Row>, Known | Maybe>;

type AddedBy<Row> = Row extends { readonly adds: readonly (infer Name extends string)[] } ? Name : never;
type MayReadBy<Row> = Row extends { readonly mayRead: readonly (infer Name extends string)[] } ? Name : never;

export const inOrder = <const Rows extends readonly StepRow[]>(
  rows: [OrderFault<Rows>] extends [never] ? Rows : OrderFault<Rows>,
): Rows => rows as Rows;

/**
 * The way of a request through its function, in order. A step reads facts and adds facts, or refuses with one of its
 * problems; `chain/steps/` has a file for each, whose types follow from its row.
 */
export const chain = inOrder([
  {
    name: 'presentedKey',
    reads: ['event'],
    adds: ['presentedKey'],
    problems: ['api-key-missing', 'api-key-invalid'],
  },
  {
    name: 'pathIds',
    appliesTo: { pathHas: '{' },
    reads: ['event'],
    adds: ['pathIds'],
    problems: ['invalid-request'],
  },
  {
    name: 'lookup',
    reads: ['store', 'presentedKey'],
    mayRead: ['pathIds'],
    adds: ['lookup', 'rateLimitKey', 'ratePolicy', 'seenArrivalMs'],
    tableActions: { ApiKeys: ['BatchGetItem'], Contracts: ['BatchGetItem'], TokenBuckets: ['BatchGetItem'] },
  },
  {
    name: 'keyValidity',
    reads: ['presentedKey', 'lookup', 'nowMs'],
    adds: ['key'],
    problems: ['api-key-invalid', 'api-key-expired'],
  },
  {
    name: 'company',
    reads: ['lookup'],
    adds: ['contract'],
    problems: ['contract-not-found', 'company-suspended'],
  },
  { name: 'sourceAddress', reads: ['contract', 'sourceIp'], problems: ['source-address-not-allowed'] },
  {
    name: 'consumeToken',
    reads: ['store', 'rateLimitKey', 'ratePolicy', 'seenArrivalMs', 'nowMs'],
    adds: ['tokenDecision'],
    tableActions: { TokenBuckets: ['UpdateItem'] },
  },
  {
    name: 'rateLimit',
    reads: ['tokenDecision', 'rateLimitKey', 'ratePolicy', 'nowMs'],
    problems: ['rate-limit-exceeded'],
  },
  {
    name: 'keyUsage',
    reads: ['store', 'key', 'nowMs'],
    adds: ['keyUse'],
    tableActions: { ApiKeys: ['UpdateItem'] },
  },
  {
    name: 'activeContract',
    appliesTo: { has: 'onBehalfOfUser' },
    reads: ['contract'],
    problems: ['contract-not-active'],
  },
  {
    name: 'userId',
    appliesTo: { has: 'onBehalfOfUser' },
    reads: ['event', 'contract'],
    problems: ['user-id-missing', 'user-id-mismatch'],
  },
  {
    name: 'gatewayGrant',
    appliesTo: { pathHas: '{gatewayId}' },
    reads: ['lookup'],
    problems: ['gateway-not-in-contract'],
  },
  {
    name: 'consent',
    appliesTo: { has: 'onBehalfOfUser' },
    reads: ['contract'],
    problems: ['consent-outdated'],
    settings: ['requiredConsentVersion', 'consentPortalUrl'],
  },
  {
    name: 'query',
    appliesTo: { has: 'query' },
    reads: ['event'],
    adds: ['query'],
    problems: ['invalid-request'],
  },
  {
    name: 'idempotencyKey',
    appliesTo: { has: 'idempotencyKey' },
    reads: ['event'],
    adds: ['idempotencyKey'],
    problems: ['invalid-request'],
  },
  { name: 'ifMatch', appliesTo: { has: 'ifMatch' }, reads: ['event'], adds: ['ifMatch'] },
  {
    name: 'body',
    appliesTo: { has: 'body' },
    reads: ['event'],
    adds: ['body'],
    problems: ['unsupported-media-type', 'body-too-large', 'invalid-request'],
  },
  {
    name: 'circuit',
    appliesTo: { preloads: 'circuit' },
    reads: ['lookup'],
    adds: ['circuit'],
    problems: ['circuit-not-found'],
    tableActions: { Appliances: ['BatchGetItem'] },
  },
  {
    name: 'timeProgram',
    appliesTo: { preloads: 'timeProgram' },
    reads: ['lookup'],
    adds: ['timeProgram'],
    problems: ['time-program-not-found'],
    tableActions: { Appliances: ['BatchGetItem'] },
  },
  {
    name: 'gateway',
    appliesTo: { preloads: 'gateway' },
    reads: ['lookup'],
    adds: ['gateway'],
    tableActions: { Appliances: ['BatchGetItem'] },
  },
  { name: 'auditContext', reads: ['key', 'contract', 'requestId', 'nowMs'], adds: ['auditContext'] },
]);

/** What surrounds the steps and sees every answer on its way out, refusals and failures too. */
const surroundings: Partial<Requirements> = {
  problems: ['internal-error', 'service-unavailable'],
  settings: ['metricNamespace'],
};

/** What API Gateway itself may answer on any route, before or instead of the function. */
const gateway: Partial<Requirements> = {
  problems: ['source-address-not-allowed', 'throttled', 'body-too-large', 'internal-error', 'service-unavailable'],
};

type Rows = (typeof chain)[number];
export type StepName = Rows['name'];
export type StepRowOf<Name extends StepName> = Extract<Rows, { readonly name: Name }>;

/** The rows of the steps that an endpoint passes, by the type of its own row. */
export type StepsOf<Row, Step = Rows> = Step extends { readonly appliesTo: infer Where extends Condition }
  ? Applies<Where, Row> extends true
    ? Step
    : never
  : Step;

type Applies<Where extends Condition, Row> = Where extends { readonly has: infer Name }
  ? Name extends keyof Row
    ? true
    : false
  : Where extends { readonly pathHas: infer Text extends string }
    ? Row extends { readonly path: `${string}${Text}${string}` }
      ? true
      : false
    : Where extends { readonly preloads: infer Item }
      ? Row extends { readonly preloads: readonly (infer Preloaded)[] }
        ? Item extends Preloaded
          ? true
          : false
        : false
      : never;

const applies = (where: Condition | undefined, endpoint: Endpoint): boolean => {
  if (where === undefined) return true;
  if ('has' in where) return endpoint[where.has] !== undefined;
  if ('pathHas' in where) return endpoint.path.includes(where.pathHas);
  return endpoint.preloads?.includes(where.preloads) ?? false;
};

const stepsThatApply = (endpoint: Endpoint): readonly (StepRow & { readonly name: StepName })[] =>
  (chain as readonly (StepRow & { readonly name: StepName })[]).filter((row) => applies(row.appliesTo, endpoint));

/** The names of the steps of an endpoint's chain, in order. */
export const stepsOf = (endpoint: Endpoint): StepName[] => stepsThatApply(endpoint).map(({ name }) => name);

/** What the function of an endpoint may refuse or fail with, its gateway's own answers left out. */
export const functionProblemsOf = (endpoint: Endpoint): ProblemCode[] =>
  unique([surroundings, ...stepsThatApply(endpoint), endpoint].flatMap(({ problems = [] }) => problems));

/** All that a call of an endpoint can answer and needs: its gateway's, its chain's and its own. */
export const requirementsOf = (endpoint: Endpoint): Requirements => {
  const parts = [gateway, surroundings, ...stepsThatApply(endpoint), endpoint];
  const tableActions: Record<string, string[]> = {};
  for (const [table, actions] of parts.flatMap((part) => Object.entries(part.tableActions ?? {})))
    tableActions[table] = unique([...(tableActions[table] ?? []), ...actions]);
  return {
    problems: unique(parts.flatMap(({ problems = [] }) => problems)),
    tableActions: tableActions as Requirements['tableActions'],
    settings: unique(parts.flatMap(({ settings = [] }) => settings)),
  };
};

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];
