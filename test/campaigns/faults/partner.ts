import { randomUUID } from 'node:crypto';
import { endpoints, type OperationId, operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { circuitItemKey, holidayItemKey, timeProgramItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import type { FunctionEnvironment } from '../../../lambdas/data/function-environment.ts';
import type { Answer } from '../../support/api-document.ts';
import { type CallOptions, call, type EquippedCompany, goodCall } from '../../support/call.ts';
import { below } from '../../support/random.ts';
import { rowsOf, type Tables } from '../interleavings/store/tables.ts';

/** A company, and what it was told of its keys. */
export type Partner = {
  readonly company: EquippedCompany;
  readonly environment: FunctionEnvironment;
  /** The keys that it was shown and that it does not know to be gone, by id. */
  readonly shown: Map<string, string>;
  /** The ids of keys that it was told of: a creation whose answer was lost leaves a key that is known by no other way. */
  readonly toldOf: Set<string>;
  readonly creations: { readonly keyId: string; readonly value: string }[];
  /** Everything that happened. */
  readonly exchanges: Exchange[];
};

export const partnerOf = (company: EquippedCompany, environment: FunctionEnvironment): Partner => ({
  company,
  environment,
  shown: new Map(company.keys.map(({ keyId, apiKey }) => [keyId, apiKey])),
  toldOf: new Set(company.keys.map(({ keyId }) => keyId)),
  creations: [],
  exchanges: [],
});

/** Changes of keys, of which the faults of a store can break most, are half of what is asked. */
const mostAsked: readonly OperationId[] = [
  'createApiKey',
  'createApiKey',
  'createApiKey',
  'deleteApiKey',
  'deleteApiKey',
  'listApiKeys',
];

const pick = <T>(random: () => number, from: readonly T[]): T => from[below(random, from.length)] as T;

/** Draws a call that is good as far as the partner knows. It is made later, at the same time as others. */
export const drawCall = (partner: Partner, random: () => number, nowMs: number): (() => Promise<Exchange>) => {
  const { company, environment, shown, toldOf, creations } = partner;
  const operationId = pick(random, random() < 0.5 ? mostAsked : operationIds);
  const good = goodCall(operationId, company);
  let keyId = pick(random, [...shown.keys()]);
  let value: string | undefined;
  const headers: Record<string, readonly string[]> = { ...good.headers };
  const pathParameters = { ...good.pathParameters };

  if (operationId === 'createApiKey' && random() < 0.6) {
    const earlier = random() < 0.5 ? pick(random, creations) : undefined;
    const creation = earlier && shown.has(earlier.keyId) ? earlier : { keyId, value: randomUUID() };
    if (creation !== earlier) creations.push(creation);
    ({ keyId, value } = creation);
    headers['Idempotency-Key'] = [value];
  }
  if (operationId === 'deleteApiKey') pathParameters.keyId = pick(random, [...toldOf]);
  if (pathParameters.circuitId) pathParameters.circuitId = pick(random, ['c1', 'c2']);
  if (pathParameters.timeProgramId) pathParameters.timeProgramId = pick(random, ['1', '2']);
  if (good.body && random() < 0.3) headers['If-Match'] = [`"${1 + below(random, 4)}"`];

  const request = { ...good, apiKey: shown.get(keyId) as string, headers, pathParameters, nowMs };
  const creationId = value === undefined ? undefined : `${keyId} ${value}`;
  return async () => {
    const answer = await call(operationId, { ...request, environment });
    return { companyId: company.companyId, operationId, keyId, request, creationId, answer };
  };
};

/** Lets the partner learn what an answer says of its keys. */
export const learn = (partner: Partner, exchange: Exchange): void => {
  const { shown, toldOf, exchanges } = partner;
  const { operationId, keyId, request, answer } = exchange;
  const { status, body } = answer;
  exchanges.push(exchange);
  if (operationId === 'createApiKey' && status === 201) {
    shown.set(body.keyId, body.apiKey);
    toldOf.add(body.keyId);
  }
  if (operationId === 'listApiKeys' && status === 200) for (const key of body.items) toldOf.add(key.keyId);
  if (body?.code === 'api-key-limit-reached') for (const key of body.validKeys) toldOf.add(key.keyId);
  if (status === 401) shown.delete(keyId);
  const target = request.pathParameters?.keyId;
  if (target && (status === 204 || status === 404)) shown.delete(target);
  if (target && status === 404) toldOf.delete(target);
};

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

/** Where the appliance of a call is kept; undefined where it is of no circuit, time program or holiday. */
export const itemKeyOf = ({ operationId, request: { pathParameters = {} } }: Exchange) => {
  const { gatewayId = '', circuitId, timeProgramId } = pathParameters;
  const family = operationId.includes('Dhw') ? 'dhw' : 'heating';
  if (endpoints[operationId].path.endsWith('/holiday')) return holidayItemKey(gatewayId);
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
