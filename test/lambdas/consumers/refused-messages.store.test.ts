import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type InboundEventType,
  inboundEvents,
  inboundEventTypes,
} from '../../../lambdas/api/inbound-events/inbound-events.ts';
import type { InboundQueueName } from '../../../lambdas/api/queues.ts';
import type { QueueConsumer } from '../../../lambdas/inbound/effect.ts';
import { prepareFor } from '../../support/inbound-scene.ts';
import { eventLike, everythingStored, take } from '../../support/messages.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const consumerOf: Readonly<Record<InboundQueueName, QueueConsumer>> = {
  portalEvents: 'takePortalEvents',
  gatewayReports: 'takeGatewayReports',
};
const otherConsumer = (consumer: QueueConsumer): QueueConsumer =>
  consumer === 'takePortalEvents' ? 'takeGatewayReports' : 'takePortalEvents';

const rowsOf = (subject: 'companyId' | 'gatewayId') =>
  inboundEventTypes.filter((type) => inboundEvents[type].subject === subject);

/** These two need no gateway to be there: the one makes it known, the other keeps it from coming back. */
const rowsThatNeedAGateway = rowsOf('gatewayId').filter(
  (type) => !['gateway.described.v1', 'gateway.removed.v1'].includes(type),
);

/** An event that would be applied, and the consumer of its queue. */
const sceneOf = async (type: InboundEventType) => ({
  consumer: consumerOf[inboundEvents[type].queue],
  event: await prepareFor(world.store, type),
});

/** Takes the message twice, as a queue would deliver it, and expects that it fails and that nothing is written. */
const expectRefusal = async (consumer: QueueConsumer, message: string | object, outcome: string) => {
  const before = await everythingStored();
  for (const receiveCount of [1, 2]) {
    const { failures, outcomes, lines } = await take(consumer, [message], { receiveCount });
    expect(outcomes).toEqual([outcome]);
    expect(failures).toEqual([0]);
    expect(lines.join()).not.toContain('owner-');
  }
  expect(await everythingStored()).toEqual(before);
};

describe.each(inboundEventTypes)('%s', (type) => {
  // What is refused changes nothing, so that one scene serves all of these tests.
  let { consumer, event } = {} as Awaited<ReturnType<typeof sceneOf>>;
  beforeAll(async () => {
    ({ consumer, event } = await sceneOf(type));
  });

  test('is applied, and a second time it is stale', async () => {
    const before = await everythingStored();
    const first = await take(consumer, [event]);
    expect(first.told).toMatchObject([
      { operation: consumer, type, eventId: event.id, subject: event.subject, ageMs: 0, receiveCount: 1 },
    ]);
    expect(first).toMatchObject({ outcomes: ['applied'], failures: [] });
    const after = await everythingStored();
    expect(after).not.toEqual(before);
    expect(await take(consumer, [event])).toMatchObject({ outcomes: ['stale'], failures: [] });
    expect(await everythingStored()).toEqual(after);
  });

  test('is refused in the other queue', async () => {
    await expectRefusal(otherConsumer(consumer), event, 'wrong-queue');
  });

  test('is refused if its clock is ahead', async () => {
    await expectRefusal(consumer, { ...event, time: new Date(startMs + 60_001).toISOString() }, 'future-time');
  });

  test('is refused if it is longer than 32 kB', async () => {
    await expectRefusal(consumer, { ...event, padding: 'x'.repeat(33_000) }, 'too-long');
  });

  test.each([
    ['not-json', (text: string) => text.slice(0, -1)],
    ['repeated-property', (text: string) => text.replace('{', '{"id":"another",')],
    ['invalid', (text: string) => text.replace('"1.0"', '"0.3"')],
    ['invalid', (text: string) => text.replace(/"subject":"[^"]*"/, '"subject":"x#y"')],
    ['unknown-type', (text: string) => text.replace('.v1"', '.v2"')],
  ] as const)('is refused if it is malformed: %s', async (outcome, spoil) => {
    await expectRefusal(consumer, spoil(JSON.stringify(event)), outcome);
  });
});

test.each(rowsOf('companyId'))('%s of another user is refused', async (type) => {
  const { consumer, event } = await sceneOf(type);
  await expectRefusal(consumer, { ...event, data: { ...event.data, userId: 'owner-of-another' } }, 'foreign-user');
});

test.each(rowsOf('companyId'))('%s before the contract waits for it', async (type) => {
  await expectRefusal('takePortalEvents', eventLike(type, { subject: 'nobody' }), 'contract-not-found');
});

test.each(rowsThatNeedAGateway)('%s of an unknown gateway is refused', async (type) => {
  await expectRefusal('takeGatewayReports', eventLike(type, { subject: `gw-${randomUUID()}` }), 'gateway-not-found');
});

test('a change that nobody requested is neither fulfilled nor refused', async () => {
  const reported = await sceneOf('circuit.reported.v1');
  const unknown = { ...reported.event, data: { ...reported.event.data, fulfilsVersion: 9 } };
  await expectRefusal(reported.consumer, unknown, 'version-not-found');
  const refused = await sceneOf('change.refused.v1');
  await expectRefusal(
    refused.consumer,
    { ...refused.event, data: { ...refused.event.data, version: 9 } },
    'version-not-found',
  );
});
