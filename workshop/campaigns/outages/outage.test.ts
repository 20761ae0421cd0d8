import { beforeAll, expect, test } from 'vitest';
import { campaign, playRounds, size } from '../../../test/support/campaign.ts';
import { unavailable } from '../../../test/support/feed.ts';
import { randomNumbers } from '../../../test/support/random.ts';
import { openStage } from '../../../test/support/stage/stage.ts';
import { homeOf, reportTemperature, settle } from '../../../test/support/stage/traffic.ts';
import { putWebhook, receiverHost, startReceiver } from '../../../test/support/webhooks.ts';
import { act, expectFeeds, expectNothingLost, expectOrder, hasConsent, newTruth } from './truth.ts';

const homes = [1, 2, 3].map(homeOf);
/** A home with events only a moment before the outage, when its receiver refuses: only the sweeper finds its message. */
const quiet = homeOf(4);
const outageMinutes = size({ test: 5, prove: 30 });
const secondsBefore = 60;

let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  receiver = await startReceiver();
});

const play = async (random: () => number) => {
  const stage = openStage({ network: receiver.network });
  await settle(stage, [...homes, quiet], [receiverHost]);
  for (const { companyId } of [...homes, quiet]) await putWebhook(companyId, {}, stage.store);
  const truth = newTruth(homes);
  const passSeconds = async (seconds: number, isAway: boolean) => {
    stage.failWith(isAway ? { ofStore: () => unavailable('The store is away.') } : {});
    for (let second = 0; second < seconds; second++) {
      await act(stage, random, truth, isAway);
      await stage.pass();
    }
  };
  await passSeconds(secondsBefore, false);
  receiver.answerWith(503);
  reportTemperature(stage, quiet, 17);
  await passSeconds(2, false);
  receiver.answerWith(204);
  await passSeconds(outageMinutes * 60, true);
  const backAtMs = stage.now();
  await passSeconds(60, false);

  // Withdrawals from the time of the outage are in force within a minute after it.
  for (const [companyId, { isGiven, sinceMs }] of truth.consents)
    if (sinceMs < backAtMs) expect(hasConsent(stage, companyId), companyId).toBe(isGiven);
  for (let second = 0; second < 120; second++) await stage.pass();
  return { stage, truth };
};

test(
  `${outageMinutes} minutes without the store: no dead letter, no loss, order kept, withdrawals applied`,
  campaign,
  async (context) => {
    let eventCount = 0;
    const rounds = await playRounds(context, { test: 1, seconds: 60, full: 40 }, async (seed) => {
      const { stage, truth } = await play(randomNumbers(seed));
      expectNothingLost(stage, truth);
      expectOrder(stage, truth);
      eventCount += expectFeeds(stage, [...homes, quiet]);
    });
    expect(eventCount).toBeGreaterThan(rounds * 10);
    await context.annotate(`${rounds * outageMinutes} minutes away, ${eventCount} events in feeds, 0 dead letters`);
  },
);
