import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type InboundEventType,
  inboundEvents,
  inboundEventTypes,
} from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { circuitItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { inventoryItemKey } from '../../../lambdas/data/appliances/inventory.ts';
import { readStored } from '../../support/appliance.ts';
import { eventLike, prepareFor, reportGateway, take } from '../../support/messages.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

type Event = Omit<ReturnType<typeof eventLike>, 'data'> & { readonly data: object };

const minuteMs = 60_000;
const at = (event: Event, timeMs: number) => ({ ...event, time: new Date(timeMs).toISOString() });

const tell = async (event: Event, arrivedAtMs = Date.parse(event.time)) =>
  (await take('takeGatewayReports', [event], { arrivedAtMs })).outcomes[0];

/** What could not be applied yet is received again. */
const isDone = (outcome: string | undefined): boolean => outcome === 'applied' || outcome === 'stale';

/** All rows of a gateway, by their sort keys. */
const rowsOf = async (gatewayId: string): Promise<Record<string, Record<string, unknown>>> => {
  const { Items = [] } = await world.store.send(
    new QueryCommand({
      TableName: world.store.tableName('Appliances'),
      KeyConditionExpression: 'gatewayId = :gatewayId',
      ExpressionAttributeValues: { ':gatewayId': gatewayId },
    }),
  );
  return Object.fromEntries(Items.map(({ sk, ...row }) => [String(sk), row]));
};

/** The event about the version that its circuit has now. */
const aboutNow = async (event: Event) => {
  const { version } = (await readStored(world.store, circuitItemKey(event.subject, 'heating', 'hc1'))) ?? {};
  const versions = ['version', 'fulfilsVersion'].filter((name) => name in event.data);
  return { ...event, data: { ...event.data, ...Object.fromEntries(versions.map((name) => [name, version])) } };
};

/** What all orders have to agree on: versions go on counting, and clocks of ours tell when something came. */
const withoutCounts = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value, (name, part) =>
      ['version', 'lastVersions', 'revision', 'receivedAtMs'].includes(name) ? undefined : part,
    ),
  );

const ordersOf = <T>(values: readonly T[]): T[][] =>
  values.length === 0
    ? [[]]
    : values.flatMap((value) => ordersOf(values.filter((other) => other !== value)).map((rest) => [value, ...rest]));

const types: readonly InboundEventType[] = inboundEventTypes.filter(
  (type) => inboundEvents[type].queue === 'gatewayReports',
);

/**
 * Each type is taken by its example, told of the gateway of `prepareFor`: a type whose example is not applied there needs a
 * line there. What a gateway's facts have to hold, `lambdas/data/appliances/gateways.ts` does.
 */
describe.each(types)('%s', (type) => {
  test('is applied once: repeated or from before, it changes nothing', async () => {
    const event = await prepareFor(world.store, type);
    expect(await tell(event)).toBe('applied');
    const after = await rowsOf(event.subject);
    for (const timeMs of [startMs, startMs - 1]) expect(await tell(at(event, timeMs))).toBe('stale');
    expect(await rowsOf(event.subject)).toEqual(after);
  });

  test('is kept with the time at which this service took it in', async () => {
    const event = await prepareFor(world.store, type);
    const before = await rowsOf(event.subject);
    expect(await tell(event, startMs + 5000)).toBe('applied');
    for (const [sk, row] of Object.entries(await rowsOf(event.subject)))
      if (sk !== inventoryItemKey('').sk && JSON.stringify(row) !== JSON.stringify(before[sk]))
        expect(JSON.stringify(row)).toContain(`"receivedAtMs":${startMs + 5000}`);
  });

  test('from before a removal changes nothing, neither after it nor after a new description, and a newer one is applied', async () => {
    const event = await prepareFor(world.store, type);
    const { subject } = event;
    const removedAtMs = startMs + minuteMs;
    const isPast = async () => {
      const before = await rowsOf(subject);
      for (const timeMs of [startMs, removedAtMs]) expect(await tell(at(event, timeMs))).toBe('stale');
      expect(await rowsOf(subject)).toEqual(before);
    };
    expect(await tell(eventLike('gateway.removed.v1', { subject, timeMs: removedAtMs }))).toBe('applied');
    await isPast();
    const laterMs = startMs + 120 * minuteMs;
    await reportGateway(world.store, subject, laterMs);
    await isPast();
    expect(await tell(at(await aboutNow(event), laterMs))).toBe('applied');
  });

  test('comes to the same with a removal before it and a description after it, in whatever order they arrive', async () => {
    const endings = await Promise.all(
      ordersOf([0, 1, 2]).map(async (order) => {
        const event = await prepareFor(world.store, type);
        const { subject } = event;
        const facts = [
          eventLike('gateway.removed.v1', { subject, timeMs: startMs - minuteMs }),
          event,
          eventLike('gateway.described.v1', { subject, timeMs: startMs + minuteMs }),
        ];
        const told = order.map((place) => facts[place] as Event);
        const waiting: Event[] = [];
        for (const each of told) if (!isDone(await tell(each, startMs + minuteMs))) waiting.push(each);
        for (const each of waiting) await tell(each, startMs + minuteMs);
        return withoutCounts(Object.entries(await rowsOf(subject)).map(([sk, row]) => [sk, { ...row, gatewayId: '' }]));
      }),
    );
    for (const ending of endings) expect(ending).toEqual(endings[0]);
  });
});
