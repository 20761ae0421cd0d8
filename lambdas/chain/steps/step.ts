import type { StepName, StepRowOf } from '../../api/chain/chain.ts';
import type { Endpoint } from '../../api/endpoints/endpoint.ts';
import type { OperationId } from '../../api/endpoints/endpoints.ts';
import type { Problem } from '../../api/problem.ts';
import type { AddedBy, ProblemsOf, ReadBy } from './facts.ts';

export type NamedEndpoint = Endpoint & { readonly operationId: OperationId };

/**
 * A step of the chain: made once for its endpoint, then asked with the facts of each request. What it may read, what it
 * has to add and how it may refuse follow from its row in `api/chain/chain.ts`.
 */
export type Step<Name extends StepName> = (
  endpoint: NamedEndpoint,
) => (facts: ReadBy<StepRowOf<Name>>) => Outcome<Name> | Promise<Outcome<Name>>;

type Outcome<Name extends StepName> = AddedBy<StepRowOf<Name>> | Problem<ProblemsOf<StepRowOf<Name>>>;
