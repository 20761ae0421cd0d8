import { randomUUID } from 'node:crypto';
import { endpoints, type OperationId, operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { circuitItemKey, holidayItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { timeProgramItemKey } from '../../../lambdas/data/appliances/time-programs.ts';
import type { FunctionEnvironment } from '../../../lambdas/runtime/function-environment.ts';
import type { Answer } from '../../../test/support/api-document.ts';
import { type CallOptions, call, type EquippedCompany, goodCall } from '../../../test/support/call.ts';
import { rowsOf, type Tables } from '../../../test/support/memory-store/tables.ts';
import { below } from '../../../test/support/random.ts';

/** A company, and what it has learned about its keys from answers. */
export type Partner = {
  readonly company: EquippedCompany;
  readonly environment: FunctionEnvironment;
  /** The keys that the company received and does not know to be deleted, by id. */
  readonly shown: Map<string, string>;
  /** The ids of the keys that the company received. A key whose creation lost its answer appears in no other place. */
  readonly knownIds: Set<string>;
  readonly creations: { readonly keyId: string; readonly value: string }[];
  /** All calls and their answers. */
  readonly exchanges: Exchange[];
};

export const partnerOf = (company: EquippedCompany, environment: FunctionEnvironment): Partner => ({
  company,
  environment,
  shown: new Map(company.keys.map(({ keyId, apiKey }) => [keyId, apiKey])),
  knownIds: new Set(company.keys.map(({ keyId }) => keyId)),
  creations: [],
  exchanges: [],
});

/** Half of the calls are changes of keys, which faults of the store can break most. */
const mostAsked: readonly OperationId[] = [
  'createApiKey',
  'createApiKey',
  'createApiKey',
  'deleteApiKey',
  'deleteApiKey',
  'listApiKeys',
];

const pick = <T>(random: () => number, from: readonly T[]): T => from[below(random, from.length)] as T;

/** Draws a call that is valid as far as the partner knows. It runs later, concurrently with others. */
export const drawCall = (partner: Partner, random: () => number, nowMs: number): (() => Promise<Exchange>) => {
  const { company, environment, shown, knownIds, creations } = partner;
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
  if (operationId === 'deleteApiKey') pathParameters.keyId = pick(random, [...knownIds]);
  if (pathParameters.circuitId) pathParameters.circuitId = pick(random, ['c1', 'c2']);
  if (pathParameters.timeProgramId) pathParameters.timeProgramId = pick(random, ['1', '2']);
  if (good.body && 'ifMatch' in endpoints[operationId] && random() < 0.3)
    headers['If-Match'] = [`"${1 + below(random, 4)}"`];

  const request = { ...good, apiKey: shown.get(keyId) as string, headers, pathParameters, nowMs };
  const creationId = value === undefined ? undefined : `${keyId} ${value}`;
  return async () => {
    const answer = await call(operationId, { ...request, environment });
    return { companyId: company.companyId, operationId, keyId, request, creationId, answer };
  };
};

/** Updates what the partner knows of its keys from an answer. */
export const learn = (partner: Partner, exchange: Exchange): void => {
  const { shown, knownIds, exchanges } = partner;
  const { operationId, keyId, request, answer } = exchange;
  const { status, body } = answer;
  exchanges.push(exchange);
  if (operationId === 'createApiKey' && status === 201) {
    shown.set(body.keyId, body.apiKey);
    knownIds.add(body.keyId);
  }
  if (operationId === 'listApiKeys' && status === 200) for (const key of body.items) knownIds.add(key.keyId);
  if (body?.code === 'api-key-limit-reached') for (const key of body.validKeys) knownIds.add(key.keyId);
  if (status === 401) shown.delete(keyId);
  const target = request.pathParameters?.keyId;
  if (target && (status === 204 || status === 404)) shown.delete(target);
  if (target && status === 404) knownIds.delete(target);
};

/** A call and its answer. */
export type Exchange = {
  readonly companyId: string;
  readonly operationId: OperationId;
  readonly keyId: string;
  readonly request: CallOptions & { readonly nowMs: number };
  /** Identifies equal creation requests. */
  readonly creationId: string | undefined;
  readonly answer: Answer;
};

/** Returns the key of the item that a call is about; undefined if it is no circuit, time program or holiday. */
export const itemKeyOf = ({ operationId, request: { pathParameters = {} } }: Exchange) => {
  const { gatewayId = '', circuitId, timeProgramId } = pathParameters;
  const family = operationId.includes('Dhw') ? 'dhw' : 'heating';
  if (endpoints[operationId].path.endsWith('/holiday')) return holidayItemKey(gatewayId);
  if (circuitId === undefined) return undefined;
  return timeProgramId === undefined
    ? circuitItemKey(gatewayId, family, circuitId)
    : timeProgramItemKey(gatewayId, family, circuitId, timeProgramId);
};

/** Returns the stored version of the item that a call changes. */
export const versionIn = (tables: Tables, exchange: Exchange): number => {
  const { gatewayId, sk } = itemKeyOf(exchange) ?? {};
  return Number(rowsOf(tables, 'Appliances').get(`${gatewayId}\0${sk}`)?.version);
};

/** The version that `If-Match` asks for; undefined without it. */
export const expectedVersionOf = ({ request: { headers = {} } }: Exchange): number | undefined =>
  headers['If-Match']?.[0] === undefined ? undefined : Number(headers['If-Match'][0].replaceAll('"', ''));

export const requestIdOf = ({ answer }: Exchange): string => answer.headers['x-request-id'] ?? '';
