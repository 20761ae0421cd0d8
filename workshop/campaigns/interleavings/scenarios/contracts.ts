import assert from 'node:assert/strict';
import { type CompanyChange, changeCompany, findCompany } from '../../../../lambdas/data/contracts/companies.ts';
import {
  type ContractChange,
  changeContract,
  contractKey,
  findContract,
  putContract,
  readContractPage,
} from '../../../../lambdas/data/contracts/contracts.ts';
import { applyGrant, toOwners } from '../../../../lambdas/data/contracts/grants.ts';
import { acceptConsent, withdrawConsent } from '../../../../lambdas/data/contracts/owner-decisions.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import { findById } from '../../../../lambdas/domain/by-id.ts';
import type { Company } from '../../../../lambdas/domain/company.ts';
import { noConsent } from '../../../../lambdas/domain/consent.ts';
import type { Contract } from '../../../../lambdas/domain/contract.ts';
import { type GatewayOwners, grantOf } from '../../../../lambdas/domain/grant.ts';
import { setGrants } from '../../../../operator/companies/grants.ts';
import { rowsOf, type Tables } from '../../../../test/support/memory-store/tables.ts';
import {
  actOf,
  auditIn,
  changedKeys,
  grantsIn,
  newRecords,
  recordIsKept,
} from '../../../../test/support/stage/rows.ts';
import { onboard, partiesOf, startMs } from '../../../../test/support/world.ts';
import { answersOf, type Scenario } from '../scenario.ts';

const contractIn = (tables: Tables, companyId: string) =>
  rowsOf(tables, 'Contracts').get(contractKey(partiesOf(companyId)).contractId) as unknown as Contract;

/** An operator's change, based on the contract as the operator read it. */
const changeBy =
  (companyId: string, decide: (seen: Contract) => ContractChange, { userId } = partiesOf(companyId)) =>
  async (store: Store) => {
    const seen = await findContract(store, { companyId, userId });
    if (!seen) throw new Error(`${companyId} has no contract.`);
    return changeContract(store, actOf(companyId, null), seen, decide(seen));
  };

/** The audit row of a change has the previous values: no other write came in between. */
const contractIsOnRecord =
  (companyId: string) =>
  (before: Tables, after: Tables): void => {
    recordIsKept(before, after);
    const [old, young] = [contractIn(before, companyId), contractIn(after, companyId)];
    if (old === young) return;
    const [record, ...others] = newRecords(before, after);
    assert.equal(others.length, 0);
    for (const [name, value] of Object.entries(record?.before ?? {}))
      assert.deepEqual(old[name as keyof Contract], value, `${name} was another before`);
    const told = { ...old, ...record?.after };
    const listedFor = told.state === 'ended' ? `${companyId}|ended` : companyId;
    assert.deepEqual({ ...told, listedFor }, young, 'the contract is not as the record says');
  };

/** Each change of a grant has an audit row of the same step with the resulting state. */
const grantsAreOnRecord = (before: Tables, after: Tables): void => {
  recordIsKept(before, after);
  const recorded = newRecords(before, after).map(({ gatewayId, after: now }) => `${gatewayId} ${now?.isGranted}`);
  const granted = grantsIn(after);
  const known = changedKeys(before, after, 'Appliances').map(
    ([gatewayId]) => `${gatewayId} ${granted.includes(gatewayId ?? '')}`,
  );
  // Revoking a gateway that is not granted does not change the contract.
  assert.deepEqual(known.sort(), recorded.sort(), 'grants changed off the record');
  const [old, young] = [grantsIn(before), granted];
  for (const id of [...old, ...young])
    if (old.includes(id) !== young.includes(id))
      assert(recorded.includes(`${id} ${young.includes(id)}`), 'a grant changed off the record');
};

const ownersIn = (tables: Tables, companyId: string): GatewayOwners =>
  toOwners(rowsOf(tables, 'Appliances').get(`gw-1\0COMPANY#${companyId}`));

/** A contract covers a gateway exactly while the gateway's partition has the owner's grant, and from the time of that grant. */
const grantsAgree = (tables: Tables, companyId: string): void => {
  const { userId, gateways } = contractIn(tables, companyId);
  const known = findById(ownersIn(tables, companyId), userId);
  assert.deepEqual(findById(gateways, 'gw-1'), known?.isGranted ? grantOf(known) : undefined);
};

const companyIn = (tables: Tables, companyId: string) =>
  rowsOf(tables, 'Companies').get(companyId) as unknown as Company;

const changeOfCompany = (companyId: string, decide: (seen: Company) => CompanyChange) => async (store: Store) => {
  const seen = await findCompany(store, companyId);
  if (!seen) throw new Error(`${companyId} is not there.`);
  return changeCompany(store, actOf(companyId, null), seen, decide(seen));
};

export const contractScenarios: readonly Scenario[] = [
  {
    name: 'two operators who change one company',
    guarantee: 'only one write based on a version succeeds, the other fails; the audit log matches the changes',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store) => {
      const { companyId } = await onboard(store);
      return {
        operations: {
          suspension: changeOfCompany(companyId, () => ({ state: 'suspended' })),
          addresses: changeOfCompany(companyId, ({ allowedCidrs }) => ({
            allowedCidrs: [...allowedCidrs, '10.0.0.0/8'],
          })),
        },
        afterEach: (before, after) => {
          recordIsKept(before, after);
          const [old, young] = [companyIn(before, companyId), companyIn(after, companyId)];
          if (old === young) return;
          const [record, ...others] = newRecords(before, after);
          assert.equal(others.length, 0);
          assert.deepEqual({ ...old, ...record?.after }, young, 'the company is not as the record says');
        },
        atEnd: (ending) => {
          const { tables, isUndisturbed } = ending;
          const done = answersOf<{ outcome: string }>(ending).filter(({ outcome }) => outcome === 'changed');
          if (isUndisturbed) assert.equal(auditIn(tables).filter(({ before }) => before).length, done.length);
        },
      };
    },
  },
  {
    name: 'three operators who change one contract',
    guarantee: 'only one write based on a version succeeds, the others fail; the audit log matches the changes',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store) => {
      const { companyId } = await onboard(store);
      return {
        operations: {
          end: changeBy(companyId, () => ({ state: 'ended' })),
          reinstatement: changeBy(companyId, () => ({ state: 'active', sinceMs: startMs + 1 })),
          withdrawal: changeBy(companyId, () => ({ acceptedConsentVersion: null, acceptedAtMs: null })),
        },
        afterEach: contractIsOnRecord(companyId),
        atEnd: (ending) => {
          const { tables, isUndisturbed } = ending;
          const done = answersOf<{ outcome: string }>(ending).filter(({ outcome }) => outcome === 'changed');
          const records = auditIn(tables).filter(({ before }) => before !== undefined).length;
          assert(records >= done.length, 'a change that was told is not on record');
          if (isUndisturbed) assert.equal(records, done.length);
        },
      };
    },
  },
  {
    name: 'a reader of the list of contracts, an operator who opens one again, and one who ends another',
    guarantee: 'the list has each owner once, and leaves out none whose contract stays the same',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store) => {
      const { companyId, contract } = await onboard(store, { state: 'ended' });
      const others = { a: 'active', b: 'ended', y: 'ended', z: 'active' } as const;
      for (const [userId, state] of Object.entries(others)) await putContract(store, { ...contract, userId, state });
      const list = async (own: Store) => {
        const listed: string[] = [];
        for (let after: string | undefined, hasMore = true; hasMore; hasMore = after !== undefined) {
          const { contracts, next } = await readContractPage(own, companyId, 2, after);
          listed.push(...contracts.map(({ userId }) => userId));
          after = next;
        }
        assert(new Set(listed).size === listed.length, 'an owner was listed twice');
        for (const userId of ['a', 'b', 'y']) assert(listed.includes(userId), `${userId} was left out`);
      };
      return {
        operations: {
          list,
          opening: changeBy(companyId, () => ({ state: 'active' })),
          end: changeBy(companyId, () => ({ state: 'ended' }), { companyId, userId: 'z' }),
        },
        afterEach: recordIsKept,
      };
    },
  },
  {
    name: 'two operators who grant and revoke the same gateways',
    guarantee: 'each change has one audit row, in the order of the changes',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store) => {
      const { companyId } = await onboard(store);
      await setGrants(store, actOf(companyId, null, startMs - 1), {
        userId: partiesOf(companyId).userId,
        gatewayIds: ['gw-1'],
        isGranted: true,
      });
      const act = actOf(companyId, null);
      return {
        operations: {
          grant: (own) =>
            setGrants(own, actOf(companyId, null, startMs + 1), {
              userId: partiesOf(companyId).userId,
              gatewayIds: ['gw-1', 'gw-2', 'gw-3'],
              isGranted: true,
            }),
          revocation: (own) =>
            setGrants(own, act, {
              userId: partiesOf(companyId).userId,
              gatewayIds: ['gw-1', 'gw-2'],
              isGranted: false,
            }),
        },
        afterEach: grantsAreOnRecord,
        atEnd: ({ tables, isUndisturbed }) => {
          if (isUndisturbed) assert(grantsIn(tables).includes('gw-3'));
        },
      };
    },
  },
  {
    name: 'three operators who grant one gateway, and a reader of all gateways',
    guarantee: 'it is granted once with one audit row, and no reader sees it twice',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store) => {
      const { companyId } = await onboard(store);
      const grant = (own: Store) =>
        setGrants(own, actOf(companyId, null), {
          userId: partiesOf(companyId).userId,
          gatewayIds: ['gw-1'],
          isGranted: true,
        });
      return {
        operations: {
          'grant 1': grant,
          'grant 2': grant,
          'grant 3': grant,
          reader: async (own) => {
            const seen = await findContract(own, partiesOf(companyId));
            assert(Object.keys(seen?.gateways ?? {}).length <= 1, 'a gateway was read twice');
          },
        },
        afterEach: grantsAreOnRecord,
        atEnd: ({ tables, isUndisturbed }) => {
          const records = auditIn(tables).filter(({ gatewayId }) => gatewayId === 'gw-1').length;
          if (isUndisturbed) assert.deepEqual([grantsIn(tables), records], [['gw-1'], 1]);
        },
      };
    },
  },
  {
    name: 'a grant by a clock ahead, its repeat, its revocation by the right clock, and an operator who revokes',
    guarantee: 'the gateway is revoked in all rows of the grant, and no change has two audit rows',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async (store) => {
      const { companyId, contract } = await onboard(store);
      const event = (isGranted: boolean, claimedMs: number, arrivedMs: number) => (own: Store) =>
        applyGrant(
          own,
          { ...actOf(companyId, null, startMs + claimedMs), requestId: `arrived at ${arrivedMs}` },
          { gatewayId: 'gw-1', isGranted, userId: contract.userId, arrivedAtMs: startMs + arrivedMs },
        );
      return {
        operations: {
          grant: event(true, 50_000, 0),
          repeat: event(true, 50_000, 1),
          revocation: event(false, 3000, 3000),
          operator: (own) =>
            setGrants(own, actOf(companyId, null, startMs + 2), {
              userId: partiesOf(companyId).userId,
              gatewayIds: ['gw-1'],
              isGranted: false,
            }),
        },
        afterEach: (before, after) => {
          recordIsKept(before, after);
          grantsAgree(after, companyId);
          const { userId } = contract;
          const [old, young] = [before, after].map((tables) => findById(ownersIn(tables, companyId), userId));
          assert((young?.claimedAtMs ?? 0) >= (old?.claimedAtMs ?? 0), 'what is known has gone back');
        },
        atEnd: ({ tables, isUndisturbed }) => {
          const records = auditIn(tables).filter(({ gatewayId }) => gatewayId === 'gw-1');
          const isOnRecordOnce = new Set(records.map(({ requestId }) => requestId)).size === records.length;
          assert(isOnRecordOnce, 'a change is on record twice');
          if (isUndisturbed) assert.deepEqual(grantsIn(tables), []);
        },
      };
    },
  },
  {
    name: 'an acceptance and a withdrawal of consent, out of order, another acceptance of that moment, and an operator',
    guarantee: 'the withdrawal holds, and the audit log matches the changes',
    maxDisturbances: { prove: 0, full: 1 },
    arrange: async (store) => {
      const { companyId, contract } = await onboard(store, noConsent);
      const { userId } = contract;
      const accept = (nowMs: number) => (own: Store) =>
        acceptConsent(own, actOf(companyId, null, nowMs), { userId, consentVersion: 3, requiredVersion: 3 });
      return {
        operations: {
          withdrawal: (own) => withdrawConsent(own, actOf(companyId, null, startMs + 2), { userId }),
          'earlier acceptance': accept(startMs + 1),
          'acceptance of that moment': accept(startMs + 2),
          operator: changeBy(companyId, () => ({ state: 'ended' })),
        },
        afterEach: (before, after) => {
          contractIsOnRecord(companyId)(before, after);
          const [old, young] = [contractIn(before, companyId), contractIn(after, companyId)];
          assert((young.consentChangedAtMs ?? 0) >= (old.consentChangedAtMs ?? 0), 'an older change came later');
        },
        atEnd: ({ tables, isUndisturbed }) => {
          const { acceptedConsentVersion, consentChangedAtMs } = contractIn(tables, companyId);
          if (isUndisturbed) assert.deepEqual([acceptedConsentVersion, consentChangedAtMs], [null, startMs + 2]);
        },
      };
    },
  },
];
