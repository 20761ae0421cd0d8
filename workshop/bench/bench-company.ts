import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { createApiKey } from '../../lambdas/data/api-keys/api-key-creation.ts';
import { circuitItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { putCompany } from '../../lambdas/data/contracts/companies.ts';
import { putContract, unopenedContract } from '../../lambdas/data/contracts/contracts.ts';
import { grantGateway } from '../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { consentGivenAt } from '../../lambdas/domain/consent.ts';
import type { getHeatingCircuit } from '../../lambdas/handlers/circuits.ts';
import type { FunctionEnvironment } from '../../lambdas/runtime/function-environment.ts';
import { createProcessMemory } from '../../lambdas/runtime/process-memory.ts';
import { putGateway, putShadow, reportedCircuits } from '../../test/support/appliance.ts';
import { proxyEvent } from '../../test/support/call.ts';
import { partiesOf } from '../../test/support/world.ts';

/** Creates a company with a contract, one gateway and one circuit; returns what a call of the circuit contains. */
export const prepareCircuit = async (store: Store): Promise<Omit<Call, 'nowMs'>> => {
  const pathParameters = { gatewayId: 'gw-1', circuitId: 'hc1' };
  const { gatewayId, circuitId } = pathParameters;
  const parties = partiesOf('bench');
  const { companyId, userId } = parties;
  const nowMs = Date.now();
  const company = {
    companyId,
    name: 'Bench',
    state: 'active',
    allowedCidrs: ['127.0.0.1/32'],
    webhookHosts: [],
  } as const;
  await putCompany(store, company);
  const auditContext = { companyId, nowMs, requestId: 'bench', operation: 'bench', actorKey: null };
  const creation = await createApiKey(store, auditContext);
  if (creation.outcome !== 'created') throw new Error(`No key could be issued: ${creation.outcome}`);
  const contract = { ...unopenedContract(parties), state: 'active', sinceMs: nowMs } as const;
  await putContract(store, { ...contract, ...consentGivenAt(1, nowMs) });
  await grantGateway(store, parties, gatewayId, nowMs);
  await putGateway(store, {
    gatewayId,
    name: 'Home',
    type: 'heat-pump',
    connectivity: 'online',
    connectivitySinceMs: null,
    lastSeenAtMs: nowMs,
    components: [{ componentId: '1', type: 'heat-pump', model: 'AW-8' }],
    limits: { maxSwitchPoints: 56, maxSwitchPointsPerDay: 8, switchPointRasterMinutes: 10 },
    features: [],
    blocks: {},
    faults: [],
    timeZone: null,
  });
  const standing = { reportedAtMs: nowMs, receivedAtMs: nowMs, version: 1 };
  const key = circuitItemKey(gatewayId, 'heating', circuitId);
  await putShadow(store, key, { circuitId }, { reported: reportedCircuits.heating, ...standing });
  return { apiKey: creation.key.apiKey, userId, pathParameters };
};

/** Returns the environment of a function that logs nothing. */
export const benchEnvironment = (store: Store): FunctionEnvironment => ({
  store,
  memory: createProcessMemory(),
  storeDeadlineMs: 60_000,
  processTimeMs: () => Number.MAX_SAFE_INTEGER,
  setting: (name) =>
    ({
      requiredConsentVersion: 1,
      newestConsentVersion: 1,
      consentPortalUrl: 'x',
      metricNamespace: 'x',
      logRetentionDays: 90,
      canaryCompanyId: '-',
    })[name] as never,
  log: () => {},
});

export type Call = {
  readonly apiKey: string;
  readonly userId: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly nowMs: number;
};

/** Returns the event by which API Gateway passes a call on. */
export const eventOf = ({ userId, ...call }: Call): APIGatewayProxyEvent =>
  proxyEvent({ ...call, headers: { 'x-user-id': [userId] } });

/** Calls an endpoint as API Gateway does; returns how long its 200 took. */
export const callOf = async (
  { withEnvironment }: typeof getHeatingCircuit,
  environment: FunctionEnvironment,
  call: Call,
) => {
  const event = eventOf(call);
  const startedAt = performance.now();
  const { statusCode, body } = await withEnvironment(environment)(event, {} as Context);
  const durationMs = performance.now() - startedAt;
  if (statusCode !== 200) throw new Error(`The call was answered with ${statusCode}: ${body}`);
  return { durationMs };
};
