import { beforeAll, expect, test } from 'vitest';
import { deleteApiKey } from '../../lambdas/data/api-keys/api-key-deletion.ts';
import type { FunctionEnvironment } from '../../lambdas/runtime/function-environment.ts';
import { createMemory, createProcessMemory } from '../../lambdas/runtime/process-memory.ts';
import { call } from '../../test/support/call.ts';
import { campaign, playRounds, size } from '../../test/support/campaign.ts';
import { inFlight } from '../../test/support/store.ts';
import { issueKey, onboard, openWorld, startMs } from '../../test/support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let environment: FunctionEnvironment;
beforeAll(async () => {
  world = await openWorld();
  // A process that looks up every invalid key, however many come from one address.
  environment = { ...world.environment, memory: { ...createProcessMemory(), invalidKeys: createMemory(0) } };
});

const keysOfEach = size({ test: 4, prove: 10 });

test(
  `${keysOfEach} keys a round that the process remembers: every request after the deletion is rejected`,
  campaign,
  async (context) => {
    const rounds = await playRounds(context, { test: 1, seconds: 30, full: 1000 }, rotateManyTimes, 8);
    await context.annotate(`${rounds * keysOfEach} keys`);
  },
);

/** Issues a key, uses it until the process remembers it, and deletes it, several times for one company. */
const rotateManyTimes = async (): Promise<void> => {
  const { companyId, key: caller } = await onboard(world.store);
  for (let round = 0; round < keysOfEach; round++) {
    // Each round finds the bucket full.
    const nowMs = startMs + round * 10_000;
    const { keyId, apiKey } = await issueKey(world.store, companyId, nowMs);
    for (const _ of Array(2)) expect((await call('getContract', { apiKey, nowMs, environment })).status).toBe(200);
    const act = { companyId, nowMs, requestId: 'r', operation: 'test', actorKey: caller };
    expect(await deleteApiKey(world.store, act, keyId)).toEqual({ outcome: 'deleted' });
    const answers = await inFlight(3, 3, () => call('getContract', { apiKey, nowMs, environment }));
    expect(answers.map(({ body }) => body.code)).toEqual(Array(3).fill('api-key-invalid'));
  }
};
