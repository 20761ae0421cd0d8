import { circuitItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { putContract, unopenedContract } from '../../lambdas/data/contracts/contracts.ts';
import { grantGateway } from '../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { consentGivenAt } from '../../lambdas/domain/consent.ts';
import { getHeatingCircuit } from '../../lambdas/handlers/circuits.ts';
import { createMemory, createProcessMemory } from '../../lambdas/runtime/process-memory.ts';
import { putShadow } from '../../test/support/appliance.ts';
import { partiesOf } from '../../test/support/world.ts';
import { admitCompany, benchEnvironment, callOf, putDescribedGateway, reportedCircuit } from './bench-company.ts';
import { delayed, median, openStore, quantile } from './store.ts';

const storeLatencyMs = 5;
const parties = partiesOf('bench');
const { companyId, userId } = parties;
const [gatewayId, circuitId] = ['gw-1', 'hc1'];

/**
 * Times whole calls of one circuit through the real chain, by what the process remembers; each store call takes 5 ms longer.
 */
export const compareCalls = async (calls = 400): Promise<void> => {
  const { store, close } = await openStore();
  const apiKey = await prepare(store);
  const forgetful = <Value>() => createMemory<Value>(0);
  const memories = {
    'nothing remembered': { ...createProcessMemory(), validKeys: forgetful<true>(), admissions: forgetful<number>() },
    'the key': { ...createProcessMemory(), admissions: forgetful<number>() },
    'key and request': createProcessMemory(),
  };
  const slow = delayed(store, storeLatencyMs);
  const durationsMs: Record<string, number[]> = {};
  let nowMs = Date.now() + 60_000;
  for (let call = -20; call < calls; call++)
    for (const [name, memory] of Object.entries(memories)) {
      nowMs += 10_000;
      const environment = { ...benchEnvironment(slow), memory };
      const pathParameters = { gatewayId, circuitId };
      const { durationMs } = await callOf(getHeatingCircuit, environment, { apiKey, userId, pathParameters, nowMs });
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

/** Creates a company with one gateway and one circuit; returns its API key. */
const prepare = async (store: Store): Promise<string> => {
  const nowMs = Date.now();
  const apiKey = await admitCompany(store, companyId);
  await putContract(store, {
    ...unopenedContract(parties),
    state: 'active',
    sinceMs: nowMs,
    ...consentGivenAt(1, nowMs),
  });
  await grantGateway(store, parties, gatewayId, nowMs);
  await putDescribedGateway(store, gatewayId, nowMs);
  await putShadow(store, circuitItemKey(gatewayId, 'heating', circuitId), { circuitId }, reportedCircuit(nowMs));
  return apiKey;
};
