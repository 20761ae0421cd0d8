import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { consumers } from '../../../lambdas/api/background-functions.ts';
import { inboundEvents, inboundEventTypes } from '../../../lambdas/api/inbound-events/inbound-events.ts';
import type { TableActions } from '../../../lambdas/api/tables.ts';
import type { QueueConsumer } from '../../../lambdas/inbound/take-messages.ts';
import { eventLike, prepareFor, take } from '../../support/messages.ts';
import { usedActions } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const queueConsumers: readonly QueueConsumer[] = ['takePortalEvents', 'takeGatewayReports'];

/** The report of a circuit that was described, and of which nothing was reported yet. */
const firstReport = (subject: string) =>
  eventLike('circuit.reported.v1', { subject, data: { circuitId: 'hc2', fulfilsVersion: undefined } });

test.each(queueConsumers)('%s uses all the table actions that its row grants, and no others', async (name) => {
  const used = new Set<string>();
  const { queue } = consumers[name].source;
  for (const type of inboundEventTypes.filter((each) => inboundEvents[each].queue === queue)) {
    const event = await prepareFor(world.store, type);
    const others = { ...event, time: new Date(startMs - 1).toISOString() };
    world.proxy.begin();
    // Applied, repeated, late, and of a subject that nobody knows.
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
});
