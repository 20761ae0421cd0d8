import { type InboundEventType, inboundEvents } from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { circuitItemKey, readGateways, readShadows } from '../../../lambdas/data/appliances/appliances.ts';
import { requestChange } from '../../../lambdas/data/appliances/requested-changes.ts';
import { putCompany } from '../../../lambdas/data/contracts/companies.ts';
import type { Gateway } from '../../../lambdas/domain/appliance.ts';
import { reportedCircuits } from '../appliance.ts';
import { eventLike } from '../messages.ts';
import { partiesOf } from '../world.ts';
import type { Stage } from './stage.ts';

/** A home: a company, its owner, and a gateway with a heating circuit `hc1`. */
export type Home = { readonly companyId: string; readonly userId: string; readonly gatewayId: string };

export const homeOf = (number: number): Home => {
  const { companyId, userId } = partiesOf(`company${number}`);
  return { companyId, userId, gatewayId: `gw-${number}` };
};

let events = 0;

/** Sends an event about a home with the present time; each event has its own id. */
export const sendEvent = (
  { queues, now }: Stage,
  type: InboundEventType,
  { companyId, userId, gatewayId }: Home,
  data: object = {},
): object => {
  const { queue, subject } = inboundEvents[type];
  const ids = subject === 'companyId' ? { userId, ...(type.includes('installation') && { gatewayId }) } : {};
  const event = eventLike(type, {
    subject: subject === 'companyId' ? companyId : gatewayId,
    id: `event-${++events}`,
    timeMs: now(),
    data: { ...ids, ...data },
  });
  queues[queue].send({ body: JSON.stringify(event), groupId: gatewayId });
  return event;
};

export const reportTemperature = (stage: Stage, home: Home, roomTemperatureCelsius: number, fulfilsVersion?: number) =>
  sendEvent(stage, 'circuit.reported.v1', home, {
    circuitId: 'hc1',
    reported: { ...reportedCircuits.heating, roomTemperatureCelsius },
    fulfilsVersion,
  });

/** Creates homes as in production: through events of the portal and of the gateway backend. */
export const settle = async (
  stage: Stage,
  homes: readonly Home[],
  webhookHosts: readonly string[] = [],
): Promise<void> => {
  for (const home of homes) {
    const { companyId } = home;
    const company = { companyId, name: companyId, state: 'active', allowedCidrs: ['127.0.0.1/32'], webhookHosts };
    await putCompany(stage.store, company as Parameters<typeof putCompany>[1]);
    sendEvent(stage, 'gateway.described.v1', home);
    sendEvent(stage, 'portal.contract.opened.v1', home);
    sendEvent(stage, 'portal.consent.accepted.v1', home, { consentVersion: 3 });
    sendEvent(stage, 'portal.installation.added.v1', home);
  }
  await stage.pass();
  for (const home of homes) reportTemperature(stage, home, 20);
  await stage.pass();
  await stage.pass();
};

/** Requests a change of a home's circuit, as a partner does; returns its version. */
export const request = async ({ store, now }: Stage, { companyId, gatewayId }: Home, setpoint: number) => {
  const key = circuitItemKey(gatewayId, 'heating', 'hc1');
  const item = (await readShadows(store, gatewayId)).find(({ sk }) => sk === key.sk);
  const [gateway] = await readGateways(store, [gatewayId]);
  if (!item) throw new Error(`${gatewayId} has no circuit yet.`);
  const context = { companyId, nowMs: now(), requestId: `r-${now()}`, operation: 'test', actorKey: null };
  const { outcome } = await requestChange(store, context, {
    gateway: gateway as Gateway,
    key,
    item,
    ifMatch: [],
    target: { gatewayId },
    uses: 'heatingCircuits',
    values: { roomSetpointCelsius: setpoint },
  });
  if (outcome !== 'requested') throw new Error(`The change was not requested: ${outcome}.`);
  return item.version + 1;
};
