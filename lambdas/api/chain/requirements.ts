import type { Endpoint, Requirements } from '../endpoints/endpoint.ts';
import type { ProblemCode } from '../problems.ts';
import { chain, type StepName } from './chain.ts';
import { applies, type StepRow } from './step-row.ts';

/** What surrounds the steps and sees every answer on its way out, refusals and failures too. */
const surroundings: Partial<Requirements> = {
  problems: ['internal-error', 'service-unavailable'],
  settings: ['metricNamespace', 'canaryCompanyId'],
};

/** What API Gateway itself may answer on any route, before or instead of the function. */
const gateway: Partial<Requirements> = {
  problems: ['source-address-not-allowed', 'throttled', 'body-too-large', 'internal-error', 'service-unavailable'],
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
    macKeys: unique(parts.flatMap(({ macKeys = [] }) => macKeys)),
  };
};

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];
