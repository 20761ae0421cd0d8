import { expect, test } from 'vitest';
import { campaign, playRounds } from '../../../test/support/campaign.ts';
import { below, randomNumbers } from '../../../test/support/random.ts';
import { type Backend, createGateways, type Gateways, type Item, items, openBackend, openQueue } from './backend.ts';
import { openRelay } from './invocations.ts';

const changesPerRun = 100;
/** The rounds after which chance has produced every fault: seven refusals a round, and many more kills. */
const enoughRounds = 5;
const gatewayIds = ['gw-0', 'gw-1', 'gw-2'];
/** A gateway that never reconnects: it receives everything through the relay alone. */
const [alwaysOnline = ''] = gatewayIds;

type Random = () => number;

/**
 * Requests changes for gateways that connect, disconnect and confirm, while the relay is killed and the backend loses messages.
 */
const play = async (random: Random) => {
  const gateways = await createGateways(gatewayIds);
  const queue = openQueue();
  const relay = openRelay(gateways.memory, queue.send, random);
  const backend = openBackend(queue.sent, () => below(random, 5) === 0);
  for (let requested = 0; requested < changesPerRun; ) {
    if (await act(gateways, backend, random)) requested++;
    if (below(random, 3) === 0) await relay.invoke();
    if (below(random, 3) === 0) backend.receive();
  }
  await relay.drain();
  backend.receive();
  return { gateways, queue, relay, backend };
};

/** Makes one random thing happen to a gateway; returns whether it was a requested change. */
const act = async (gateways: Gateways, backend: Backend, random: Random): Promise<boolean> => {
  const gatewayId = gatewayIds[below(random, gatewayIds.length)] ?? '';
  const item = items[below(random, items.length)] as Item;
  const roll = below(random, 10);
  if (roll < 6) await gateways.request(gatewayId, item);
  else if (roll === 6) await gateways.report(gatewayId, item);
  else if (roll < 9) {
    const version = backend.versionsOf(gatewayId, item).at(-1);
    if (version !== undefined) await gateways.report(gatewayId, item, version);
  } else if (gatewayId !== alwaysOnline) await gateways.connect(gatewayId);
  return roll < 6;
};

/** Each version of an item was sent once, in order. */
const expectSentOnce = ({ gateways, queue }: Played): void => {
  for (const item of items) {
    const sent = queue.sent.filter((change) => change.gatewayId === alwaysOnline && change.item === item.name);
    expect(sent.map(({ version }) => version)).toEqual(gateways.requestedVersions(alwaysOnline, item));
  }
};

/** The open change of each item is its newest version, and a reconnect sends it to the backend, whatever was lost before. */
const expectSentAgain = async ({ gateways, relay, backend }: Played): Promise<void> => {
  backend.loseNothing();
  for (const gatewayId of gatewayIds) await gateways.connect(gatewayId);
  await relay.drain();
  backend.receive();
  for (const gatewayId of gatewayIds)
    for (const item of items) {
      const newest = gateways.requestedVersions(gatewayId, item).at(-1);
      const open = await gateways.openVersion(gatewayId, item);
      expect([newest, undefined]).toContain(open);
      expect(backend.versionsOf(gatewayId, item).at(-1), `${gatewayId} ${item.name}`).toBe(newest);
    }
};

type Played = Awaited<ReturnType<typeof play>>;

test(
  `${changesPerRun} changes, relay killed, messages lost: each is sent once, in order`,
  campaign,
  async (context) => {
    const total = { messages: 0, kills: 0, refusals: 0 };
    const rounds = await playRounds(context, { test: 2, seconds: 15, full: 100 }, async (seed) => {
      const played = await play(randomNumbers(seed));
      expectSentOnce(played);
      await expectSentAgain(played);
      total.messages += played.queue.sent.length;
      total.kills += played.relay.faults.kills;
      total.refusals += played.relay.faults.refusals;
    });
    // One round need not meet both faults.
    if (rounds >= enoughRounds) expect(Math.min(total.kills, total.refusals)).toBeGreaterThan(rounds);
    await context.annotate(
      `${total.messages} messages, ${total.kills} kills, ${total.refusals} refusals of the queue, 0 lost`,
    );
  },
);
