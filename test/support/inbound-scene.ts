import { randomUUID } from 'node:crypto';
import type { InboundEventType } from '../../lambdas/api/inbound-events/inbound-events.ts';
import { inboundEvents } from '../../lambdas/api/inbound-events/inbound-events.ts';
import {
  circuitItemKey,
  gatewayItemKey,
  timeProgramItemKey,
  toGateway,
} from '../../lambdas/data/appliances/appliances.ts';
import { requestChange } from '../../lambdas/data/appliances/requested-changes.ts';
import { grantGateway } from '../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Shadow } from '../../lambdas/domain/appliances/appliance.ts';
import { readStored, reportedProgram } from './appliance.ts';
import { eventLike, take } from './messages.ts';
import { onboard, startMs } from './world.ts';

const minuteMs = 60_000;

/** Brings the world to where the example of a type would be applied, and gives the event. */
export const prepareFor = async (store: Store, type: InboundEventType) => {
  if (inboundEvents[type].subject === 'gatewayId') {
    const subject = `gw-${randomUUID()}`;
    await reportGateway(store, subject);
    return eventLike(type, { subject, id: randomUUID() });
  }
  const { companyId, contract } = await onboard(store, { acceptedConsentVersion: 2, acceptedAtMs: startMs - minuteMs });
  if (type === 'portal.installation.removed.v1') await grantGateway(store, companyId, 'gw-1001', startMs - minuteMs);
  return eventLike(type, { subject: companyId, id: randomUUID(), data: { userId: contract.userId } });
};

/** A gateway that its backend described an hour ago, of which partners have requested changes since: at first both of version 2. */
export const reportGateway = async (store: Store, gatewayId: string, nowMs = startMs): Promise<void> => {
  const told = (type: InboundEventType, minutesAgo: number, data: object = {}) =>
    eventLike(type, { subject: gatewayId, timeMs: nowMs - minutesAgo * minuteMs, data });
  const messages = [
    told('gateway.described.v1', 60),
    told('circuit.reported.v1', 59, { fulfilsVersion: undefined }),
    told('time-program.reported.v1', 59, { fulfilsVersion: undefined }),
    told('function.blocked.v1', 58),
  ];
  const { failures } = await take('takeGatewayReports', messages, { arrivedAtMs: nowMs });
  if (failures.length > 0) throw new Error(`The messages ${failures} of the scene failed.`);
  await requestOf(store, circuitItemKey(gatewayId, 'heating', 'hc1'), { roomSetpointCelsius: 21 }, nowMs);
  const program = { ...reportedProgram, name: 'Short evenings' };
  await requestOf(store, timeProgramItemKey(gatewayId, 'heating', 'hc1', '1'), program, nowMs);
};

const requestOf = async (store: Store, key: { gatewayId: string; sk: string }, values: object, nowMs: number) => {
  const requestedAtMs = nowMs - 30 * minuteMs;
  const context = { companyId: 'acme', nowMs: requestedAtMs, requestId: 'r', operation: 'test', actorKey: null };
  const { outcome } = await requestChange(store, context, {
    gateway: toGateway((await readStored(store, gatewayItemKey(key.gatewayId))) ?? {}),
    uses: 'heatingCircuits',
    key,
    item: (await readStored(store, key)) as object as Shadow,
    values,
    ifMatch: [],
    target: {},
  });
  if (outcome !== 'requested') throw new Error(`The change was not requested: ${outcome}.`);
};
