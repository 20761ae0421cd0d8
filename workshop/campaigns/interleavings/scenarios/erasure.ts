import assert from 'node:assert/strict';
import { maxClockAheadMs } from '../../../../lambdas/api/inbound-events/inbound-event.ts';
import { putCompany } from '../../../../lambdas/data/contracts/companies.ts';
import {
  changeContract,
  contractKey,
  findContract,
  unopenedContract,
} from '../../../../lambdas/data/contracts/contracts.ts';
import { eraseContract, forgetOwner, putErasure } from '../../../../lambdas/data/contracts/erasure.ts';
import { applyGrant, ownersKey, toOwners } from '../../../../lambdas/data/contracts/grants.ts';
import { acceptConsent, openContract } from '../../../../lambdas/data/contracts/owner-decisions.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import { transact } from '../../../../lambdas/data/store/writes.ts';
import { findById } from '../../../../lambdas/domain/by-id.ts';
import { type Contract, endedByOperator } from '../../../../lambdas/domain/contract.ts';
import { setGrants } from '../../../../operator/companies/grants.ts';
import { rowsOf } from '../../../../test/support/memory-store/tables.ts';
import { eventContext } from '../../../../test/support/stage/rows.ts';
import { onboard, partiesOf, startMs } from '../../../../test/support/world.ts';
import type { Ending, Scenario } from '../scenario.ts';

const gatewayId = 'gw-1';
const erasedMs = 10;

/** Erases the owner's contract and grants, in the order of the operator's program; returns false if it has to be repeated. */
const erase = (companyId: string) => async (store: Store) => {
  const parties = partiesOf(companyId);
  const act = eventContext(companyId, erasedMs);
  const nowMs = startMs + erasedMs;
  const failed = await transact(store, { erasure: putErasure(store, parties.userId, nowMs) });
  assert.equal(failed, undefined);
  const seen = await findContract(store, parties);
  if (!seen) return true;
  const change = { ...endedByOperator(seen, nowMs), erasedAtMs: nowMs };
  if ((await changeContract(store, act, seen, change)).outcome !== 'changed') return false;
  await setGrants(store, act, { userId: parties.userId, gatewayIds: Object.keys(seen.gateways), isGranted: false });
  if ((await forgetOwner(store, act, { userId: parties.userId, gatewayId, erasedAtMs: nowMs })) === 'conflict')
    return false;
  return eraseContract(store, act, (await findContract(store, parties)) as Contract);
};

/** After an owner's erasure, the contract has no gateway, and no gateway has the owner. */
const nothingIsLeft = (companyId: string, { tables, outcomes: { erasure } }: Ending): void => {
  if (erasure?.kind !== 'ended' || erasure.value !== true) return;
  const { contractId } = contractKey(partiesOf(companyId));
  const contract = rowsOf(tables, 'Contracts').get(contractId) as Contract | undefined;
  const { state, gateways, acceptedConsentVersion } = contract ?? unopenedContract(partiesOf(companyId));
  assert.deepEqual([state, gateways], ['unopened', {}], 'something came back');
  assert.equal(acceptedConsentVersion, null, 'consent came back');
  assert(!contract || contract.removeAt !== null, 'the contract stays');
  const { sk } = ownersKey(companyId, gatewayId);
  const owners = toOwners(rowsOf(tables, 'Appliances').get(`${gatewayId}\0${sk}`));
  assert.equal(findById(owners, partiesOf(companyId).userId), undefined, 'a gateway knows the owner');
};

const acceptance = { consentVersion: 4, requiredVersion: 3 };

/** Events of the portal from before the erasure that arrive during it. */
const late: Readonly<Record<string, (store: Store, companyId: string, userId: string) => Promise<unknown>>> = {
  grant: (store, companyId, userId) =>
    applyGrant(store, eventContext(companyId, 1), { gatewayId, isGranted: true, userId }),
  consent: (store, companyId, userId) => acceptConsent(store, eventContext(companyId, 2), { userId, ...acceptance }),
  opening: (store, companyId, userId) => openContract(store, eventContext(companyId, 3), { userId }),
};

/** The company's relation to the owner before the erasure. */
const known: Readonly<Record<string, (store: Store) => Promise<string>>> = {
  'a company with a contract': async (store) => (await onboard(store)).companyId,
  'a company without a contract': async (store) => {
    const { company } = await onboard(store);
    const companyId = `${company.companyId}x`;
    await putCompany(store, { ...company, companyId });
    return companyId;
  },
};

/** Opens a contract some time after the erasure. */
const newLife = (companyId: string) => (store: Store) => {
  const nowMs = startMs + erasedMs + maxClockAheadMs + 1;
  return openContract(store, { ...eventContext(companyId, 0), nowMs }, partiesOf(companyId));
};

export const erasureScenarios: readonly Scenario[] = [
  ...Object.entries(known).flatMap(([where, arranged]) =>
    Object.entries(late).map(
      ([what, comes]): Scenario => ({
        name: `an erasure of an owner during a late ${what} at ${where}`,
        guarantee: 'after the erasure, no earlier event restores anything; otherwise the erasure has to be repeated',
        maxDisturbances: { prove: 0, full: 2 },
        arrange: async (store) => {
          const companyId = await arranged(store);
          const { userId } = partiesOf(companyId);
          return {
            operations: { erasure: erase(companyId), [what]: (own) => comes(own, companyId, userId) },
            atEnd: (ending) => nothingIsLeft(companyId, ending),
          };
        },
      }),
    ),
  ),
  {
    name: 'an opening from before an erasure and one from after it, at a company without a contract',
    guarantee: 'the later opening counts, and the contract stores the time of the erasure',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store) => {
      const companyId = (await known['a company without a contract']?.(store)) as string;
      const { userId } = partiesOf(companyId);
      await erase(companyId)(store);
      return {
        operations: {
          'late opening': (own) => openContract(own, eventContext(companyId, 3), { userId }),
          opening: newLife(companyId),
        },
        atEnd: ({ tables, outcomes, isUndisturbed }) => {
          if (!isUndisturbed) return;
          assert.deepEqual(outcomes['late opening'], { kind: 'ended', value: { outcome: 'stale' } });
          const { contractId } = contractKey(partiesOf(companyId));
          const { state, erasedAtMs } = rowsOf(tables, 'Contracts').get(contractId) ?? {};
          assert.deepEqual([state, erasedAtMs], ['active', startMs + erasedMs]);
        },
      };
    },
  },
];
