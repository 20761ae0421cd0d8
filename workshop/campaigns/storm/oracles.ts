import { expect } from 'vitest';
import { feedOf, type Stage } from '../../../test/support/stage/stage.ts';
import type { Home } from '../../../test/support/stage/traffic.ts';
import { changesSent, keysOf, nameOf, receiveChanges, reconnect, type Truth } from './acts.ts';

/** No message waits or was given up, and all stored values are those of the last events. */
export const expectNothingLost = (stage: Stage, truth: Truth): void => {
  for (const [name, queue] of Object.entries(stage.queues)) {
    expect(queue.deadLetters, name).toEqual([]);
    if (name !== 'requestedChanges') expect(queue.bodies(), name).toEqual([]);
  }
  for (const [name, queue] of Object.entries(stage.failures)) expect(queue.bodies(), name).toEqual([]);
  for (const home of truth.homes) {
    const reported = itemOf(stage, keysOf(home)[0])?.reported as { readonly roomTemperatureCelsius: number };
    const temperature = truth.temperatures.get(home.gatewayId);
    if (temperature !== undefined) expect(reported.roomTemperatureCelsius, home.gatewayId).toBe(temperature);
  }
  for (const [companyId, { isGiven }] of truth.consents) expect(hasConsent(stage, companyId), companyId).toBe(isGiven);
};

/**
 * The backend receives each version of a calm home's items once, and no lower version after a higher one, unless the gateway
 * has reconnected: then the newest version may be sent before the record of an older one is delivered. The last message has
 * the newest version. That is the newest request, or the drop of a request whose permission ended before it was fulfilled.
 */
export const expectOrder = (stage: Stage, { homes, requests, withdrawals }: Truth): void => {
  const sent = changesSent(stage);
  for (const [name, { home, key, versions: requested, consentBeganMs }] of requests) {
    const versions = sent.filter((each) => each.name === name).map(({ version }) => version);
    const item = itemOf(stage, key);
    if (home === homes[0]) expect(versions, name).toEqual(requested);
    expect(versions.at(-1), name).toBe(item?.version);
    if (home !== homes.at(-1)) expect(versions, name).toEqual(versions.toSorted((one, other) => one - other));
    const newest = Number(requested.at(-1));
    const isEnded = consentBeganMs === null || (withdrawals.get(home.gatewayId) ?? 0) > consentBeganMs;
    expect(isEnded ? [newest, newest + 1] : [newest], name).toContain(item?.version);
    if (isEnded) expect(item, name).not.toHaveProperty('desired');
  }
};

/** A reconnect sends each open change to the backend, whatever was lost before; every other change was applied or dropped. */
export const expectSentAgain = async (stage: Stage, truth: Truth): Promise<void> => {
  receiveChanges(stage, truth, () => false);
  for (const home of truth.homes) reconnect(stage, home);
  for (let second = 0; second < 3; second++) await stage.pass();
  receiveChanges(stage, truth, () => false);
  for (const [name, { home, key, versions }] of truth.requests) {
    const item = itemOf(stage, key);
    if (item?.desired || !truth.withdrawals.has(home.gatewayId))
      expect(truth.applied.get(name), name).toBe(versions.at(-1));
  }
};

/** The feed of a calm home has an event for each requested version of its circuit. */
export const expectChangesInFeed = (stage: Stage, { homes, requests }: Truth): void => {
  const [{ companyId }, key] = [homes[0] as Home, keysOf(homes[0] as Home)[0]];
  const changes = feedOf(stage, companyId).filter(({ type }) => type === 'circuit.changed');
  const versions = changes.map(({ data }) => (data as { readonly version: number }).version);
  expect(versions, companyId).toEqual(expect.arrayContaining([...(requests.get(nameOf(key))?.versions ?? [])]));
};

type ContractBody = { readonly consent: { readonly upToDate: boolean } };

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

export const hasConsent = (stage: Stage, companyId: string): boolean =>
  rowOf(stage, 'Contracts', (row) => row.companyId === companyId)?.acceptedConsentVersion === 3;

const itemOf = (stage: Stage, { gatewayId, sk }: ReturnType<typeof keysOf>[number]) =>
  rowOf(stage, 'Appliances', (row) => row.gatewayId === gatewayId && row.sk === sk);

type Row = Readonly<Record<string, unknown>>;

const rowOf = ({ memory }: Stage, table: 'Contracts' | 'Appliances' | 'Webhooks', isIt: (row: Row) => boolean) =>
  ([...(memory.now()[table]?.values() ?? [])] as Row[]).find(isIt);
