import assert from 'node:assert/strict';
import { putCompany } from '../../../../lambdas/data/contracts/companies.ts';
import { contractKey, putContract, unopenedContract } from '../../../../lambdas/data/contracts/contracts.ts';
import { applyGrant, toOwners } from '../../../../lambdas/data/contracts/grants.ts';
import { acceptConsent, endContract, openContract } from '../../../../lambdas/data/contracts/owner-decisions.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import { findById } from '../../../../lambdas/domain/by-id.ts';
import { type Contract, grantIn } from '../../../../lambdas/domain/contract.ts';
import { granterOf, grantOf } from '../../../../lambdas/domain/grant.ts';
import { setGrants } from '../../../../operator/companies/grants.ts';
import { rowsOf, type Tables } from '../../../../test/support/memory-store/tables.ts';
import { actOf, eventContext, recordIsKept } from '../../../../test/support/stage/rows.ts';
import { onboard, startMs } from '../../../../test/support/world.ts';
import type { Scenario } from '../scenario.ts';

const gatewayId = 'gw-1';

const contractsIn = (tables: Tables) => [...rowsOf(tables, 'Contracts').values()] as unknown as Contract[];

const ownerIn = (tables: Tables) => contractsIn(tables).find((contract) => grantIn(contract, gatewayId))?.userId;

/**
 * At each moment, a gateway belongs to at most one owner of a company, and the contracts agree with the gateway's partition.
 */
const gatewayIsOfOneOwner = (tables: Tables, companyId: string): void => {
  const owners = toOwners(rowsOf(tables, 'Appliances').get(`${gatewayId}\0COMPANY#${companyId}`));
  const granterId = granterOf(owners);
  for (const contract of contractsIn(tables)) {
    const { userId } = contract;
    const known = findById(owners, userId);
    const expected = granterId === userId && known ? grantOf(known) : undefined;
    assert.deepEqual(grantIn(contract, gatewayId), expected, `the contract of ${userId} and the gateway differ`);
  }
};

export const ownerScenarios: readonly Scenario[] = [
  {
    name: 'two owners of one company install one gateway, the former removes it, and an operator moves it',
    guarantee: 'at each moment it has at most one owner, and the last grant decides',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store) => {
      const { companyId, contract } = await onboard(store);
      for (const userId of ['second', 'third'])
        await putContract(store, { ...contract, ...unopenedContract({ companyId, userId }), state: 'active' });
      const former = contract.userId;
      const event = (userId: string, isGranted: boolean, afterMs: number) => (own: Store) =>
        applyGrant(own, eventContext(companyId, afterMs), { gatewayId, isGranted, userId });
      await event(former, true, 0)(store);
      return {
        operations: {
          removal: event(former, false, 1),
          second: event('second', true, 2),
          'former again': event(former, true, 3),
          move: (own) =>
            setGrants(own, actOf(companyId, null, startMs + 4), {
              userId: 'third',
              gatewayIds: [gatewayId],
              isGranted: true,
              from: 'second',
            }),
        },
        afterEach: (before, after) => {
          recordIsKept(before, after);
          gatewayIsOfOneOwner(after, companyId);
          if (ownerIn(after) === 'third')
            assert(['second', 'third'].includes(ownerIn(before) ?? ''), 'moved from another');
        },
        atEnd: ({ tables, outcomes, isUndisturbed }) => {
          if (!isUndisturbed) return;
          const { move } = outcomes;
          const isMoved =
            move?.kind === 'ended' && (move.value as { changedGatewayIds: string[] }).changedGatewayIds.length > 0;
          assert.equal(ownerIn(tables), isMoved ? 'third' : former);
        },
      };
    },
  },
  {
    name: 'an opening, a consent and an installation without a contract, and the end of an earlier one',
    guarantee: 'in any order, the contract is open, has consent and covers the gateway, with one audit row each',
    maxDisturbances: { prove: 0, full: 0 },
    arrange: async (store) => {
      const companyId = 'newcomer';
      await putCompany(store, { companyId, name: 'A company', state: 'active', allowedCidrs: [], webhookHosts: [] });
      const userId = 'owner';
      return {
        operations: {
          end: (own) => endContract(own, eventContext(companyId, 1), { userId }),
          opening: (own) => openContract(own, eventContext(companyId, 2), { userId }),
          consent: (own) =>
            acceptConsent(own, eventContext(companyId, 3), { userId, consentVersion: 3, requiredVersion: 3 }),
          installation: (own) => applyGrant(own, eventContext(companyId, 4), { gatewayId, isGranted: true, userId }),
        },
        afterEach: (before, after) => {
          recordIsKept(before, after);
          gatewayIsOfOneOwner(after, companyId);
          for (const { state, listedFor } of rowsOf(after, 'Contracts').values())
            assert.equal(
              listedFor,
              { unopened: undefined, active: companyId, ended: `${companyId}|ended` }[String(state)],
              'a contract is not in the list of its state',
            );
        },
        atEnd: ({ tables, outcomes, isUndisturbed }) => {
          if (!isUndisturbed) return;
          const contract = rowsOf(tables, 'Contracts').get(
            contractKey({ companyId, userId }).contractId,
          ) as unknown as Contract;
          assert.deepEqual(
            [contract.state, contract.acceptedConsentVersion, Object.keys(contract.gateways)],
            ['active', 3, [gatewayId]],
          );
          for (const name of ['opening', 'consent', 'installation']) {
            const outcome = outcomes[name];
            assert.equal(outcome?.kind === 'ended' && (outcome.value as { outcome: string }).outcome, 'applied', name);
          }
        },
      };
    },
  },
];
