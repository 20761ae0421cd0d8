import { randomUUID } from 'node:crypto';
import { type Endpoint, pathParametersOf } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId } from '../../lambdas/api/endpoints/endpoints.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { createWebhook } from '../../lambdas/data/webhooks/webhook-creation.ts';
import { verifyWebhook } from '../../lambdas/data/webhooks/webhook-verification.ts';
import type { Webhook } from '../../lambdas/domain/webhooks/webhook.ts';
import { installGrantedGateway } from './appliance.ts';
import type { CallOptions } from './call.ts';
import { onboard, startMs, webhookSecretOf } from './world.ts';

/** A company for which a good call of every operation can be made: two keys, a gateway with all it can have, and a webhook. */
export const equipCompany = async (store: Store, overrides: Parameters<typeof onboard>[1] = {}) => {
  const company = await onboard(store, { keys: 2, webhookHosts: ['acme.example'], ...overrides });
  const gateway = await installGrantedGateway(store, company.companyId);
  return { ...company, gatewayId: gateway.gatewayId, webhook: await registerWebhook(store, company.companyId) };
};

export type EquippedCompany = Awaited<ReturnType<typeof equipCompany>>;

/** What to send so that the operation succeeds, derived from its row. */
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

const goodBody = (operationId: OperationId, { method }: Endpoint, { webhook }: EquippedCompany): object => {
  if (operationId === 'createWebhook') return { url: webhook.url };
  if (operationId === 'verifyWebhook') return { code: webhook.code };
  return method === 'PATCH' ? { operationMode: 'off' } : goodProgram;
};

/** A webhook that has not been verified yet. */
export const registerWebhook = async (store: Store, companyId: string): Promise<Webhook> => {
  const url = 'https://hooks.acme.example/heating';
  const creation = await createWebhook(store, actOf(companyId, 'register'), url, webhookSecretOf);
  if (creation.outcome !== 'created') throw new Error(`No webhook could be registered: ${creation.outcome}`);
  return creation.webhook;
};

/** A webhook whose code has come back. */
export const enableWebhook = async (store: Store, companyId: string): Promise<Webhook> => {
  const { webhookId, code } = await registerWebhook(store, companyId);
  const verification = await verifyWebhook(store, actOf(companyId, 'verify'), webhookId, code);
  if (verification.outcome !== 'verified') throw new Error(`No webhook could be enabled: ${verification.outcome}`);
  return verification.webhook;
};

const actOf = (companyId: string, operation: string) => ({
  ...{ companyId, operation, nowMs: startMs, requestId: randomUUID(), actorKey: null },
});

/** Good for both families. */
export const goodProgram = {
  name: 'At home',
  switchPoints: [
    { dayOfWeek: 'monday', time: '06:30', setpoint: 'comfort' },
    { dayOfWeek: 'monday', time: '22:00', setpoint: 'eco' },
  ],
};
