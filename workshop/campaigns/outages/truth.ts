import { expect } from 'vitest';
import type { RequestedChangeEvent } from '../../../lambdas/api/requested-change.ts';
import { circuitItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { below } from '../../../test/support/random.ts';
import { feedOf, type Stage } from '../../../test/support/stage/stage.ts';
import { contractOf, type Home, reportTemperature, request, sendEvent } from '../../../test/support/stage/traffic.ts';

/** What the sources of events and the partners did, for the comparison with the stored state. */
type Truth = {
  readonly homes: readonly Home[];
  /** The last temperature of each gateway. */
  readonly temperatures: Map<string, number>;
  /** Whether the owner of each company consents, and since when. */
  readonly consents: Map<string, { readonly isGiven: boolean; readonly sinceMs: number }>;
  /** When each owner last withdrew consent. */
  readonly withdrawals: Map<string, number>;
  /** The highest requested version of each gateway's circuit, and when the consent began on which it rests; null without. */
  readonly versions: Map<string, { readonly version: number; readonly consentBeganMs: number | null }>;
};

type ContractBody = { readonly consent: { readonly upToDate: boolean } };

/** Produces the traffic of one second; partners receive 503 while the store is unavailable. */
export const act = async (stage: Stage, random: () => number, { homes, ...truth }: Truth, isAway = false) => {
  const { temperatures, consents, withdrawals, versions } = truth;
  const home = homes[below(random, homes.length)] as Home;
  if (below(random, 3) === 0) {
    const temperature = 10 + below(random, 150) / 10;
    reportTemperature(stage, home, temperature, below(random, 2) ? versions.get(home.gatewayId)?.version : undefined);
    temperatures.set(home.gatewayId, temperature);
  }
  if (below(random, 20) === 0) {
    const isGiven = below(random, 2) === 0;
    if (isGiven) sendEvent(stage, 'portal.consent.accepted.v1', home, { consentVersion: 3 });
    else {
      sendEvent(stage, 'portal.consent.withdrawn.v1', home);
      withdrawals.set(home.gatewayId, stage.now());
    }
    consents.set(home.companyId, { isGiven, sinceMs: stage.now() });
  }
  if (below(random, 30) === 0)
    sendEvent(stage, 'gateway.connectivity.v1', home, {
      connectivity: 'online',
      lastSeenAt: new Date(stage.now()).toISOString(),
    });
  if (!isAway && below(random, 10) === 0) {
    // Without consent, a partner is refused: here the request was admitted just before the withdrawal.
    const { consentBeganClaimedAtMs: consentBeganMs } = await contractOf(stage, home);
    versions.set(home.gatewayId, { version: await request(stage, home, 10 + below(random, 40) / 2), consentBeganMs });
  }
};

const rowOf = (
  { memory }: Stage,
  table: 'Contracts' | 'Appliances' | 'Webhooks',
  isIt: (row: Record<string, unknown>) => boolean,
) => rowsWithout(memory.now(), table).find(isIt);

const rowsWithout = (tables: ReturnType<Stage['memory']['now']>, table: string) =>
  [...(tables[table]?.values() ?? [])] as Record<string, unknown>[];

export const newTruth = (homes: readonly Home[]): Truth => ({
  homes,
  temperatures: new Map(),
  consents: new Map(),
  withdrawals: new Map(),
  versions: new Map(),
});

export const hasConsent = (stage: Stage, companyId: string): boolean =>
  rowOf(stage, 'Contracts', (row) => row.companyId === companyId)?.acceptedConsentVersion === 3;

const circuitOf = (stage: Stage, gatewayId: string) => {
  const { sk } = circuitItemKey(gatewayId, 'heating', 'hc1');
  return rowOf(stage, 'Appliances', (each) => each.gatewayId === gatewayId && each.sk === sk);
};

const temperatureOf = (stage: Stage, gatewayId: string) =>
  (circuitOf(stage, gatewayId)?.reported as { readonly roomTemperatureCelsius: number } | undefined)
    ?.roomTemperatureCelsius;

/** No message waits or was given up, and all stored values are those of the last events. */
export const expectNothingLost = (stage: Stage, truth: Truth) => {
  for (const [name, queue] of Object.entries(stage.queues)) {
    expect(queue.deadLetters, name).toEqual([]);
    if (name !== 'requestedChanges') expect(queue.bodies(), name).toEqual([]);
  }
  for (const [name, queue] of Object.entries(stage.failures)) expect(queue.bodies(), name).toEqual([]);
  for (const [gatewayId, temperature] of truth.temperatures)
    expect(temperatureOf(stage, gatewayId), gatewayId).toBe(temperature);
  for (const [companyId, { isGiven }] of truth.consents) expect(hasConsent(stage, companyId), companyId).toBe(isGiven);
};

/**
 * The backend receives the newest version of each item, and never an older one after a newer one. That is the newest request,
 * or the drop of a request whose permission ended before it was fulfilled.
 */
export const expectOrder = (stage: Stage, truth: Truth) => {
  const sent = stage.queues.requestedChanges.bodies().map((body) => JSON.parse(body) as RequestedChangeEvent);
  for (const [gatewayId, { version, consentBeganMs }] of truth.versions) {
    const isEnded = consentBeganMs === null || (truth.withdrawals.get(gatewayId) ?? 0) > consentBeganMs;
    const versions = sent.filter(({ subject }) => subject === gatewayId).map(({ data }) => data.version);
    const circuit = circuitOf(stage, gatewayId);
    expect(versions.at(-1), gatewayId).toBe(circuit?.version);
    expect(isEnded ? [version, version + 1] : [version], gatewayId).toContain(circuit?.version);
    if (isEnded) expect(circuit, gatewayId).not.toHaveProperty('desired');
    expect(versions, gatewayId).toEqual(versions.toSorted((one, other) => one - other));
  }
};

/**
 * Each event is in its feed once; circuit events are in report order, and the last consent event has the last decision. Returns
 * their number.
 */
export const expectFeeds = (stage: Stage, homes: readonly Home[]): number => {
  let eventCount = 0;
  for (const { companyId, gatewayId } of homes) {
    const feed = feedOf(stage, companyId);
    eventCount += feed.length;
    expect(new Set(feed.map(({ id }) => id)).size).toBe(feed.length);
    const times = feed
      .filter((event) => event.gatewayId === gatewayId && event.type === 'circuit.changed')
      .map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    const consent = feed.findLast(({ type }) => type === 'consent.changed');
    if (consent) expect((consent.data as ContractBody).consent.upToDate).toBe(hasConsent(stage, companyId));
    // The webhook received a message after the last event, and no other message is due.
    const webhook = rowOf(stage, 'Webhooks', (row) => row.companyId === companyId);
    expect(webhook, companyId).toMatchObject({ state: 'enabled', failures: 0 });
    expect(webhook, companyId).not.toHaveProperty('due');
    expect(Number(webhook?.lastSentAtMs), companyId).toBeGreaterThanOrEqual(Math.max(...feed.map(({ atMs }) => atMs)));
  }
  return eventCount;
};
