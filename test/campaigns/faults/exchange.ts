import type { OperationId } from '../../../lambdas/api/endpoints/endpoints.ts';
import { circuitItemKey, timeProgramItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import type { Answer } from '../../support/api-document.ts';
import type { CallOptions } from '../../support/call.ts';
import { rowsOf, type Tables } from '../interleavings/store/tables.ts';

/** A call that was made, and what it was answered. */
export type Exchange = {
  readonly companyId: string;
  readonly operationId: OperationId;
  readonly keyId: string;
  readonly request: CallOptions & { readonly nowMs: number };
  /** What a creation is the same as others by. */
  readonly creationId: string | undefined;
  readonly answer: Answer;
};

/** Where the appliance of a call is kept; undefined where it is of no circuit or time program. */
export const itemKeyOf = ({ operationId, request: { pathParameters = {} } }: Exchange) => {
  const { gatewayId = '', circuitId, timeProgramId } = pathParameters;
  const family = operationId.includes('Dhw') ? 'dhw' : 'heating';
  if (circuitId === undefined) return undefined;
  return timeProgramId === undefined
    ? circuitItemKey(gatewayId, family, circuitId)
    : timeProgramItemKey(gatewayId, family, circuitId, timeProgramId);
};

/** The version of what a call changes, as it is stored. */
export const versionIn = (tables: Tables, exchange: Exchange): number => {
  const { gatewayId, sk } = itemKeyOf(exchange) ?? {};
  return Number(rowsOf(tables, 'Appliances').get(`${gatewayId}\0${sk}`)?.version);
};

/** The version that `If-Match` asks for; undefined without it. */
export const expectedVersionOf = ({ request: { headers = {} } }: Exchange): number | undefined =>
  headers['If-Match']?.[0] === undefined ? undefined : Number(headers['If-Match'][0].replaceAll('"', ''));

export const requestIdOf = ({ answer }: Exchange): string => answer.headers['x-request-id'] ?? '';
