import { pickFreeSlot, putNewKey, takeSlot } from '../../lambdas/data/api-keys/api-key-creation.ts';
import { readTakenSlots } from '../../lambdas/data/api-keys/api-keys.ts';
import { type AuditContext, auditPut } from '../../lambdas/data/audit/audit-log.ts';
import { contractKey, toContractItem } from '../../lambdas/data/contracts/contracts.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { StoreUnavailableError } from '../../lambdas/data/store/store-errors.ts';
import { type TransactItem, transact } from '../../lambdas/data/store/transaction.ts';
import type { NewKey } from '../../lambdas/domain/api-keys/api-key.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { toRecord } from './api-key-issue.ts';
import { type GrantChange, grantChangeItems, maxGrantChanges, readAllGrants } from './gateway-grants.ts';

export type Onboarding = {
  readonly contract: Contract;
  readonly gatewayIds: readonly string[];
  readonly key: NewKey;
};

export type OnboardingOutcome = { readonly outcome: 'onboarded' | 'company-exists' };

/** The last transaction holds 100 items: contract, slot, key, their audit row, and of each gateway its grant and audit row. */
const maxGrantChangesAtLast = 48;

const maxAttempts = 5;

/**
 * Gives a company its contract, its gateways and its first key, all on record. One transaction where it fits into one;
 * otherwise gateways go ahead, and what they would not have without a contract comes last: a company exists when it is
 * whole. What an earlier attempt has left is completed, or taken back. Throws StoreUnavailableError.
 */
export const onboardCompany = async (
  store: Store,
  auditContext: AuditContext,
  { contract, gatewayIds, key }: Onboarding,
): Promise<OnboardingOutcome> => {
  const { companyId } = contract;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const changes = grantChangesTo(gatewayIds, await readAllGrants(store, companyId));
    const [ahead, last] = splitOff(changes);
    const failedAhead = await changeGrantsAhead(store, auditContext, ahead);
    if (failedAhead === 'contract') return { outcome: 'company-exists' };
    if (failedAhead) continue;

    const slot = pickFreeSlot(await readTakenSlots(store, companyId, auditContext.nowMs));
    if (slot === undefined) return { outcome: 'company-exists' };
    const record = toRecord(companyId, key, slot);
    const failed = await transact(store, {
      contract: putNewContract(store, contract),
      slot: takeSlot(store, record, auditContext.nowMs),
      newKey: putNewKey(store, record),
      audit: auditPut(store, auditContext, { keyId: key.keyId, after: contract }),
      ...grantChangeItems(store, auditContext, last),
    });
    if (!failed) return { outcome: 'onboarded' };
    if (failed.name === 'contract') return { outcome: 'company-exists' };
  }
  throw new StoreUnavailableError(`The company changed under ${maxAttempts} attempts to onboard it.`);
};

const grantChangesTo = (wanted: readonly string[], granted: readonly string[]): GrantChange[] => {
  const [isWanted, isThere] = [new Set(wanted), new Set(granted)];
  return [
    ...wanted.filter((id) => !isThere.has(id)).map((gatewayId) => ({ gatewayId, isGranted: true })),
    ...granted.filter((id) => !isWanted.has(id)).map((gatewayId) => ({ gatewayId, isGranted: false })),
  ];
};

const splitOff = (changes: readonly GrantChange[]) => {
  const first = Math.max(0, changes.length - maxGrantChangesAtLast);
  return [changes.slice(0, first), changes.slice(first)] as const;
};

/** Resolves to the name of the condition that did not hold. No batch touches a company that has a contract by now. */
const changeGrantsAhead = async (store: Store, auditContext: AuditContext, changes: readonly GrantChange[]) => {
  for (let start = 0; start < changes.length; start += maxGrantChanges) {
    const failed = await transact(store, {
      contract: contractIsAbsent(store, auditContext.companyId),
      ...grantChangeItems(store, auditContext, changes.slice(start, start + maxGrantChanges)),
    });
    if (failed) return failed.name;
  }
  return undefined;
};

const contractIsAbsent = (store: Store, companyId: string): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('Contracts'),
    Key: contractKey(companyId),
    ConditionExpression: 'attribute_not_exists(sk)',
  },
});

const putNewContract = (store: Store, contract: Contract): TransactItem => ({
  Put: {
    TableName: store.tableName('Contracts'),
    Item: toContractItem(contract),
    ConditionExpression: 'attribute_not_exists(sk)',
  },
});
