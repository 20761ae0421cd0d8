import { setTimeout } from 'node:timers/promises';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { createApiKey } from '../../lambdas/data/api-keys/api-key-creation.ts';
import { circuitItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { putCompany } from '../../lambdas/data/contracts/companies.ts';
import { putContract, unopenedContract } from '../../lambdas/data/contracts/contracts.ts';
import { grantGateway } from '../../lambdas/data/contracts/grants.ts';
import type { FunctionEnvironment } from '../../lambdas/data/function-environment.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { consentGivenAt } from '../../lambdas/domain/consent.ts';
import { createMemory, createProcessMemory } from '../../lambdas/domain/process-memory.ts';
import { getHeatingCircuit } from '../../lambdas/handlers/circuits.ts';
import { putShadow } from '../support/appliance.ts';
import { partiesOf } from '../support/world.ts';
import { median, openStore, quantile } from './store.ts';

const calls = 400;
const storeLatencyMs = 5;
const [companyId, gatewayId, circuitId, userId] = ['bench', 'gw-1', 'hc1', 'owner'];

/** Whole calls of one circuit through the real chain, by what the process remembers; each store call takes 5 ms more. */
export const compareCalls = async (): Promise<void> => {
  const { store, close } = await openStore();
  const apiKey = await prepare(store);
  const forgetful = <Value>() => createMemory<Value>(0);
  const memories = {
    'nothing remembered': { ...createProcessMemory(), validKeys: forgetful<true>(), admissions: forgetful<number>() },
    'the key': { ...createProcessMemory(), admissions: forgetful<number>() },
    'key and request': createProcessMemory(),
  };
  const slow = { ...store, send: delayed(store) } as Store;
  const durationsMs: Record<string, number[]> = {};
  let nowMs = Date.now() + 60_000;
  for (let call = -20; call < calls; call++)
    for (const [name, memory] of Object.entries(memories)) {
      nowMs += 10_000;
      const durationMs = await timeCall(environment(slow, memory), apiKey, nowMs);
      if (call >= 0) durationsMs[name] = [...(durationsMs[name] ?? []), durationMs];
    }
  await close();

  console.log(
    `A whole call of getHeatingCircuit, ${storeLatencyMs} ms put on each store call, ${calls} calls each in turn`,
  );
  const before = median(durationsMs['the key'] ?? []);
  for (const [name, values] of Object.entries(durationsMs)) {
    const [p50, p99] = [median(values), quantile(values, 0.99)].map((value) => value.toFixed(1));
    console.log(
      `  ${name.padEnd(20)} p50 ${p50} ms, p99 ${p99} ms, of two round trips ${(median(values) / before).toFixed(2)}`,
    );
  }
  console.log('');
};

const delayed = (store: Store) => async (command: Parameters<Store['send']>[0], options?: object) => {
  await setTimeout(storeLatencyMs);
  return store.send(command, options);
};

const environment = (store: Store, memory: FunctionEnvironment['memory']): FunctionEnvironment => ({
  store,
  memory,
  storeDeadlineMs: 60_000,
  processTimeMs: () => Number.MAX_SAFE_INTEGER,
  setting: (name) =>
    ({
      requiredConsentVersion: 1,
      newestConsentVersion: 1,
      consentPortalUrl: 'x',
      metricNamespace: 'x',
      canaryCompanyId: '-',
    })[name] as never,
  log: () => {},
});

const timeCall = async (environment: FunctionEnvironment, apiKey: string, nowMs: number): Promise<number> => {
  const multiValueHeaders = { 'x-api-key': [apiKey], 'x-user-id': [userId] };
  const event = {
    multiValueHeaders,
    pathParameters: { gatewayId, circuitId },
    requestContext: {
      requestId: 'bench',
      extendedRequestId: 'bench',
      requestTimeEpoch: nowMs,
      identity: { sourceIp: '127.0.0.1' },
    },
  } as unknown as APIGatewayProxyEvent;
  const startedAt = performance.now();
  const { statusCode, body } = await getHeatingCircuit.withEnvironment(environment)(event, {} as Context);
  if (statusCode !== 200) throw new Error(`The call was answered with ${statusCode}: ${body}`);
  return performance.now() - startedAt;
};

/** A company with one gateway and one circuit; gives its key. */
const prepare = async (store: Store): Promise<string> => {
  const nowMs = Date.now();
  await putCompany(store, {
    companyId,
    name: 'Bench',
    state: 'active',
    allowedCidrs: ['127.0.0.1/32'],
    webhookHosts: [],
  });
  await putContract(store, {
    ...unopenedContract({ companyId, userId }),
    state: 'active',
    sinceMs: nowMs,
    ...consentGivenAt(1, nowMs),
  });
  const auditContext = { companyId, nowMs, requestId: 'bench', operation: 'bench', actorKey: null };
  const creation = await createApiKey(store, auditContext);
  if (creation.outcome !== 'created') throw new Error(`No key could be issued: ${creation.outcome}`);
  await grantGateway(store, partiesOf(companyId), gatewayId, nowMs);
  const reported = {
    operationMode: 'auto',
    roomTemperatureCelsius: 20.5,
    roomSetpointCelsius: 21,
    supplyTemperatureCelsius: 38,
    activeTimeProgramId: '1',
  };
  await putShadow(
    store,
    circuitItemKey(gatewayId, 'heating', circuitId),
    { circuitId },
    { reported, reportedAtMs: nowMs, receivedAtMs: nowMs, version: 1 },
  );
  return creation.key.apiKey;
};
