import { getHeatingCircuit } from '../../lambdas/handlers/circuits.ts';
import { createMemory, createProcessMemory } from '../../lambdas/runtime/process-memory.ts';
import { benchEnvironment, callOf, prepareCircuit } from './bench-company.ts';
import { delayed, median, openStore, quantile } from './store.ts';

const storeLatencyMs = 5;

/**
 * Times whole calls of one circuit through the real chain, by what the process remembers; each store call takes 5 ms longer.
 */
export const compareCalls = async (calls = 400): Promise<void> => {
  const { store, close } = await openStore();
  const circuit = await prepareCircuit(store);
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
      const { durationMs } = await callOf(getHeatingCircuit, environment, { ...circuit, nowMs });
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
