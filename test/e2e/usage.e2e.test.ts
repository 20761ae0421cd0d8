import { afterAll, beforeAll, expect, test } from 'vitest';
import { ratePolicies } from '../../lambdas/api/limits.ts';
import { connectToLocalRun } from '../../operator/connection/local.ts';
import { proven } from '../support/campaign.ts';
import { operateForJson } from '../support/operator.ts';
import { companyOf, openService, type Service } from '../support/service.ts';
import { stopClock } from '../support/time.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

test('after 20 × 429, the partner and the operator see them in the usage, with policy and path', proven, async () => {
  const { apiKey } = companyOf(service, 'initech');
  const { burst } = ratePolicies.general;
  // All requests arrive at one time, however slow the machine is.
  const clock = stopClock();
  const answers = await Promise.all(
    Array.from({ length: burst + 20 }, () => service.send({ path: '/contract', apiKey })),
  );
  const limited = answers.filter(({ status }) => status === 429).length;
  expect(limited).toBe(20);
  clock.forward(5000);
  await service.runSchedules();
  const { body } = await service.send({ path: '/usage', apiKey });
  expect(body.items).toContainEqual(
    expect.objectContaining({
      operation: 'getContract',
      allowed: burst,
      limited: { general: limited },
    }),
  );
  expect(body.mostLimitedPaths).toEqual([
    { operation: 'getContract', path: '/contract', ratePolicy: 'general', limited },
  ]);
  const { body: byHour } = await service.send({ path: '/usage?by=hour', apiKey });
  expect(byHour.items).toContainEqual(
    expect.objectContaining({
      hour: expect.stringMatching(/:00:00Z$/),
      operation: 'getContract',
      limited: { general: limited },
    }),
  );
  const { body: byKey } = await service.send({ path: '/usage?by=key', apiKey });
  expect(byKey.keys).toContainEqual(
    expect.objectContaining({ requests: expect.objectContaining({ limited }), lastHour: expect.any(String) }),
  );
  const { output } = await operateForJson(['company', 'requests', 'initech', '--since', '3h'], {
    store: service.local.store,
    nowMs: Date.now(),
    connect: () => connectToLocalRun(service.directory),
  });
  expect(output.limitedPaths).toMatchObject([{ path: '/contract', ratePolicy: 'general', requests: limited }]);
});
