import assert from 'node:assert/strict';
import { changeContract, contractKey, findContract } from '../../../../lambdas/data/contracts/contracts.ts';
import { eraseContract, forgetOwner } from '../../../../lambdas/data/contracts/erasure.ts';
import { applyGrant, ownersKey } from '../../../../lambdas/data/contracts/grants.ts';
import { acceptConsent } from '../../../../lambdas/data/contracts/owner-decisions.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import { type Contract, endedByOperator } from '../../../../lambdas/domain/contract.ts';
import { setGrants } from '../../../../operator/companies/grants.ts';
import { onboard, partiesOf, startMs } from '../../../support/world.ts';
import type { Ending, Scenario } from '../scenario.ts';
import { rowsOf } from '../store/tables.ts';
import { told } from './rows.ts';

const gatewayId = 'gw-1';
const erasedMs = 10;

/** Erases the owner's contract and grants, in the order of the operator's program; false if it is to be run again. */
const erase = (companyId: string) => async (store: Store) => {
  const parties = partiesOf(companyId);
  const act = told(companyId, erasedMs);
  const seen = (await findContract(store, parties)) as Contract;
  const nowMs = startMs + erasedMs;
  const change = { ...endedByOperator(seen, nowMs), erasedAtMs: nowMs };
  if ((await changeContract(store, act, seen, change)).outcome !== 'changed') return false;
  await setGrants(store, act, parties.userId, Object.keys(seen.gateways), false);
  if ((await forgetOwner(store, act, { userId: parties.userId, gatewayId })) === 'conflict') return false;
  return eraseContract(store, act, (await findContract(store, parties)) as Contract);
};

/** Of an owner who is erased, the contract has no gateway, and no gateway has the owner. */
const nothingIsLeft = (companyId: string, { tables, outcomes: { erasure } }: Ending): void => {
  if (erasure?.kind !== 'ended' || erasure.value !== true) return;
  const { contractId } = contractKey(partiesOf(companyId));
  const contract = rowsOf(tables, 'Contracts').get(contractId) as Contract | undefined;
  assert.deepEqual([contract?.state, contract?.gateways], ['unopened', {}], 'something came back');
  assert.equal(contract?.acceptedConsentVersion, null, 'consent came back');
  const { sk } = ownersKey(companyId, gatewayId);
  const owners = [...rowsOf(tables, 'Appliances').values()].filter((row) => row.sk === sk);
  assert.deepEqual(owners, [], 'a gateway knows the owner');
};

const acceptance = { consentVersion: 4, requiredVersion: 3 };

/** What the portal told before the erasure, and comes beside it. */
const late: Readonly<Record<string, (store: Store, companyId: string, userId: string) => Promise<unknown>>> = {
  grant: (store, companyId, userId) => applyGrant(store, told(companyId, 1), { gatewayId, isGranted: true, userId }),
  consent: (store, companyId, userId) => acceptConsent(store, told(companyId, 2), { userId, ...acceptance }),
};

export const erasureScenarios: readonly Scenario[] = Object.entries(late).map(([what, comes]) => ({
  name: `an erasure of an owner beside a ${what} that comes late`,
  guarantee: 'once the owner is erased, what was told before brings nothing back; else the erasure is to be run again',
  maxDisturbances: { prove: 0, full: 2 },
  arrange: async (store) => {
    const { companyId } = await onboard(store);
    const { userId } = partiesOf(companyId);
    return {
      operations: { erasure: erase(companyId), [what]: (own) => comes(own, companyId, userId) },
      atEnd: (ending) => nothingIsLeft(companyId, ending),
    };
  },
}));
