import { beforeEach, describe, expect, test } from 'vitest';
import { circuitItemKey, readShadow } from '../../lambdas/data/appliances/appliances.ts';
import { changeCompany, findCompany } from '../../lambdas/data/contracts/companies.ts';
import { withdrawConsent } from '../../lambdas/data/contracts/owner-decisions.ts';
import { dropEndedChanges } from '../../lambdas/data/ended-changes.ts';
import type { Shadow } from '../../lambdas/domain/appliance.ts';
import { reportedCircuits } from '../support/appliance.ts';
import { actOf, auditIn } from '../support/stage/rows.ts';
import { feedOf, openStage, type Stage } from '../support/stage/stage.ts';
import { contractOf, type Home, homeOf, requestOf, sendEvent, settle } from '../support/stage/traffic.ts';

/** The home, as the company acts on it whose access ends, and as another company does for the same owner. */
const ended = homeOf(1);
const other: Home = { ...homeOf(2), userId: ended.userId, gatewayId: ended.gatewayId };
/** Another owner of the first company. */
const next: Home = { ...ended, userId: 'next-owner' };

let stage: Stage;
beforeEach(async () => {
  stage = openStage();
  await settle(stage, [ended, other]);
  for (const type of ['portal.contract.opened.v1', 'portal.consent.accepted.v1'] as const)
    sendEvent(stage, type, next, { consentVersion: 3 });
  await stage.pass();
  await connect('offline');
});

const connect = async (connectivity: 'online' | 'offline') => {
  sendEvent(stage, 'gateway.connectivity.v1', ended, { connectivity });
  await stage.pass();
};

const circuit = () => readShadow(stage.store, circuitItemKey(ended.gatewayId, 'heating', 'hc1')) as Promise<Shadow>;

const report = async (fulfilsVersion: number | undefined, reported: object = {}) => {
  const told = { ...reportedCircuits.heating, ...reported };
  sendEvent(stage, 'circuit.reported.v1', ended, { circuitId: 'hc1', reported: told, fulfilsVersion });
  await stage.pass();
};

/** The messages to the gateway backend, oldest first. */
const sent = () =>
  stage.queues.requestedChanges.bodies().map((body) => {
    const { data } = JSON.parse(body);
    return data as { readonly version: number; readonly desired: object; readonly companyId?: string };
  });

/** Suspends the company as an operator does. */
const suspend = async () => {
  const company = await findCompany(stage.store, ended.companyId);
  if (!company) throw new Error('There is no such company.');
  const act = actOf(ended.companyId, null, stage.now());
  await changeCompany(stage.store, act, company, { state: 'suspended' });
  const { companyId, userId: _, ...dropContext } = act;
  const gatewayIds = [ended.gatewayId];
  await dropEndedChanges(stage.store, dropContext, { companyId, gatewayIds, requiredConsentVersion: 3 });
};

/** How access ends, and what the audit log says of the dropped change. */
const endings: Readonly<Record<string, readonly [() => unknown, string]>> = {
  'the owner withdraws consent': [() => sendEvent(stage, 'portal.consent.withdrawn.v1', ended), 'consent-outdated'],
  'the contract ends': [() => sendEvent(stage, 'portal.contract.ended.v1', ended), 'contract-ended'],
  'the owner takes the gateway back': [
    () => sendEvent(stage, 'portal.installation.removed.v1', ended),
    'gateway-not-granted',
  ],
  'the gateway moves to another owner': [
    () => sendEvent(stage, 'portal.installation.added.v1', next),
    'gateway-not-granted',
  ],
  'the company is suspended': [suspend, 'company-suspended'],
};

const before = { ...reportedCircuits.heating, roomTemperatureCelsius: 20 };

describe.each(Object.entries(endings))('if %s', (_, [end, dropped]) => {
  const endAccess = async () => {
    await end();
    await stage.pass();
  };

  test('rule 24: what the company asked for is dropped, with a version, an audit row and an event', async () => {
    const version = await requestOf(stage, ended, { roomSetpointCelsius: 29.5 });
    await stage.pass();
    await endAccess();
    const item = await circuit();
    expect(item).toMatchObject({ version: version + 1, reported: before });
    expect(item).not.toHaveProperty('desired');
    expect(item).not.toHaveProperty('desiredBy');
    expect(item.lastDropped).toMatchObject({ version, reason: 'access-ended' });
    const rows = auditIn(stage.memory.now()).filter(({ after }) => after?.dropped !== undefined);
    const parties = { subject: ended.companyId, userId: ended.userId, gatewayId: ended.gatewayId };
    expect(rows).toMatchObject([
      { ...parties, circuitId: 'hc1', before: { roomSetpointCelsius: 29.5 }, after: { dropped } },
    ]);
    const [newest] = feedOf(stage, other.companyId).toReversed();
    expect(newest).toMatchObject({
      type: 'circuit.changed',
      data: {
        state: 'confirmed',
        version: version + 1,
        roomSetpointCelsius: before.roomSetpointCelsius,
        lastDropped: { version, at: expect.any(String), reason: 'access-ended' },
      },
    });
    expect(JSON.stringify(newest?.data)).not.toMatch(/company1|owner|key-1/);
  });

  test('rule 24: the backend is asked for what was reported, and gets nothing of it after a reconnect', async () => {
    await requestOf(stage, ended, { roomSetpointCelsius: 29.5, operationMode: 'manual' });
    await stage.pass();
    await endAccess();
    const { roomSetpointCelsius, operationMode } = before;
    expect(sent().map(({ version, desired }) => [version, desired])).toEqual([
      [2, { roomSetpointCelsius: 29.5, operationMode: 'manual' }],
      [3, { roomSetpointCelsius, operationMode }],
    ]);
    expect(sent()[1]).not.toHaveProperty('companyId');
    await connect('online');
    expect(sent()).toHaveLength(2);
  });

  test('the changes of another company stay open, and are sent after a reconnect', async () => {
    await requestOf(stage, ended, { roomSetpointCelsius: 29.5, operationMode: 'manual' });
    await requestOf(stage, other, { operationMode: 'off' });
    await stage.pass();
    await endAccess();
    expect(await circuit()).toMatchObject({
      version: 4,
      desired: { operationMode: 'off' },
      desiredBy: { operationMode: { companyId: other.companyId, version: 3 } },
      lastDropped: { version: 2, names: ['roomSetpointCelsius'] },
    });
    await connect('online');
    const { roomSetpointCelsius } = before;
    expect(sent().slice(-2)).toMatchObject([
      { version: 4, desired: { roomSetpointCelsius, operationMode: 'off' }, companyId: other.companyId },
      // The backend applies one message of a version: each asks for the same.
      { version: 4, desired: { roomSetpointCelsius, operationMode: 'off' }, companyId: other.companyId },
    ]);
  });

  test('a late report that fulfils the dropped version is applied and confirms nothing', async () => {
    const version = await requestOf(stage, ended, { roomSetpointCelsius: 29.5 });
    await requestOf(stage, other, { operationMode: 'off' });
    await stage.pass();
    await endAccess();
    await report(version, { roomSetpointCelsius: 29.5 });
    expect(await circuit()).toMatchObject({
      version: 4,
      reported: { roomSetpointCelsius: 29.5 },
      desired: { operationMode: 'off' },
    });
  });

  test('rule 24: a change that was admitted before and stored after it is dropped before it is sent', async () => {
    const admittedUnder = await contractOf(stage, ended);
    await endAccess();
    const version = await requestOf(stage, ended, { roomSetpointCelsius: 29.5 }, admittedUnder);
    await stage.pass();
    expect(await circuit()).toMatchObject({ version: version + 1, lastDropped: { version } });
    const { roomSetpointCelsius } = before;
    expect(sent().map(({ desired }) => desired)).toEqual([{ roomSetpointCelsius }]);
  });
});

test('rule 24: the relay drops what has ended even if the ending dropped nothing', async () => {
  await requestOf(stage, ended, { roomSetpointCelsius: 29.5 });
  await stage.pass();
  await withdrawConsent(stage.store, actOf(ended.companyId, null, stage.now()), { userId: ended.userId });
  await connect('online');
  expect(await circuit()).toMatchObject({ version: 3, lastDropped: { version: 2, reason: 'access-ended' } });
  expect(sent().map(({ version }) => version)).toEqual([2, 3]);
});

test('rule 24: permission that was given again is another one', async () => {
  await requestOf(stage, ended, { roomSetpointCelsius: 29.5 });
  await stage.pass();
  await withdrawConsent(stage.store, actOf(ended.companyId, null, stage.now()), { userId: ended.userId });
  sendEvent(stage, 'portal.consent.accepted.v1', ended, { consentVersion: 3 });
  await stage.pass();
  await connect('online');
  await stage.pass();
  expect(await circuit()).toMatchObject({ version: 3, lastDropped: { version: 2 } });
});

test('a grant that the portal sends again ends nothing, and a later one drops what rested on the one before', async () => {
  const grantedAtMs = stage.now();
  sendEvent(stage, 'portal.installation.added.v1', ended, {}, grantedAtMs);
  await stage.pass();
  await requestOf(stage, ended, { roomSetpointCelsius: 29.5 });
  await stage.pass();
  sendEvent(stage, 'portal.installation.added.v1', ended, {}, grantedAtMs);
  await connect('online');
  await stage.pass();
  expect(await circuit()).toMatchObject({ version: 2, desired: { roomSetpointCelsius: 29.5 } });
  sendEvent(stage, 'portal.installation.added.v1', ended);
  await stage.pass();
  expect(await circuit()).toMatchObject({ version: 3, lastDropped: { version: 2, reason: 'access-ended' } });
});
