import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { consumers } from '../../../lambdas/api/background-functions.ts';
import { waitingOutcomes } from '../../../lambdas/api/inbound-events/inbound-event.ts';
import {
  type InboundEventType,
  inboundEvents,
  inboundEventTypes,
} from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { type InboundQueueName, waitSeconds } from '../../../lambdas/api/queues.ts';
import type { TableActions } from '../../../lambdas/api/tables.ts';
import { circuitItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { inventoryItemKey } from '../../../lambdas/data/appliances/inventory.ts';
import type { Inventory } from '../../../lambdas/domain/gateway.ts';
import { readStored } from '../../support/appliance.ts';
import type { QueueConsumer } from '../../support/messages.ts';
import { eventLike, everythingStored, prepareFor, take } from '../../support/messages.ts';
import { usedActions } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const consumerOf: Readonly<Record<InboundQueueName, QueueConsumer>> = {
  portalEvents: 'takePortalEvents',
  gatewayReports: 'takeGatewayReports',
};

/** These types need no existing gateway: the first creates it, the second removes it and blocks late reports. */
const needNoGateway: readonly InboundEventType[] = ['gateway.described.v1', 'gateway.removed.v1'];

/** Returns an event that would be applied, and the consumer of its queue. */
const sceneOf = async (type: InboundEventType) => ({
  consumer: consumerOf[inboundEvents[type].queue],
  event: await prepareFor(world.store, type),
});

type Refused = readonly [outcome: string, message: string | object];

/** Returns the refusals of a type whose event has an unknown subject. */
const refusedForItsSubject = (type: InboundEventType): readonly Refused[] => {
  if (inboundEvents[type].subject === 'companyId')
    return [['company-not-found', eventLike(type, { subject: 'nobody' })]];
  return needNoGateway.includes(type)
    ? []
    : [['gateway-not-found', eventLike(type, { subject: `gw-${randomUUID()}` })]];
};

/**
 * Processes the messages, which become dead letters or wait, then processes all of them as after their last wait. Expects
 * no other redelivery and no write.
 */
const expectRefusals = async (consumer: QueueConsumer, refused: readonly Refused[]) => {
  const before = await everythingStored();
  const places = [...refused.keys()];
  const mayWait = places.filter((place) => waitingOutcomes.some((each) => each === refused[place]?.[0]));
  for (const [waits, waiting] of [
    [0, mayWait],
    [waitSeconds.length, []],
  ] as const) {
    const messages = refused.map(([, message]) => message);
    const taken = await take(consumer, messages, { waits });
    expect(taken.outcomes).toEqual(refused.map(([outcome]) => outcome));
    expect([taken.failures, taken.waiting]).toEqual([[], waiting]);
    expect(taken.refused).toEqual(places.filter((place) => !waiting.some((each) => each === place)));
    expect(taken.lines.join()).not.toContain('owner-');
  }
  expect(await everythingStored()).toEqual(before);
  return before;
};

test.each(inboundEventTypes)(
  '%s is refused if ahead, over 32 kB, malformed or for another subject; else applied once, then stale',
  async (type) => {
    const { consumer, event } = await sceneOf(type);
    const text = JSON.stringify(event);
    const before = await expectRefusals(consumer, [
      ['future-time', { ...event, time: new Date(startMs + 60_001).toISOString() }],
      ['too-long', { ...event, padding: 'x'.repeat(33_000) }],
      ['not-json', text.slice(0, -1)],
      ['repeated-property', text.replace('{', '{"id":"another",')],
      ['invalid', { ...event, specversion: '0.3' }],
      ['invalid', { ...event, subject: 'x#y' }],
      ['invalid', { ...event, source: 'somebody' }],
      ['unknown-type', text.replace('.v1"', '.v2"')],
      ...refusedForItsSubject(type),
    ]);
    const first = await take(consumer, [event]);
    // Applied reports share one line, with their ids.
    const line =
      consumer === 'takeGatewayReports' ? {} : { type, eventId: event.id, subject: event.subject, receiveCount: 1 };
    expect(first.logged).toMatchObject([{ operation: consumer, ageMs: 0, ...line }]);
    expect(first.lines.join()).toContain(event.id);
    expect(first).toMatchObject({ outcomes: ['applied'], failures: [] });
    const after = await everythingStored();
    expect(after).not.toEqual(before);
    const older = { ...event, time: new Date(startMs - 1).toISOString() };
    for (const past of [event, older])
      expect(await take(consumer, [past])).toMatchObject({ outcomes: ['stale'], failures: [] });
    expect(await everythingStored()).toEqual(after);
  },
);

test.each(inboundEventTypes)(
  'each refusal of %s is counted if the event withdraws rights, and nothing else is counted',
  async (type) => {
    const { consumer, event } = await sceneOf(type);
    const refused = [
      { ...event, specversion: '0.3' },
      JSON.stringify(event).replace('{', '{"id":"another",'),
      ...refusedForItsSubject(type).map(([, message]) => message),
    ];
    const counted = async (messages: readonly (string | object)[]) => {
      const { lines } = await take(consumer, messages, { waits: waitSeconds.length });
      return lines.filter(
        (line) => line.includes('"WithdrawalsRefused":1') && line.includes('"Name":"WithdrawalsRefused"'),
      ).length;
    };
    const isWithdrawal = /^portal\..*\.(ended|withdrawn|removed)\.v1$/.test(type);
    expect(await counted(refused)).toBe(isWithdrawal ? refused.length : 0);
    expect(await counted(['{', event, event])).toBe(0);
    const other = Object.values(consumerOf).find((each) => each !== consumer) as QueueConsumer;
    expect((await take(other, [event])).lines.join()).not.toContain('WithdrawalsRefused');
  },
);

test.each(Object.values(consumerOf))('%s refuses every type of the other queue', async (consumer) => {
  const types = inboundEventTypes.filter((type) => consumerOf[inboundEvents[type].queue] !== consumer);
  const scenes = await Promise.all(types.map(sceneOf));
  await expectRefusals(
    consumer,
    scenes.map(({ event }) => ['wrong-queue', event]),
  );
});

test('an acceptance of an unpublished version is refused, of a published but not yet required one applied', async () => {
  const { consumer, event } = await sceneOf('portal.consent.accepted.v1');
  const of = (consentVersion: number) => ({ ...event, data: { ...event.data, consentVersion } });
  await expectRefusals(consumer, [
    ['unknown-consent-version', of(2_147_483_647)],
    ['unknown-consent-version', of(5)],
  ]);
  expect((await take(consumer, [of(4)])).outcomes).toEqual(['applied']);
});

test('a description that lists a circuit or a time program twice stores it once', async () => {
  const { consumer, event } = await sceneOf('gateway.described.v1');
  const circuit = (family: string, timeProgramIds: string[]) => ({ family, circuitId: 'c1', timeProgramIds });
  const circuits = [circuit('heating', ['1', '1']), circuit('heating', ['2']), circuit('dhw', ['1'])];
  expect((await take(consumer, [{ ...event, data: { ...event.data, circuits } }])).outcomes).toEqual(['applied']);
  const { absentAtMs } = (await readStored(world.store, inventoryItemKey(event.subject))) as Partial<Inventory>;
  expect(
    Object.keys(absentAtMs ?? {})
      .filter((sk) => sk.includes('c1'))
      .toSorted(),
  ).toEqual([
    ...['CIRCUIT#dhw#c1', 'CIRCUIT#heating#c1', 'PROGRAM#dhw#c1#1', 'PROGRAM#heating#c1#1', 'PROGRAM#heating#c1#2'],
  ]);
});

test('a version that is not requested yet confirms neither the open change nor a later one', async () => {
  const { consumer, event } = await sceneOf('circuit.reported.v1');
  const ahead = { ...event, data: { ...event.data, fulfilsVersion: 3 } };
  const { logged } = await take(consumer, [ahead]);
  expect(logged).toMatchObject([
    { outcome: 'applied-in-part', expected: expect.stringContaining('/data/fulfilsVersion: ') },
  ]);
  expect(await readStored(world.store, circuitItemKey(event.subject, 'heating', 'hc1'))).toHaveProperty('desired');
});

test('a refusal of a change that was not requested yet waits for it', async () => {
  const refused = await sceneOf('change.refused.v1');
  await expectRefusals(refused.consumer, [
    ['version-not-found', { ...refused.event, data: { ...refused.event.data, version: 3 } }],
  ]);
});

/** Returns the first report of a described circuit. */
const firstReport = (subject: string) =>
  eventLike('circuit.reported.v1', { subject, data: { circuitId: 'hc2', fulfilsVersion: undefined } });

test.each(Object.values(consumerOf))(
  '%s uses all the table actions that its row grants, and no others',
  async (name) => {
    const used = new Set<string>();
    const { queue } = consumers[name].source;
    for (const type of inboundEventTypes.filter((each) => inboundEvents[each].queue === queue)) {
      const event = await prepareFor(world.store, type);
      const others = { ...event, time: new Date(startMs - 1).toISOString() };
      world.proxy.begin();
      // Applied, repeated, late, and with an unknown subject.
      const messages = [event, event, others, eventLike(type, { subject: `unknown${randomUUID().slice(0, 4)}` })];
      if (type === 'circuit.reported.v1') messages.push(firstReport(event.subject));
      for (const message of messages) await take(name, [message]);
      for (const action of usedActions(world.store, world.proxy.exchanges)) used.add(action);
    }
    const { tableActions }: { tableActions: TableActions } = consumers[name];
    const granted = Object.entries(tableActions).flatMap(([table, actions]) =>
      actions.map((action) => `${action} on ${table}`),
    );
    expect([...used].toSorted()).toEqual(granted.toSorted());
  },
);
