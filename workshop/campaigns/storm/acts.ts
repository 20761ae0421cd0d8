import { type InboundEventType, inboundEvents } from '../../../lambdas/api/inbound-events/inbound-events.ts';
import type { RequestedChangeEvent } from '../../../lambdas/api/requested-change.ts';
import { type ApplianceItemKey, changeItemOf, circuitItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { timeProgramItemKey } from '../../../lambdas/data/appliances/time-programs.ts';
import { reportedCircuits } from '../../../test/support/appliance.ts';
import { below } from '../../../test/support/random.ts';
import type { Stage } from '../../../test/support/stage/stage.ts';
import { contractOf, type Home, requestOn, sendEvent, settle } from '../../../test/support/stage/traffic.ts';
import { putWebhook, receiverHost } from '../../../test/support/webhooks.ts';

/** What the sources of events and the partners did, for the comparison with the stored state. */
export type Truth = {
  /** The first home is calm: its owner never withdraws consent. Only the gateway of the last home reconnects. */
  readonly homes: readonly Home[];
  /** The last temperature of each gateway. */
  readonly temperatures: Map<string, number>;
  /** Whether the owner of each company consents, and since when. */
  readonly consents: Map<string, { readonly isGiven: boolean; readonly sinceMs: number }>;
  /** When each owner last withdrew consent, by gateway. */
  readonly withdrawals: Map<string, number>;
  /** The requests of each item, by its name. */
  readonly requests: Map<string, Requests>;
  /** The last version of each item that the gateway backend applied, by its name. */
  readonly applied: Map<string, number>;
  /** The number of messages that the gateway backend received or lost. */
  received: number;
};

type Requests = {
  readonly home: Home;
  readonly key: ApplianceItemKey;
  /** The requested versions, oldest first. */
  readonly versions: readonly number[];
  /** When the consent began on which the newest request rests; null without consent. */
  readonly consentBeganMs: number | null;
};

export const newTruth = (homes: readonly Home[]): Truth => ({
  homes,
  temperatures: new Map(),
  consents: new Map(),
  withdrawals: new Map(),
  requests: new Map(),
  applied: new Map(),
  received: 0,
});

/** The items of a home that receive changes. */
export const keysOf = ({ gatewayId }: Home) =>
  [
    circuitItemKey(gatewayId, 'heating', 'hc1'),
    timeProgramItemKey(gatewayId, 'heating', 'hc1', '1'),
  ] as const satisfies readonly ApplianceItemKey[];

export const nameOf = ({ gatewayId, sk }: ApplianceItemKey): string => nameIn(gatewayId, changeItemOf(sk));

const nameIn = (gatewayId: string, item: object): string => `${gatewayId} ${JSON.stringify(item)}`;

/** Creates homes with a webhook each, whose receiver is `receiverHost`. */
export const settleWithWebhooks = async (stage: Stage, homes: readonly Home[]): Promise<void> => {
  await settle(stage, homes, [receiverHost]);
  for (const home of homes) {
    const ids = { circuitId: 'hc1', timeProgramId: '1' };
    sendEvent(stage, 'time-program.reported.v1', home, { ...ids, fulfilsVersion: undefined });
    await putWebhook(home.companyId, {}, stage.store);
  }
  await stage.pass();
};

type Moment = { readonly stage: Stage; readonly random: () => number; readonly truth: Truth };

/** Produces the traffic of one second. Partners receive 503 while the store is away, so they request nothing then. */
export const act = async (moment: Moment, isAway = false): Promise<void> => {
  const { stage, random, truth } = moment;
  const { homes, temperatures, consents, withdrawals } = truth;
  const home = homes[below(random, homes.length)] as Home;
  const { companyId, gatewayId } = home;
  receiveChanges(stage, truth, () => below(random, 5) === 0);
  if (below(random, 3) === 0) {
    const roomTemperatureCelsius = 10 + below(random, 150) / 10;
    report(moment, home, { ...reportedCircuits.heating, roomTemperatureCelsius });
    temperatures.set(gatewayId, roomTemperatureCelsius);
  }
  if (below(random, 6) === 0) reportProgram(moment, home);
  if (!isAway && below(random, 2) === 0) await requestAny(moment, home);
  if (home === homes[0]) return;
  if (below(random, 20) === 0) {
    const isGiven = below(random, 2) === 0;
    if (isGiven) tell(moment, 'portal.consent.accepted.v1', home, { consentVersion: 3 });
    else {
      tell(moment, 'portal.consent.withdrawn.v1', home);
      withdrawals.set(gatewayId, stage.now());
    }
    consents.set(companyId, { isGiven, sinceMs: stage.now() });
  }
  if (home === homes.at(-1) && below(random, 10) === 0) reconnect(stage, home);
};

/** Sends an event, which the queue may deliver late or twice. */
const tell = ({ stage, random }: Moment, type: InboundEventType, home: Home, data?: object): void => {
  const body = JSON.stringify(sendEvent(stage, type, home, data));
  const queue = stage.queues[inboundEvents[type].queue];
  const roll = below(random, 8);
  if (roll === 0) queue.takeLast();
  if (roll < 2) queue.send({ body, groupId: home.gatewayId, delaySeconds: 1 + below(random, 20) });
};

/** Half of the reports have the version that the backend has applied last. */
const report = (moment: Moment, home: Home, reported: object): void => {
  const [key] = keysOf(home);
  tell(moment, 'circuit.reported.v1', home, { circuitId: 'hc1', reported, fulfilsVersion: versionFor(moment, key) });
};

const reportProgram = (moment: Moment, home: Home): void => {
  const [, key] = keysOf(home);
  const ids = { circuitId: 'hc1', timeProgramId: '1' };
  tell(moment, 'time-program.reported.v1', home, { ...ids, fulfilsVersion: versionFor(moment, key) });
};

const versionFor = ({ random, truth }: Moment, key: ApplianceItemKey): number | undefined =>
  below(random, 2) === 0 ? truth.applied.get(nameOf(key)) : undefined;

/** Reports that the gateway is online again. */
export const reconnect = (stage: Stage, home: Home): void => {
  const lastSeenAt = new Date(stage.now()).toISOString();
  sendEvent(stage, 'gateway.connectivity.v1', home, { connectivity: 'online', lastSeenAt });
};

/** Requests values that a report has only with the version of the change. */
const requestAny = async ({ stage, random, truth }: Moment, home: Home): Promise<void> => {
  const [circuit, program] = keysOf(home);
  const [key, values] =
    below(random, 2) === 0
      ? [circuit, { roomSetpointCelsius: 5 + below(random, 20) / 2 }]
      : [program, { name: `Program ${below(random, 1000)}` }];
  // Without consent, a partner is refused: here the request was admitted just before the withdrawal.
  const { consentBeganClaimedAtMs: consentBeganMs } = await contractOf(stage, home);
  const version = await requestOn(stage, home, key, { values });
  const versions = [...(truth.requests.get(nameOf(key))?.versions ?? []), version];
  truth.requests.set(nameOf(key), { home, key, versions, consentBeganMs });
};

/** The gateway backend applies a version of an item if it is higher than the last one, and loses some messages. */
export const receiveChanges = (stage: Stage, truth: Truth, isLost: () => boolean): void => {
  const sent = changesSent(stage);
  for (; truth.received < sent.length; truth.received++) {
    const { name, version } = sent[truth.received] as (typeof sent)[number];
    if (!isLost()) truth.applied.set(name, Math.max(version, truth.applied.get(name) ?? 0));
  }
};

/** Returns the items and versions of the messages to the gateway backend, oldest first. */
export const changesSent = ({ queues }: Stage) =>
  queues.requestedChanges.bodies().map((body) => {
    const { subject, data } = JSON.parse(body) as RequestedChangeEvent;
    return { name: nameIn(subject, data.item), version: data.version };
  });
