import { beforeAll, expect, test } from 'vitest';
import { campaign, playRounds, size } from '../../../test/support/campaign.ts';
import { unavailable } from '../../../test/support/feed.ts';
import { below, randomNumbers } from '../../../test/support/random.ts';
import { type Faults, openStage } from '../../../test/support/stage/stage.ts';
import { homeOf, reportTemperature } from '../../../test/support/stage/traffic.ts';
import { startReceiver } from '../../../test/support/webhooks.ts';
import { act, newTruth, settleWithWebhooks } from './acts.ts';
import {
  expectChangesInFeed,
  expectFeeds,
  expectNothingLost,
  expectOrder,
  expectSentAgain,
  hasConsent,
} from './oracles.ts';

const homes = [1, 2, 3].map(homeOf);
/** A home with events only a moment before the outage, when its receiver refuses: only the sweeper finds its message. */
const quiet = homeOf(4);
const stormSeconds = 120;
/** How long the store is away in each round, in turn. */
const outageMinutes = size({ test: [5], prove: [2, 2, 2, 30] });
/** The rounds after which chance has produced every fault many times. */
const enoughRounds = 5;

let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  receiver = await startReceiver();
});

/** Processes die before or after a step, queues refuse messages, and the store fails at times. Counts the first two. */
const faultsOf = (random: () => number, counts: { kills: number; refusals: number }): Faults => ({
  ofProcess: () => {
    const fate = (['dies-before', 'dies-after'] as const)[below(random, 30)];
    if (fate) counts.kills++;
    return fate;
  },
  ofStore: () => (below(random, 60) === 0 ? unavailable('The store does not answer.') : undefined),
  ofQueue: () => {
    if (below(random, 8) > 0) return undefined;
    counts.refusals++;
    return unavailable('The queue takes no message.');
  },
});

const play = async (random: () => number, minutes: number) => {
  const stage = openStage({ network: receiver.network });
  await settleWithWebhooks(stage, [...homes, quiet]);
  const truth = newTruth(homes);
  const counts = { kills: 0, refusals: 0 };
  const passSeconds = async (seconds: number, isAway: boolean) => {
    stage.failWith(isAway ? { ofStore: () => unavailable('The store is away.') } : {});
    for (let second = 0; second < seconds; second++) {
      await act({ stage, random, truth }, isAway);
      await stage.pass();
    }
  };

  stage.failWith(faultsOf(random, counts));
  for (let second = 0; second < stormSeconds; second++) {
    await act({ stage, random, truth });
    await stage.deliverMessages();
    // A stream that is read late delivers the records of several gateways at once.
    if (below(random, 4) === 0) await stage.deliverRecords();
    stage.idle();
  }
  receiver.answerWith(503);
  reportTemperature(stage, quiet, 17);
  await passSeconds(2, false);
  receiver.answerWith(204);
  await passSeconds(minutes * 60, true);
  const backAtMs = stage.now();
  await passSeconds(60, false);

  // Withdrawals from the time of the outage are in force within a minute after it.
  for (const [companyId, { isGiven, sinceMs }] of truth.consents)
    if (sinceMs < backAtMs) expect(hasConsent(stage, companyId), companyId).toBe(isGiven);
  for (let second = 0; second < 120; second++) await stage.pass();
  return { stage, truth, counts };
};

test(
  'processes killed, queues refuse, messages late, twice or lost, no store: no loss, order kept, each change sent once',
  campaign,
  async (context) => {
    const total = { minutes: 0, events: 0, kills: 0, refusals: 0, messages: 0 };
    const rounds = await playRounds(context, { test: 2, seconds: 90, full: 200 }, async (seed, round) => {
      const minutes = outageMinutes[round % outageMinutes.length] as number;
      const { stage, truth, counts } = await play(randomNumbers(seed), minutes);
      expectNothingLost(stage, truth);
      expectOrder(stage, truth);
      total.events += expectFeeds(stage, [...homes, quiet]);
      expectChangesInFeed(stage, truth);
      await expectSentAgain(stage, truth);
      total.minutes += minutes;
      total.kills += counts.kills;
      total.refusals += counts.refusals;
      total.messages += truth.received;
    });
    expect(total.events).toBeGreaterThan(rounds * 10);
    // One round need not meet both faults.
    if (rounds >= enoughRounds) expect(Math.min(total.kills, total.refusals)).toBeGreaterThan(rounds);
    await context.annotate(
      `${total.minutes} minutes away, ${total.kills} kills, ${total.refusals} refusals, ${total.messages} messages to the backend, ${total.events} events in feeds, 0 lost`,
    );
  },
);
