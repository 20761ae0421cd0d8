import { afterAll, beforeAll, expect } from 'vitest';
import { connectToLocalRun } from '../../operator/connection/local.ts';
import { campaign, provenTest } from '../support/campaign.ts';
import { operateForJson } from '../support/operator.ts';
import { companyOf, openService, type Service } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

provenTest(
  'after 20 × 429 the partner sees them in its usage with the policy and the path, and the operator by a command',
  campaign,
  async () => {
    const { apiKey } = companyOf(service, 'globex');
    const statuses: number[] = [];
    while (statuses.filter((status) => status === 429).length < 20)
      statuses.push(
        ...(await Promise.all(Array.from({ length: 5 }, () => service.send({ path: '/contract', apiKey })))).map(
          ({ status }) => status,
        ),
      );
    const limited = statuses.filter((status) => status === 429).length;
    await service.runSchedules();
    const { body } = await service.send({ path: '/usage', apiKey });
    expect(body.items).toContainEqual(
      expect.objectContaining({
        operation: 'getContract',
        allowed: statuses.length - limited,
        limited: { general: limited },
      }),
    );
    expect(body.mostLimitedPaths).toEqual([
      { operation: 'getContract', path: '/contract', ratePolicy: 'general', limited },
    ]);
    const { output } = await operateForJson(['company', 'requests', 'globex', '--since', '3h'], {
      ...{ store: service.local.store, nowMs: Date.now() },
      connect: () => connectToLocalRun(service.directory),
    });
    expect(output.limitedPaths).toMatchObject([{ path: '/contract', ratePolicy: 'general', requests: limited }]);
  },
);
