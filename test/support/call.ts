import { randomBytes, randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { expect } from 'vitest';
import * as z from 'zod/mini';
import { type Endpoint, pathParametersOf } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, handlerFileOf, type OperationId, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { requestEvent } from '../../lambdas/api/log-events/request-event.ts';
import { decisionOf, type Metric, metrics } from '../../lambdas/api/metrics.ts';
import { problems } from '../../lambdas/api/problems.ts';
import { putContract } from '../../lambdas/data/contracts/contracts.ts';
import { grantGateway } from '../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { createWebhook, verifyWebhook } from '../../lambdas/data/webhooks/webhook-lifecycle.ts';
import { generateKey } from '../../lambdas/domain/api-key.ts';
import { consentGivenAt } from '../../lambdas/domain/consent.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { toBase62 } from '../../lambdas/domain/encoding.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import type { Webhook } from '../../lambdas/domain/webhook.ts';
import type { FunctionEnvironment, LambdaHandler } from '../../lambdas/runtime/function-environment.ts';
import type { Answer } from './api-document.ts';
import { installGateway, installGrantedGateway } from './appliance.ts';
import { expectContract } from './contract.ts';
import { onboard, startMs, theWorld, webhookSecretOf } from './world.ts';

type Handler = LambdaHandler<APIGatewayProxyEvent, Context, FunctionEnvironment, Promise<APIGatewayProxyResult>>;

export type CallOptions = {
  readonly apiKey?: string;
  /** The gateway's clock. */
  readonly nowMs?: number;
  readonly sourceIp?: string;
  readonly requestId?: string;
  /** The request id that the client chose in a header. */
  readonly chosenRequestId?: string;
  /** Header values by name, in the spelling of the client. */
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, readonly string[]>>;
  /** A text is sent unchanged, any other value as JSON. */
  readonly body?: unknown;
  readonly isBase64Encoded?: boolean;
  /** Replaces the environment of the open world. */
  readonly environment?: FunctionEnvironment;
};

/** Calls the handler of an operation in this process, as API Gateway would, and checks the response against its contract. */
export const call = async (operationId: OperationId, options: CallOptions = {}) => {
  const handler = await handlerOf(operationId);
  const { environment = theWorld().environment } = options;
  const result = await handler.withEnvironment(environment)(proxyEvent(options), {} as Context);
  const answer: Answer = {
    status: result.statusCode,
    headers: Object.fromEntries(
      Object.entries(result.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
    body: result.body ? JSON.parse(result.body) : undefined,
  };
  expectContract(operationId, answer);
  return answer;
};

export const handlerOf = async (operationId: OperationId): Promise<Handler> => {
  const handlers: Record<string, Handler> = await import(
    new URL(`../../${handlerFileOf(operationId)}`, import.meta.url).href
  );
  return handlers[operationId] as Handler;
};

/** The event that API Gateway would send for a call. */
export const proxyEvent = ({ apiKey, nowMs = startMs, sourceIp = '127.0.0.1', ...options }: CallOptions) => {
  const multiValueHeaders = { ...(apiKey !== undefined && { 'x-api-key': [apiKey] }), ...options.headers };
  return {
    headers: lastOf(multiValueHeaders),
    multiValueHeaders,
    pathParameters: options.pathParameters ?? null,
    queryStringParameters: options.query ? lastOf(options.query) : null,
    multiValueQueryStringParameters: options.query ?? null,
    body:
      options.body === undefined || typeof options.body === 'string'
        ? (options.body ?? null)
        : JSON.stringify(options.body),
    isBase64Encoded: options.isBase64Encoded ?? false,
    requestContext: {
      requestId: options.chosenRequestId ?? randomUUID(),
      extendedRequestId: options.requestId ?? `${randomBytes(11).toString('base64url')}=`,
      requestTimeEpoch: nowMs,
      identity: { sourceIp },
    },
  } as unknown as APIGatewayProxyEvent;
};

const lastOf = (values: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1)]));

/** Onboards a company for which a call of every operation can succeed: two keys, a complete gateway, and a webhook. */
export const equipCompany = async (store: Store, overrides: Parameters<typeof onboard>[1] = {}) => {
  const company = await onboard(store, { keys: 2, webhookHosts: ['acme.example'], ...overrides });
  const gateway = await installGrantedGateway(store, company.companyId);
  return {
    ...company,
    gatewayId: gateway.gatewayId,
    webhook: await registerWebhook(store, company.companyId, 'https://hooks.acme.example/present'),
  };
};

let owners = 0;

/** Adds another owner to a company, with a complete gateway of their own. */
export const addOwner = async (store: Store, { contract }: EquippedCompany, overrides: Partial<Contract> = {}) => {
  const userId = `${contract.userId}-${++owners}`;
  const added: Contract = { ...contract, state: 'active', ...consentGivenAt(3, startMs), ...overrides, userId };
  await putContract(store, { ...added, gateways: {} });
  const { gatewayId } = await installGateway(store);
  await grantGateway(store, added, gatewayId, startMs);
  return { contract: added, gatewayId };
};

export type EquippedCompany = Awaited<ReturnType<typeof equipCompany>>;

/** The operations that show a gateway, or what it has reported. */
export const readsOfGateway = operationIds.filter(
  (operationId) =>
    endpoints[operationId].method === 'GET' && pathParametersOf(endpoints[operationId].path).includes('gatewayId'),
);

/** Those of the gateway as a whole, which need no other id. */
export const readsOfWholeGateway = readsOfGateway.filter(
  (operationId) => pathParametersOf(endpoints[operationId].path).length === 1,
);

/** The query with which the response of an operation has all that it can include. */
export const wholeOf = (operationId: OperationId): Required<Pick<CallOptions, 'query'>> => {
  const include = { getGateway: 'circuits,timePrograms', listContracts: 'gateways' }[operationId as string];
  return { query: include === undefined ? {} : { include: [include] } };
};

/** The request with which the operation succeeds, derived from its row. */
export const goodCall = (
  operationId: OperationId,
  company: EquippedCompany,
): Required<Pick<CallOptions, 'headers' | 'pathParameters'>> & CallOptions => {
  const endpoint: Endpoint = endpoints[operationId];
  const ids: Record<string, string> = {
    keyId: company.keys[1]?.keyId ?? '',
    gatewayId: company.gatewayId,
    circuitId: 'c1',
    timeProgramId: '1',
    webhookId: company.webhook.webhookId,
  };
  return {
    apiKey: company.key.apiKey,
    headers: {
      ...(endpoint.onBehalfOfUser && { 'x-user-id': [company.contract.userId] }),
      ...(endpoint.body && { 'content-type': ['application/json'] }),
    },
    pathParameters: Object.fromEntries(pathParametersOf(endpoint.path).map((name) => [name, ids[name] ?? ''])),
    ...(endpoint.body && { body: goodBody(operationId, endpoint, company) }),
  };
};

/** A request of a company that succeeds, except for what a test overrides. */
export const callsOf =
  (company: EquippedCompany) =>
  (operationId: OperationId, options: CallOptions = {}, ids: Readonly<Record<string, string>> = {}) => {
    const good = goodCall(operationId, company);
    const headers = { ...good.headers, ...options.headers };
    return call(operationId, { ...good, ...options, headers, pathParameters: { ...good.pathParameters, ...ids } });
  };

const goodBody = (operationId: OperationId, { method }: Endpoint, { webhook }: EquippedCompany): object => {
  if (operationId === 'createWebhook') return { url: 'https://hooks.acme.example/another' };
  if (operationId === 'verifyWebhook') return { code: webhook.code };
  if (operationId === 'testWebhook') return { type: 'events.available' };
  if (operationId === 'setHoliday')
    return { from: toTimestamp(startMs), to: '2036-04-01T12:00:00Z', roomSetpointCelsius: 16 };
  if (operationId === 'setHeatingOverride') return { roomSetpointCelsius: 23, until: 'next-switch-point' };
  if (operationId === 'setDhwOverride') return { until: 'next-switch-point' };
  if (operationId === 'createApiKey') return { label: 'Any' };
  return method === 'PATCH' ? { operationMode: 'off' } : goodProgram;
};

/** Registers a webhook, which is not verified yet. */
export const registerWebhook = async (
  store: Store,
  companyId: string,
  url = 'https://hooks.acme.example/heating',
): Promise<Webhook> => {
  const creation = await createWebhook(store, actOf(companyId, 'register'), url, webhookSecretOf);
  if (creation.outcome !== 'created') throw new Error(`No webhook could be registered: ${creation.outcome}`);
  return creation.webhook;
};

/** Registers a webhook and verifies it. */
export const enableWebhook = async (store: Store, companyId: string, url?: string): Promise<Webhook> => {
  const { webhookId, code } = await registerWebhook(store, companyId, url);
  const verification = await verifyWebhook(store, actOf(companyId, 'verify'), webhookId, code);
  if (verification.outcome !== 'verified') throw new Error(`No webhook could be enabled: ${verification.outcome}`);
  return verification.webhook;
};

const actOf = (companyId: string, operation: string) => ({
  companyId,
  operation,
  nowMs: startMs,
  requestId: randomUUID(),
  actorKey: null,
});

/** Valid for both families. */
export const goodProgram = {
  name: 'At home',
  switchPoints: [
    { dayOfWeek: 'monday', time: '06:30', setpoint: 'comfort' },
    { dayOfWeek: 'monday', time: '22:00', setpoint: 'eco' },
  ],
};

/** Checks a log line of a function; returns its fields and the metric series that it feeds. */
export const readRequestEvent = (line: string) => {
  expect(Buffer.byteLength(line)).toBeLessThan(1024);
  const { data: event, error } = z.safeParse(requestEvent, JSON.parse(line));
  expect(error?.issues, line).toBeUndefined();
  if (!event) throw new Error('An event without error has data.');
  expect(event.decision).toBe(decisionOf(event.reason));
  expect(event.status).toBe(event.reason ? problems[event.reason].status : endpoints[event.operation].success.status);
  return { event, series: seriesOf(event) };
};

/** The series as CloudWatch extracts them: name and dimension values. Throws if a number is missing. */
const seriesOf = (
  event: Readonly<Record<string, unknown>> & { readonly _aws?: { CloudWatchMetrics: unknown[] } | undefined },
) =>
  ((event._aws?.CloudWatchMetrics ?? []) as Directive[]).flatMap(({ Dimensions, Metrics }) =>
    Metrics.flatMap(({ Name, Unit }) => {
      const { unit, dimensions }: Metric = metrics[Name];
      expect(Unit).toBe(unit);
      expect(event[Name]).toEqual(expect.any(Number));
      return Dimensions.map((set) => {
        for (const dimension of set) expect(dimensions).toContain(dimension);
        return [Name, ...set.map((dimension) => `${dimension}=${event[dimension]}`)].join(' ');
      });
    }),
  );

type Directive = {
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: keyof typeof metrics; readonly Unit: string }[];
};

/** A key with a valid form and checksum that was never issued. It may contain the id of an issued key. */
export const forgedKey = (companyId: string, keyId?: string): string => {
  const { apiKey, keyId: ownKeyId } = generateKey(companyId, startMs);
  const unchecked = apiKey.replace(ownKeyId, keyId ?? ownKeyId).slice(0, -6);
  return unchecked + toBase62(crc32(unchecked), 6);
};
