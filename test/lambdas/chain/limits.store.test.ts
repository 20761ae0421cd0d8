import { beforeAll, expect, test } from 'vitest';
import type { OperationId } from '../../../lambdas/api/endpoints/endpoints.ts';
import { callsOf, equipCompany } from '../../support/call.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** Returns those of these times, in milliseconds after the first request, at which requests are admitted. */
const admittedAt = async (operationId: OperationId, times: readonly number[]): Promise<number[]> => {
  const ask = callsOf(await equipCompany(world.store));
  const admitted: number[] = [];
  for (const afterMs of times) {
    const { status } = await ask(operationId, { nowMs: startMs + afterMs });
    if (status !== 429) admitted.push(afterMs);
  }
  return admitted;
};

test.each(['getGateway', 'listDhwCircuits', 'updateHeatingCircuit', 'setHoliday'] as const)(
  'rule 17: %s, with a gateway id in its path, is admitted three times at once, and once every two seconds',
  async (operationId) => {
    const times = [0, 0, 0, 0, 1999, 2000, 2000, 8000, 8000, 8000, 8000];
    expect(await admittedAt(operationId, times)).toEqual([0, 0, 0, 2000, 8000, 8000, 8000]);
  },
);

test.each(['getContract', 'listApiKeys', 'listGateways', 'deleteWebhook'] as const)(
  'rule 18: %s, without a gateway id in its path, is admitted five times at once, and twice every second',
  async (operationId) => {
    const times = [0, 0, 0, 0, 0, 0, 499, 500, 500, 1000, 1000, ...Array(6).fill(3500)];
    expect(await admittedAt(operationId, times)).toEqual([0, 0, 0, 0, 0, 500, 1000, ...Array(5).fill(3500)]);
  },
);

test('rule 16: tokens come back one by one, from the time of the request on, and no more than the burst', async () => {
  const times = [0, 1500, 3000, 3000, 4000, 5999, 6000, 6000, 7999, 8000, 8001];
  expect(await admittedAt('getGateway', times)).toEqual([0, 1500, 3000, 3000, 4000, 6000, 8000]);
});

test('rule 20: each circuit and each time program has a bucket of its own', async () => {
  const ask = callsOf(await equipCompany(world.store));
  const statuses = async (operationId: OperationId, ids: Readonly<Record<string, string>>) => {
    const answers = [];
    for (const _ of Array(4)) answers.push((await ask(operationId, {}, ids)).status);
    return answers;
  };
  for (const circuitId of ['c1', 'c2']) {
    expect(await statuses('getHeatingCircuit', { circuitId })).toEqual([200, 200, 200, 429]);
    for (const timeProgramId of ['1', '2'])
      expect(await statuses('getHeatingTimeProgram', { circuitId, timeProgramId })).toEqual([200, 200, 200, 429]);
  }
});
