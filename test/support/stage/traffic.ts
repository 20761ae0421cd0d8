import { type InboundEventType, inboundEvents } from '../../../lambdas/api/inbound-events/inbound-events.ts';
import {
  type ApplianceItemKey,
  circuitItemKey,
  readGateways,
  readShadows,
} from '../../../lambdas/data/appliances/appliances.ts';
import { requestChange } from '../../../lambdas/data/appliances/requested-changes.ts';
import { putCompany } from '../../../lambdas/data/contracts/companies.ts';
import { findContract, unopenedContract } from '../../../lambdas/data/contracts/contracts.ts';
import type { Gateway } from '../../../lambdas/domain/appliance.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';
import { permittedSince } from '../../../lambdas/domain/open-change.ts';
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
  timeMs = now(),
): object => {
  const { queue, subject } = inboundEvents[type];
  const ids = subject === 'companyId' ? { userId, ...(type.includes('installation') && { gatewayId }) } : {};
  const event = eventLike(type, {
    subject: subject === 'companyId' ? companyId : gatewayId,
    id: `event-${++events}`,
    timeMs,
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

/** Requests a setpoint of a home's circuit, as a partner does; returns the version of the change. */
export const request = (stage: Stage, home: Home, roomSetpointCelsius: number) =>
  requestOf(stage, home, { roomSetpointCelsius });

/** Returns the contract under which a request for a home acts. */
export const contractOf = async ({ store }: Stage, home: Home): Promise<Contract> =>
  (await findContract(store, home)) ?? unopenedContract(home);

/** Requests settings of a home's circuit, under the contract as it is now or as it was; returns the version of the change. */
export const requestOf = (stage: Stage, home: Home, values: object, known?: Contract) =>
  requestOn(stage, home, circuitItemKey(home.gatewayId, 'heating', 'hc1'), { values, known });

type Request = {
  readonly values: object;
  readonly known?: Contract | undefined;
  readonly validUntilMs?: number;
};

/** Does the same for any item of the home. */
export const requestOn = async (stage: Stage, home: Home, key: ApplianceItemKey, request: Request) => {
  const { values, known, validUntilMs } = request;
  const { store, now } = stage;
  const { companyId, userId, gatewayId } = home;
  const item = (await readShadows(store, gatewayId)).find(({ sk }) => sk === key.sk);
  const [gateway] = await readGateways(store, [gatewayId]);
  if (!item) throw new Error(`${gatewayId} has no ${key.sk} yet.`);
  const contract = known ?? (await contractOf(stage, home));
  const actorKey = { companyId, keyId: 'key-1', hash: new Uint8Array() };
  const context = { companyId, userId, nowMs: now(), requestId: `r-${now()}`, operation: 'test', actorKey };
  const { outcome } = await requestChange(store, context, {
    gateway: gateway as Gateway,
    key,
    item,
    ifMatch: [],
    permittedSinceMs: permittedSince(contract, gatewayId),
    target: { gatewayId },
    uses: 'heatingCircuits',
    values,
    validUntilMs,
  });
  if (outcome !== 'requested') throw new Error(`The change was not requested: ${outcome}.`);
  return item.version + 1;
};
