import type { NewKey } from '../domain/api-key.ts';
import type { Contract } from '../domain/contract.ts';
import { pickFreeSlot, putNewKey, takeSlot } from './api-key-creation.ts';
import { toRecord } from './api-key-issue.ts';
import { readTakenSlots } from './api-keys.ts';
import { type Act, auditPut } from './audit-log.ts';
import { contractKey, toContractItem } from './contracts.ts';
import { tableName } from './environment.ts';
import { type GrantChange, grantChangeItems, maxGrantChanges, readAllGrants } from './gateway-grants.ts';
import type { Store } from './store.ts';
import { StoreUnavailableError } from './store-errors.ts';
import { type TransactItem, transact } from './transaction.ts';

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
  act: Act,
  { contract, gatewayIds, key }: Onboarding,
): Promise<OnboardingOutcome> => {
  const { companyId } = contract;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const changes = grantChangesTo(gatewayIds, await readAllGrants(store, companyId));
    const [ahead, last] = splitOff(changes);
    const failedAhead = await changeGrantsAhead(store, act, ahead);
    if (failedAhead === 'contract') return { outcome: 'company-exists' };
    if (failedAhead) continue;

    const slot = pickFreeSlot(await readTakenSlots(store, companyId, act.nowMs));
    if (slot === undefined) return { outcome: 'company-exists' };
    const record = toRecord(companyId, key, slot);
    const failed = await transact(store, {
      contract: putNewContract(contract),
      slot: takeSlot(record, act.nowMs),
      newKey: putNewKey(record),
      audit: auditPut(act, { keyId: key.keyId, after: contract }),
      ...grantChangeItems(act, last),
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
const changeGrantsAhead = async (store: Store, act: Act, changes: readonly GrantChange[]) => {
  for (let start = 0; start < changes.length; start += maxGrantChanges) {
    const failed = await transact(store, {
      contract: contractIsAbsent(act.companyId),
      ...grantChangeItems(act, changes.slice(start, start + maxGrantChanges)),
    });
    if (failed) return failed.name;
  }
  return undefined;
};

const contractIsAbsent = (companyId: string): TransactItem => ({
  ConditionCheck: {
    TableName: tableName('Contracts'),
    Key: contractKey(companyId),
    ConditionExpression: 'attribute_not_exists(sk)',
  },
});

const putNewContract = (contract: Contract): TransactItem => ({
  Put: {
    TableName: tableName('Contracts'),
    Item: toContractItem(contract),
    ConditionExpression: 'attribute_not_exists(sk)',
  },
});
