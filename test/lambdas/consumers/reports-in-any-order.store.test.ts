import { beforeAll, describe, expect, test } from 'vitest';
import {
  type InboundEventType,
  inboundEvents,
  inboundEventTypes,
} from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { circuitItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { inventoryItemKey } from '../../../lambdas/data/appliances/inventory.ts';
import { readStored } from '../../support/appliance.ts';
import { campaign, sampleOf } from '../../support/campaign.ts';
import { eventLike, prepareFor, readGatewayRows, reportGateway, take } from '../../support/messages.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

type Event = Omit<ReturnType<typeof eventLike>, 'data'> & { readonly data: object };

const minuteMs = 60_000;
const at = (event: Event, timeMs: number) => ({ ...event, time: new Date(timeMs).toISOString() });

const send = async (event: Event, arrivedAtMs: number) =>
  (await take('takeGatewayReports', [event], { arrivedAtMs })).outcomes[0];

/** An event that could not be applied yet is received again. */
const isDone = (outcome: string | undefined): boolean => outcome === 'applied' || outcome === 'stale';

/** Returns the event with the current version of its circuit. */
const aboutNow = async (event: Event) => {
  const { version } = (await readStored(world.store, circuitItemKey(event.subject, 'heating', 'hc1'))) ?? {};
  const numbers = Object.entries(event.data).filter(([, value]) => typeof value === 'number');
  const versions = numbers.filter(([name]) => ['version', 'fulfilsVersion'].includes(name));
  return { ...event, data: { ...event.data, ...Object.fromEntries(versions.map(([name]) => [name, version])) } };
};

/** Removes what may differ between orders: versions, and receipt times by our clocks. */
const withoutCounts = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value, (name, part) =>
      ['version', 'lastVersion', 'revision', 'receivedAtMs'].includes(name) ? undefined : part,
    ),
  );

const ordersOf = <T>(values: readonly T[]): T[][] =>
  values.length === 0
    ? [[]]
    : values.flatMap((value) => ordersOf(values.filter((other) => other !== value)).map((rest) => [value, ...rest]));

/** The sample has the event between the others, and before both. */
const orders = sampleOf(ordersOf([0, 1, 2]), 3);

const types: readonly InboundEventType[] = inboundEventTypes.filter(
  (type) => inboundEvents[type].queue === 'gatewayReports',
);

/**
 * Each type is tested with its example, for the gateway of `prepareFor`: a type whose example cannot be applied needs a
 * line there. `lambdas/data/appliances/gateways.ts` has the rules for the facts of a gateway.
 */
describe.each(types)('%s', (type) => {
  test('from before a removal is stale; a newer one is applied, and stored with the time of its receipt', async () => {
    const event = await prepareFor(world.store, type);
    const { subject } = event;
    const removedAtMs = startMs + minuteMs;
    const isPast = async () => {
      const before = await readGatewayRows(subject);
      const past = [at(event, startMs), at(event, removedAtMs)];
      const { outcomes } = await take('takeGatewayReports', past, { arrivedAtMs: removedAtMs });
      expect(outcomes).toEqual(['stale', 'stale']);
      expect(await readGatewayRows(subject)).toEqual(before);
    };
    expect(await send(eventLike('gateway.removed.v1', { subject, timeMs: removedAtMs }), removedAtMs)).toBe('applied');
    await isPast();
    const laterMs = startMs + 120 * minuteMs;
    await reportGateway(world.store, subject, laterMs);
    await isPast();
    const before = (await readGatewayRows(subject)).map((row) => JSON.stringify(row));
    expect(await send(at(await aboutNow(event), laterMs), laterMs + 5000)).toBe('applied');
    for (const row of await readGatewayRows(subject))
      if (row.sk !== inventoryItemKey('').sk && !before.includes(JSON.stringify(row)))
        expect(JSON.stringify(row)).toContain(`"receivedAtMs":${laterMs + 5000}`);
  });

  test(
    'has the same result with a removal before it and a description after it, in any order of arrival',
    campaign,
    async () => {
      const endings = await Promise.all(
        orders.map(async (order) => {
          const event = await prepareFor(world.store, type);
          const { subject } = event;
          const events: Event[] = [
            eventLike('gateway.removed.v1', { subject, timeMs: startMs - minuteMs }),
            event,
            eventLike('gateway.described.v1', { subject, timeMs: startMs + minuteMs }),
          ];
          const waiting: Event[] = [];
          for (const place of order) {
            const each = events[place] as Event;
            if (!isDone(await send(each, startMs + minuteMs))) waiting.push(each);
          }
          for (const each of waiting) await send(each, startMs + minuteMs);
          return withoutCounts((await readGatewayRows(subject)).map((row) => ({ ...row, gatewayId: '' })));
        }),
      );
      for (const ending of endings) expect(ending).toEqual(endings[0]);
    },
  );
});
