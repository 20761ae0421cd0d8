import { describe, expect, test } from 'vitest';
import { campaign, size, timer } from '../../../test/support/campaign.ts';
import { playEveryOrder, playRandomOrders } from '../../../test/support/memory-store/turns.ts';
import { randomNumbers } from '../../../test/support/random.ts';
import { openScenario, type Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';

const sampledOrders = 3;
/** The least number of orders of all scenarios that `npm run prove:full` plays. */
const leastOrders = 300_000;
/** A dozen scenarios have more orders than anybody can wait for. Three minutes play about two hundred thousand. */
const maxMinutesOfScenario = 3;

describe('in every order of steps, with lost answers and dying processes', () => {
  let played = 0;

  test.for(scenarios.map((scenario) => [scenario.name, scenario.guarantee, scenario] as const))(
    '%s: %s',
    campaign,
    async ([, , scenario], { annotate }) => {
      const { orders, areAll } = await play(scenario);
      played += orders;
      await annotate(`${orders} orders${areAll ? '' : ', not all'}`);
    },
  );

  test('plays orders of all scenarios', campaign, async ({ annotate }) => {
    await annotate(`${played} orders of ${scenarios.length} scenarios`);
    expect(played).toBeGreaterThanOrEqual(size({ test: scenarios.length, prove: scenarios.length, full: leastOrders }));
  });
});

/** Plays a random sample with `npm test`, and every order in the campaign, as far as its time allows. */
const play = async (scenario: Scenario) => {
  const playOne = await openScenario(scenario);
  const { maxDisturbances } = scenario;
  const hasTime = timer(3);
  const endMs = Date.now() + maxMinutesOfScenario * 60_000;
  return size({
    test: () => playRandomOrders((choose) => playOne(choose, maxDisturbances.full), sampledOrders, randomNumbers()),
    prove: () => playEveryOrder((choose) => playOne(choose, maxDisturbances.prove), hasTime),
    full: () =>
      playEveryOrder(
        (choose) => playOne(choose, maxDisturbances.full),
        () => Date.now() < endMs,
      ),
  })();
};
