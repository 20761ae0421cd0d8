import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { consumers } from '../../../lambdas/api/background-functions.ts';
import type { InboundEventType } from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { waitSeconds } from '../../../lambdas/api/queues.ts';
import { circuitItemKey, gatewayItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { readStored } from '../../support/appliance.ts';
import { campaign } from '../../support/campaign.ts';
import { unavailable } from '../../support/feed.ts';
import { eventLike, everythingStored, newReportedGateway, prepareFor, take } from '../../support/messages.ts';
import { injectFault, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Creates gateways that only this test uses, with descriptions. */
const describedGateways = async (count: number): Promise<string[]> => {
  const gatewayIds = range(count).map(() => `gw-${randomUUID()}`);
  await take(
    'takeGatewayReports',
    gatewayIds.map((subject) => eventLike('gateway.described.v1', { subject, timeMs: startMs - 60_000 })),
  );
  return gatewayIds;
};

const circuitReport = (subject: string, secondsAgo: number, roomTemperatureCelsius: number) => {
  const { data, ...event } = eventLike('circuit.reported.v1', { subject, timeMs: startMs - secondsAgo * 1000 });
  const { fulfilsVersion, reported, ...ids } = data as unknown as { fulfilsVersion: number; reported: object };
  return { ...event, data: { ...ids, reported: { ...reported, roomTemperatureCelsius } } };
};

const storedTemperature = async (gatewayId: string) => {
  const stored = await readStored(world.store, circuitItemKey(gatewayId, 'heating', 'hc1'));
  return (stored?.reported as { roomTemperatureCelsius: number } | undefined)?.roomTemperatureCelsius;
};

describe('an unreadable message', () => {
  test('in a batch of ten: only this message is a dead letter, with its reason, and nine are applied', async () => {
    const gatewayIds = await describedGateways(10);
    const messages = gatewayIds.map((gatewayId) => circuitReport(gatewayId, 1, 20.5));
    const batch = messages.map((message, index) => (index === 4 ? JSON.stringify(message).slice(1) : message));
    const { failures, refused, outcomes, sent } = await take('takeGatewayReports', batch);
    expect([failures, refused]).toEqual([[], [4]]);
    const at = '2036-03-10T12:00:00Z';
    expect(sent).toEqual([
      { body: batch[4], attributes: { outcome: 'not-json', expected: 'JSON.', sentAt: at, refusedAt: at } },
    ]);
    expect(outcomes).toEqual(range(10).map((index) => (index === 4 ? 'not-json' : 'applied')));
    const temperatures = await Promise.all(gatewayIds.map(storedTemperature));
    expect(temperatures).toEqual(range(10).map((index) => (index === 4 ? undefined : 20.5)));
  });

  test('leaves no part of its text in the log', async () => {
    const secret = 'xSECRETx';
    const [gatewayId = ''] = await describedGateways(1);
    const event = circuitReport(gatewayId, 1, 20.5);
    const { lines, refused, sent } = await take('takeGatewayReports', [
      secret,
      { ...event, id: `${secret} 1`, subject: `${secret}#2`, source: secret },
      { ...event, type: secret },
      { ...event, data: { ...event.data, family: secret, circuitId: `${secret} 3`, [secret]: 1 } },
      { ...event, time: secret },
    ]);
    expect(refused).toEqual(range(5));
    expect([lines, sent.map(({ attributes }) => attributes)].join()).not.toContain(secret);
  });
});

describe('the messages of one subject', () => {
  test('are applied in the order of their times, wherever they are in the batch', async () => {
    const [gatewayId = ''] = await describedGateways(1);
    const places = [3, 0, 4, 1, 2];
    const batch = places.map((place) => circuitReport(gatewayId, 10 - place, 20 + place));
    const { outcomes } = await take('takeGatewayReports', batch);
    expect(outcomes).toEqual(places.map(() => 'applied'));
    expect(await storedTemperature(gatewayId)).toBe(24);
  });

  test('do not wait for a failing message, which is applied or stale when it is received again', async () => {
    const [gatewayId = ''] = await describedGateways(1);
    const other = (name: string) =>
      eventLike('function.unblocked.v1', { subject: gatewayId, data: { function: name } });
    const batch = [circuitReport(gatewayId, 3, 21), circuitReport(gatewayId, 2, 22), other('dhwCircuits')];
    // Refuses all attempts of the first report.
    const at = (exchange: { input: Record<string, { [name: string]: unknown }> }) =>
      JSON.stringify(exchange.input).includes(String(startMs - 3000));
    injectFault(world, (exchange) => (at(exchange) ? 'deny' : undefined));
    const first = await take('takeGatewayReports', batch);
    expect(first).toMatchObject({ failures: [0], outcomes: ['failed', 'applied', 'applied'] });
    world.proxy.begin();
    const second = await take('takeGatewayReports', batch.slice(0, 1), { receiveCount: 2 });
    expect(second).toMatchObject({ failures: [], outcomes: ['stale'] });
    expect(second.logged[0]?.receiveCount).toBe(2);
    expect(await storedTemperature(gatewayId)).toBe(22);
  });
});

describe('a store that is down', () => {
  test.each(['takePortalEvents', 'takeGatewayReports'] as const)(
    'fails all messages of %s, and loses no message',
    async (name) => {
      const types: readonly InboundEventType[] =
        name === 'takePortalEvents'
          ? ['portal.consent.accepted.v1', 'portal.installation.added.v1']
          : ['circuit.reported.v1', 'function.blocked.v1', 'gateway.removed.v1'];
      const batch = await Promise.all(types.map((type) => prepareFor(world.store, type)));
      const before = await everythingStored();
      world.proxy.begin(() => 'deny');
      const down = await take(name, batch);
      world.proxy.begin();
      expect(down).toMatchObject({ failures: range(batch.length), outcomes: batch.map(() => 'failed') });
      for (const { level, error } of down.logged) expect([level, error]).toEqual(['ERROR', expect.stringMatching(/./)]);
      expect(await everythingStored()).toEqual(before);
      expect(await take(name, batch, { receiveCount: 2 })).toMatchObject({
        failures: [],
        outcomes: batch.map(() => 'applied'),
      });
    },
  );

  test('after losing its answer: a message that was applied is stale when it is received again', async () => {
    const event = await prepareFor(world.store, 'portal.installation.added.v1');
    injectFault(world, ({ action }) => (action === 'TransactWriteItems' ? 'lose-answer' : undefined));
    expect((await take('takePortalEvents', [event])).failures).toEqual([0]);
    world.proxy.begin();
    const stored = await everythingStored();
    expect(await take('takePortalEvents', [event])).toMatchObject({ failures: [], outcomes: ['stale'] });
    expect(await everythingStored()).toEqual(stored);
  });

  test('in the middle of a batch: exactly the failed messages are reported', async () => {
    const gatewayIds = await describedGateways(5);
    let calls = 0;
    injectFault(world, () => (calls++ % 3 === 0 ? 'deny' : undefined));
    const batch = gatewayIds.map((gatewayId) => circuitReport(gatewayId, 1, 23));
    const { failures, outcomes } = await take('takeGatewayReports', batch);
    world.proxy.begin();
    expect(failures.length).toBeGreaterThan(0);
    expect(failures).toEqual(range(5).filter((index) => outcomes[index] === 'failed'));
    const temperatures = await Promise.all(gatewayIds.map(storedTemperature));
    expect(temperatures).toEqual(outcomes.map((outcome) => (outcome === 'applied' ? 23 : undefined)));
  });
});

describe('a message that fails', () => {
  const failing = async (fault: Error, options: Parameters<typeof take>[2] = {}) => {
    const [gatewayId = ''] = await describedGateways(1);
    const { store } = world.environment;
    const send = () => Promise.reject(fault);
    Object.assign(world.environment, { store: { ...store, send } });
    onTestFinished(() => void Object.assign(world.environment, { store }));
    return take('takeGatewayReports', [circuitReport(gatewayId, 1, 20.5)], options);
  };

  test('for now is received again after the visibility timeout, and an hour later after 600 receives', async () => {
    const first = await failing(unavailable());
    expect(first).toMatchObject({ failures: [0], refused: [], outcomes: ['failed'], hidden: [] });
    const later = await failing(unavailable(), { receiveCount: 601 });
    expect(later).toMatchObject({ failures: [0], refused: [], hidden: [3600] });
  });

  test('with a lasting error becomes a dead letter at once, with the error', async () => {
    const { failures, refused, outcomes, sent } = await failing(new TypeError('x is not a function'));
    expect([failures, refused, outcomes]).toEqual([[], [0], ['set-aside']]);
    expect(sent[0]?.attributes).toMatchObject({ outcome: 'set-aside', error: 'TypeError: x is not a function' });
  });
});

describe('a report that arrives before the description of its gateway', () => {
  const report = () => circuitReport(`gw-${randomUUID()}`, 1, 20.5);

  test('waits for it for ten minutes, longer each time, and logs how often', async () => {
    for (const [waits, delaySeconds] of waitSeconds.entries()) {
      const message = report();
      const { failures, refused, waiting, sent, logged } = await take('takeGatewayReports', [message], { waits });
      expect([failures, refused, waiting]).toEqual([[], [], [0]]);
      const attributes = { waits: String(waits + 1) };
      expect(sent).toEqual([{ body: JSON.stringify(message), groupId: undefined, delaySeconds, attributes }]);
      expect(logged[0]?.waits).toBe(waits || undefined);
    }
    const { refused, sent } = await take('takeGatewayReports', [report()], { waits: waitSeconds.length });
    expect([refused, sent[0]?.attributes?.outcome]).toEqual([[0], 'gateway-not-found']);
    expect(waitSeconds.reduce((sum, seconds) => sum + seconds, 0)).toBe(635);
  });

  test.each([-1, 0.5, 99])('does not wait if it says that it has waited %s times', async (waits) => {
    expect(await take('takeGatewayReports', [report()], { waits })).toMatchObject({ refused: [0], waiting: [] });
  });
});

const full = consumers.takeGatewayReports.batchSize;
test.each([
  [64, 1],
  [128, 2],
])(
  `a batch of ${full} with ids of %d characters is applied without warnings, and logged in this many lines: %d`,
  campaign,
  async (characters, lineCount) => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const gatewayIds = await describedGateways(full);
    const longId = (index: number) => `${index}`.padStart(characters, 'x');
    const { outcomes, lines } = await take(
      'takeGatewayReports',
      gatewayIds.map((gatewayId, index) => ({ ...circuitReport(gatewayId, 1, 20), id: longId(index) })),
    );
    expect(outcomes).toEqual(gatewayIds.map(() => 'applied'));
    expect(lines).toHaveLength(lineCount);
    expect(warnings).toEqual([]);
  },
);

test('the logged age of a fact is its age when it was received', async () => {
  const [gatewayId = ''] = await describedGateways(1);
  const { logged } = await take('takeGatewayReports', [circuitReport(gatewayId, 90, 20)]);
  expect(logged[0]).toMatchObject({ ageMs: 90_000, timestamp: new Date(startMs).toISOString().replace('.000', '') });
});

test('a gateway’s lastSeenAt is never after the time of its event', async () => {
  const gatewayId = await newReportedGateway(world.store);
  const data = { connectivity: 'online', lastSeenAt: '2040-01-01T00:00:00Z' };
  const event = eventLike('gateway.connectivity.v1', { subject: gatewayId, data });
  expect((await take('takeGatewayReports', [event])).outcomes).toEqual(['applied']);
  expect(await readStored(world.store, gatewayItemKey(gatewayId))).toMatchObject({
    facts: { lastSeen: { atMs: startMs } },
  });
});
