import { beforeAll, expect, test } from 'vitest';
import { ratePolicies } from '../../lambdas/api/rate-policies.ts';
import { deleteApiKey } from '../../lambdas/data/api-keys/api-key-deletion.ts';
import { call } from '../support/call.ts';
import { campaign, size } from '../support/campaign.ts';
import { inFlight } from '../support/in-flight.ts';
import { issueKey, onboard, openWorld, startMs } from '../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const keys = size({ test: 8, prove: 1000, full: 10_000 });

test(
  `${keys} keys that the process remembers: each is refused by the request after its deletion, and by all at once`,
  campaign,
  async () => {
    // Each of them has a company of its own, so that they can be tried side by side.
    const companies = await Promise.all(Array.from({ length: 8 }, () => onboard(world.store)));
    let round = 0;
    await inFlight(companies.length, keys, async (index) => {
      const company = companies[index % companies.length];
      if (!company) throw new Error('There are fewer companies than calls in flight.');
      const { companyId, key: caller } = company;
      const nowMs = startMs + round++ * ratePolicies.general.refillIntervalMs * ratePolicies.general.burst;
      const { keyId, apiKey } = await issueKey(world.store, companyId, nowMs);
      for (const _ of Array(2)) expect((await call('getContract', { apiKey, nowMs })).status).toBe(200);
      const act = { companyId, nowMs, requestId: 'r', operation: 'test', actorKeyId: caller.keyId };
      expect(await deleteApiKey(world.store, act, keyId)).toMatchObject({ outcome: 'deleted' });
      const answers = await inFlight(3, 3, () => call('getContract', { apiKey, nowMs }));
      expect(answers.map(({ body }) => body.code)).toEqual(Array(3).fill('api-key-invalid'));
    });
  },
);
