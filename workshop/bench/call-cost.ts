import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../infra/functions/bundle.ts';
import { handlerFileOf } from '../../lambdas/api/endpoints/endpoints.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { getHeatingCircuit } from '../../lambdas/handlers/circuits.ts';
import { benchEnvironment, type Call, callOf, eventOf, prepareCircuit } from './bench-company.ts';
import { median, openStore, runProbe } from './store.ts';

const hourMs = 3_600_000;

/**
 * Compares the processor time of a remembered call of one circuit with that of its two store commands alone, each in a process
 * of its own that runs the bundle of a function, in turn. The processor time is what a function waits for besides the store.
 */
export const compareCallCost = async (rounds = 5, calls = 1500): Promise<void> => {
  const directory = mkdtempSync(join(tmpdir(), 'call-cost-'));
  const benchStore = await openStore();
  const circuit = await prepareCircuit(benchStore.store);
  const { bundles } = await bundle(modules, directory);
  // API Gateway's clock is never ahead of that of the process.
  const beginMs = Date.now() - 30 * 24 * hourMs;
  const commands = await recordCommands(benchStore.store, circuit, beginMs);
  const event = JSON.stringify({ ...eventOf({ ...circuit, nowMs: beginMs }), commands });
  const costs: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round++)
    for (const [name, { folder }] of Object.entries(bundles)) {
      const args = [join(folder, 'index.mjs'), event, String(calls), String(beginMs + round * hourMs * 3)];
      const { cpuMs } = await runProbe<{ readonly cpuMs: number }>('call-cost-probe.mjs', args, benchStore);
      costs[name] = [...(costs[name] ?? []), cpuMs];
    }
  await benchStore.close();
  rmSync(directory, { recursive: true });

  console.log(
    `Processor time of a remembered call of getHeatingCircuit, median of ${rounds} processes of ${calls} calls`,
  );
  const whole = median(costs['the call'] ?? []);
  for (const [name, values] of Object.entries(costs))
    console.log(
      `  ${name.padEnd(28)} ${median(values).toFixed(2)} ms, ${(median(values) / whole).toFixed(2)} of the call`,
    );
  console.log('');
};

const modules = {
  'the call': `${handlerFileOf('getHeatingCircuit')}?getHeatingCircuit`,
  'its two store commands alone': 'workshop/bench/two-commands.ts',
};

/** Returns the commands that the second of two calls sends. */
const recordCommands = async (store: Store, circuit: Omit<Call, 'nowMs'>, atMs: number) => {
  let commands: { name: string; input: object }[] = [];
  const send = (async (command: { readonly input: object }, options: object) => {
    commands.push({ name: command.constructor.name, input: command.input });
    return store.send(command as never, options);
  }) as Store['send'];
  const environment = benchEnvironment({ ...store, send });
  for (const nowMs of [atMs - 10_000, atMs]) {
    commands = [];
    await callOf(getHeatingCircuit, environment, { ...circuit, nowMs });
  }
  // The same write is sent again and again, and always applied.
  for (const { input } of commands)
    if ('ExpressionAttributeValues' in input)
      Object.assign(input.ExpressionAttributeValues as object, { ':now': 1e15 });
  if (commands.length !== 2) throw new Error(`A remembered call sends ${commands.length} commands, expected 2.`);
  return commands;
};
