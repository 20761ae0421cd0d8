import { describe, expect, test } from 'vitest';
import { campaign, size } from '../support/campaign.ts';
import { randomNumbers } from '../support/seed.ts';
import { playEveryOrder, playRandomOrders } from './interleavings/engine/explore.ts';
import { openScenario } from './interleavings/play-scenario.ts';
import type { Scenario } from './interleavings/scenario.ts';
import { scenarios } from './interleavings/scenarios.ts';

const leastOrders = size({ test: 300, prove: 25_000, full: 300_000 });
const sampledOrders = 6;
let played = 0;

describe('in every order of their steps, with answers lost and processes that die', () => {
  test.for(scenarios.map((scenario) => [scenario.name, scenario.guarantee, scenario] as const))(
    '%s: %s',
    campaign,
    async ([, , scenario], { annotate }) => {
      const orders = await play(scenario);
      played += orders;
      await annotate(`${orders} orders`);
    },
  );

  test(`plays at least ${leastOrders} orders`, campaign, async ({ annotate }) => {
    expect(played).toBeGreaterThanOrEqual(leastOrders);
    await annotate(`${played} orders of ${scenarios.length} scenarios`);
  });
});

/** A sample at random with `npm test`; every order there is in the campaign. */
const play = async (scenario: Scenario): Promise<number> => {
  const playOne = await openScenario(scenario);
  const { maxDisturbances } = scenario;
  return size({
    test: () => playRandomOrders((choose) => playOne(choose, maxDisturbances.full), sampledOrders, randomNumbers()),
    prove: () => playEveryOrder((choose) => playOne(choose, maxDisturbances.prove)),
    full: () => playEveryOrder((choose) => playOne(choose, maxDisturbances.full)),
  })();
};
