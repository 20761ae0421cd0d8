import {
  type Endpoint,
  type PathParameter,
  type PreloadedItem,
  pathParametersOf,
  type Requirements,
} from './endpoints/endpoint.ts';
import type { ProblemCode } from './problems.ts';
import type { TableAction } from './tables.ts';

/**
 * What a check can apply to: every endpoint, a property of its row, a method other than GET, the ids in its path, or an
 * item that it preloads.
 */
type Trait = 'everyEndpoint' | keyof Endpoint | 'change' | 'pathIds' | ApplianceId | PreloadedItem;

type ApplianceId = 'gatewayId' | 'circuitId' | 'timeProgramId';

type Stage = { readonly [Name in Trait]?: Partial<Requirements> };

/**
 * The stages that a request passes, in order. Each lists the problems that it may return and what it needs, for every
 * endpoint and for endpoints with a trait. Each stage has a file in `lambdas/chain/`, which cannot return any other
 * problem.
 */
export const stages = {
  request: {
    everyEndpoint: { problems: ['api-key-missing', 'api-key-invalid'] },
    pathIds: { problems: ['invalid-request'] },
  },
  authentication: {
    everyEndpoint: {
      problems: [
        'rate-limit-exceeded',
        'api-key-invalid',
        'api-key-expired',
        'contract-not-found',
        'company-suspended',
        'source-address-not-allowed',
      ],
      tableActions: {
        ApiKeys: ['GetItem', 'BatchGetItem'],
        Companies: ['BatchGetItem'],
        TokenBuckets: ['BatchGetItem'],
      },
    },
    change: { problems: ['api-key-read-only'] },
    onBehalfOfUser: { tableActions: { Contracts: ['BatchGetItem'] } },
    userId: { tableActions: { Contracts: ['BatchGetItem'] } },
  },
  rateLimit: {
    everyEndpoint: {
      problems: ['rate-limit-exceeded'],
      tableActions: { TokenBuckets: ['PutItem', 'UpdateItem'], ApiKeys: ['UpdateItem'] },
    },
    gatewayId: { tableActions: { TokenBuckets: ['GetItem'] } },
  },
  authorization: {
    onBehalfOfUser: {
      problems: ['user-id-missing', 'user-id-mismatch', 'contract-not-active', 'consent-outdated'],
      settings: ['requiredConsentVersion', 'consentPortalUrl'],
    },
    userId: { problems: ['user-id-mismatch'] },
    gatewayId: { problems: ['gateway-not-in-contract'] },
  },
  input: {
    change: { problems: ['invalid-request'] },
    query: { problems: ['invalid-request'] },
    idempotencyKey: { problems: ['invalid-request'] },
    ifMatch: { problems: ['invalid-request'] },
    body: { problems: ['unsupported-media-type', 'body-too-large', 'invalid-request'] },
  },
  preloads: {
    gatewayId: { problems: ['gateway-not-found'], tableActions: { Appliances: ['BatchGetItem'] } },
    circuitId: { problems: ['circuit-not-found'] },
    timeProgramId: { problems: ['time-program-not-found'] },
    holiday: { problems: ['not-supported'] },
  },
} as const satisfies Record<string, Stage>;

type Stages = typeof stages;
export type StageName = keyof Stages;

/** The values that a row or a part of a stage lists under `Name`. */
export type Listed<Row, Name extends 'problems' | 'settings'> = Row extends {
  readonly [Key in Name]: readonly (infer Value extends Requirements[Name][number])[];
}
  ? Value
  : never;

/** All parts of a stage, for any trait. */
export type PartsOf<Name extends StageName> = Stages[Name][keyof Stages[Name]];

type TraitOf<Row extends Endpoint> =
  | 'everyEndpoint'
  | keyof Row
  | (Row['method'] extends 'GET' ? never : 'change')
  | ([PathParameter<Row['path']>] extends [never] ? never : 'pathIds' | PathParameter<Row['path']>)
  | (Row extends { readonly preloads: readonly (infer Item)[] } ? Item : never);

/** An endpoint's row, and the parts of the stages that apply to the endpoint. */
export type WayOf<Row extends Endpoint> =
  | Row
  | { [Name in StageName]: Stages[Name][keyof Stages[Name] & TraitOf<Row>] }[StageName];

/** The middleware around the stages, which sees every answer, refusals and failures included. */
const everyAnswer: Partial<Requirements> = {
  problems: ['internal-error', 'service-unavailable'],
  settings: ['metricNamespace', 'canaryCompanyId'],
};

/** The problems that API Gateway itself may return on any route, before or instead of the function. */
const gateway: Partial<Requirements> = {
  problems: ['source-address-not-allowed', 'throttled', 'body-too-large', 'internal-error', 'service-unavailable'],
};

/** Returns the problems that an endpoint's function may return, without API Gateway's own. */
export const functionProblemsOf = (endpoint: Endpoint): ProblemCode[] =>
  unique([everyAnswer, ...wayOf(endpoint)].flatMap(({ problems = [] }) => problems));

/** Returns all that a call of an endpoint may answer with and needs: API Gateway's part, its stages' and its own. */
export const requirementsOf = (endpoint: Endpoint): Requirements => {
  const parts = [gateway, everyAnswer, ...wayOf(endpoint)];
  const tableActions: Record<string, TableAction[]> = {};
  for (const [table, actions] of parts.flatMap((part) => Object.entries(part.tableActions ?? {})))
    tableActions[table] = unique([...(tableActions[table] ?? []), ...actions]);
  return {
    problems: unique(parts.flatMap(({ problems = [] }) => problems)),
    tableActions,
    settings: unique(parts.flatMap(({ settings = [] }) => settings)),
    macKeys: unique(parts.flatMap(({ macKeys = [] }) => macKeys)),
  };
};

const wayOf = (endpoint: Endpoint): Partial<Requirements>[] => {
  const traits = traitsOf(endpoint);
  const parts = Object.values<Stage>(stages).flatMap((stage) => Object.entries(stage));
  return [...parts.filter(([trait]) => traits.includes(trait)).map(([, part]) => part), endpoint];
};

/** Returns whether the endpoint may change something: a read-only key may not call it then. */
export const isChange = ({ method }: Pick<Endpoint, 'method'>): boolean => method !== 'GET';

const traitsOf = (endpoint: Endpoint): string[] => {
  const ids = pathParametersOf(endpoint.path);
  const pathTraits = ids.length > 0 ? ['pathIds', ...ids] : [];
  const methodTraits = isChange(endpoint) ? ['change'] : [];
  return ['everyEndpoint', ...Object.keys(endpoint), ...methodTraits, ...pathTraits, ...(endpoint.preloads ?? [])];
};

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];
