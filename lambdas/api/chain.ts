import { type Endpoint, pathParametersOf, type Requirements } from './endpoints/endpoint.ts';
import type { ProblemCode } from './problems.ts';

/**
 * The way of a request through its function, in order: the first three see every answer on its way out, the others may
 * refuse the request on its way in. `middleware/serve.ts` has the middleware of each step.
 */
type Step = Partial<Requirements> & { readonly name: string; readonly appliesTo?: (endpoint: Endpoint) => boolean };

const actsForOwner = ({ onBehalfOfUser }: Endpoint) => onBehalfOfUser;
const namesGateway = ({ path }: Endpoint) => pathParametersOf(path).includes('gatewayId');

const chain = [
  { name: 'requestLog', settings: ['metricNamespace'] },
  { name: 'responseHeaders' },
  { name: 'problemResponse', problems: ['internal-error', 'service-unavailable'] },
  { name: 'presentedKey', problems: ['api-key-missing', 'api-key-invalid'] },
  {
    name: 'pathIds',
    appliesTo: ({ path }) => pathParametersOf(path).length > 0,
    problems: ['invalid-request'],
  },
  {
    name: 'admission',
    tableActions: { ApiKeys: ['BatchGetItem'], Contracts: ['BatchGetItem'], TokenBuckets: ['BatchGetItem'] },
  },
  { name: 'keyValidity', problems: ['api-key-invalid', 'api-key-expired'] },
  { name: 'company', problems: ['contract-not-found', 'company-suspended'] },
  { name: 'sourceAddress', problems: ['source-address-not-allowed'] },
  { name: 'rateLimit', tableActions: { TokenBuckets: ['UpdateItem'] }, problems: ['rate-limit-exceeded'] },
  { name: 'keyUsage', tableActions: { ApiKeys: ['UpdateItem'] } },
  { name: 'activeContract', appliesTo: actsForOwner, problems: ['contract-not-active'] },
  { name: 'userId', appliesTo: actsForOwner, problems: ['user-id-missing', 'user-id-mismatch'] },
  { name: 'gatewayGrant', appliesTo: namesGateway, problems: ['gateway-not-in-contract'] },
  {
    name: 'consent',
    appliesTo: actsForOwner,
    problems: ['consent-outdated'],
    settings: ['requiredConsentVersion', 'consentPortalUrl'],
  },
  { name: 'query', appliesTo: ({ query }) => query !== undefined, problems: ['invalid-request'] },
  {
    name: 'idempotencyKey',
    appliesTo: ({ idempotencyKey }) => idempotencyKey !== undefined,
    problems: ['invalid-request'],
  },
  {
    name: 'body',
    appliesTo: ({ body }) => body !== undefined,
    problems: ['unsupported-media-type', 'body-too-large', 'invalid-request'],
  },
] as const satisfies readonly Step[];

export type StepName = (typeof chain)[number]['name'];

/** What API Gateway itself may answer on any route, before or instead of the function. */
const gateway: Partial<Requirements> = {
  problems: ['source-address-not-allowed', 'throttled', 'body-too-large', 'internal-error', 'service-unavailable'],
};

const stepsThatApply = (endpoint: Endpoint): readonly (Step & { name: StepName })[] =>
  (chain as readonly (Step & { name: StepName })[]).filter(({ appliesTo }) => appliesTo?.(endpoint) ?? true);

/** The names of the steps of an endpoint's chain, in order. */
export const stepsOf = (endpoint: Endpoint): StepName[] => stepsThatApply(endpoint).map(({ name }) => name);

/** What the function of an endpoint may refuse or fail with, its gateway's own answers left out. */
export const functionProblemsOf = (endpoint: Endpoint): ProblemCode[] =>
  unique([...stepsThatApply(endpoint), endpoint].flatMap(({ problems = [] }) => problems));

/** All that a call of an endpoint can answer and needs: its gateway's, its chain's and its own. */
export const requirementsOf = (endpoint: Endpoint): Requirements => {
  const parts = [gateway, ...stepsThatApply(endpoint), endpoint];
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
