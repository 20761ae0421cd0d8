import {
  type Endpoint,
  type PathParameter,
  type PreloadedItem,
  pathParametersOf,
  type Requirements,
} from './endpoints/endpoint.ts';
import type { ProblemCode } from './problems.ts';
import type { TableAction } from './tables.ts';

/** What of an endpoint a check can be for: a property of its row, a method that is not GET, the ids in its path, an item that it preloads. */
type Trait = 'everyEndpoint' | keyof Endpoint | 'change' | 'pathIds' | ApplianceId | PreloadedItem;

type ApplianceId = 'gatewayId' | 'circuitId' | 'timeProgramId';

type Stage = { readonly [Name in Trait]?: Partial<Requirements> };

/**
 * The stages that a request passes, in order, each with what it may answer and what it needs: for every endpoint, and
 * beyond that for those with a trait. `lambdas/chain/` has a file for each, which cannot answer anything else.
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
      tableActions: { TokenBuckets: ['UpdateItem'], ApiKeys: ['UpdateItem'] },
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

/** What a row or a part of a stage lists under a name. */
export type Listed<Row, Name extends 'problems' | 'settings'> = Row extends {
  readonly [Key in Name]: readonly (infer Value extends Requirements[Name][number])[];
}
  ? Value
  : never;

/** The parts of a stage, whoever they are for. */
export type PartsOf<Name extends StageName> = Stages[Name][keyof Stages[Name]];

type TraitOf<Row extends Endpoint> =
  | 'everyEndpoint'
  | keyof Row
  | (Row['method'] extends 'GET' ? never : 'change')
  | ([PathParameter<Row['path']>] extends [never] ? never : 'pathIds' | PathParameter<Row['path']>)
  | (Row extends { readonly preloads: readonly (infer Item)[] } ? Item : never);

/** An endpoint's row, and the parts of the stages that are for such an endpoint. */
export type WayOf<Row extends Endpoint> =
  | Row
  | { [Name in StageName]: Stages[Name][keyof Stages[Name] & TraitOf<Row>] }[StageName];

/** What surrounds the stages and sees every answer on its way out, refusals and failures too. */
const everyAnswer: Partial<Requirements> = {
  problems: ['internal-error', 'service-unavailable'],
  settings: ['metricNamespace', 'canaryCompanyId'],
};

/** What API Gateway itself may answer on any route, before or instead of the function. */
const gateway: Partial<Requirements> = {
  problems: ['source-address-not-allowed', 'throttled', 'body-too-large', 'internal-error', 'service-unavailable'],
};

/** What the function of an endpoint may refuse or fail with, its gateway's own answers left out. */
export const functionProblemsOf = (endpoint: Endpoint): ProblemCode[] =>
  unique([everyAnswer, ...wayOf(endpoint)].flatMap(({ problems = [] }) => problems));

/** All that a call of an endpoint can answer and needs: its gateway's, its stages' and its own. */
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

/** Whether it is more than a read, so that a key which may only read may not call it. */
export const isChange = ({ method }: Pick<Endpoint, 'method'>): boolean => method !== 'GET';

const traitsOf = (endpoint: Endpoint): string[] => {
  const ids = pathParametersOf(endpoint.path);
  const pathTraits = ids.length > 0 ? ['pathIds', ...ids] : [];
  const methodTraits = isChange(endpoint) ? ['change'] : [];
  return ['everyEndpoint', ...Object.keys(endpoint), ...methodTraits, ...pathTraits, ...(endpoint.preloads ?? [])];
};

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];
