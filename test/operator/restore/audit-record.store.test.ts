import { beforeAll, expect, test } from 'vitest';
import { withdrawConsent } from '../../../lambdas/data/contracts/consent.ts';
import { applyGrant } from '../../../lambdas/data/contracts/grants.ts';
import { setGrants } from '../../../operator/companies/grants.ts';
import { readAuditRecord } from '../../../operator/restore/audit-record.ts';
import { operatorActOn } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const hourMs = 3_600_000;

const recordOf = (companyId: string) =>
  readAuditRecord(world.store, [world.store.tableName('AuditLog')], companyId, startMs);

/** The context of an event of a fact that is put on record then. */
const eventOf = (companyId: string, factMs: number, recordedAtMs: number) => ({
  ...operatorActOn(companyId, factMs),
  recordedAtMs,
});

test('what events have changed since a second is on record, however long before it their facts were', async () => {
  const { companyId, contract } = await onboard(world.store, { acceptedAtMs: startMs - 900 * hourMs });
  const { userId } = contract;
  const event = eventOf(companyId, startMs - 600 * hourMs, startMs + hourMs);
  expect(await withdrawConsent(world.store, event, { userId })).toEqual({ outcome: 'applied' });
  await applyGrant(world.store, event, { gatewayId: 'gw-1', isGranted: false, userId });
  expect(await recordOf(companyId)).toMatchObject({
    isLater: true,
    contract: { acceptedConsentVersion: null, consentChangedAtMs: event.nowMs },
    grants: new Map([['gw-1', { isGranted: false, atMs: event.nowMs }]]),
  });
});

test('of a gateway the last change by time counts, also where an older one was put on record after it', async () => {
  const { companyId, contract } = await onboard(world.store);
  // The command began then, and waited for a person to confirm it.
  const revocation = operatorActOn(companyId, startMs + 1000);
  const added = { gatewayId: 'gw-1', isGranted: true, userId: contract.userId };
  expect(await applyGrant(world.store, eventOf(companyId, startMs + 500, startMs + 2000), added)).toEqual({
    outcome: 'applied',
  });
  expect(await setGrants(world.store, revocation, ['gw-1'], false)).toMatchObject({ outcome: 'done' });
  const { grants } = await recordOf(companyId);
  expect(grants.get('gw-1')).toEqual({ isGranted: false, atMs: revocation.nowMs });
});
