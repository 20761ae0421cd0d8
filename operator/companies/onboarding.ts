import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { pickFreeSlot, putNewKey, takeSlot } from '../../lambdas/data/api-keys/api-key-creation.ts';
import { readTakenSlots } from '../../lambdas/data/api-keys/api-keys.ts';
import { type AuditContext, auditPut } from '../../lambdas/data/audit.ts';
import { contractKey, toContractItem } from '../../lambdas/data/contracts/contracts.ts';
import {
  always,
  type GrantChange,
  grantChangeItems,
  itemsPerGrantChange,
} from '../../lambdas/data/contracts/grants.ts';
import { retrying } from '../../lambdas/data/store/attempts.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { type TransactItem, transact } from '../../lambdas/data/store/writes.ts';
import type { NewKey } from '../../lambdas/domain/api-key.ts';
import type { Company } from '../../lambdas/domain/company.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { readAllGrants, timesByOperator } from './grants.ts';
import { toRecord } from './key-issue.ts';

export type Onboarding = {
  readonly company: Company;
  readonly contract: Contract;
  readonly gatewayIds: readonly string[];
  readonly key: NewKey;
};

/** Overtaken: another onboarding, or a late request of an earlier run, has changed the grants since they were read. */
export type OnboardingOutcome = { readonly outcome: 'onboarded' | 'company-exists' | 'overtaken' };

/** The last transaction, of 100 items at most, holds company, contract, step, slot, key and their audit row too. */
const maxGrantChangesAtLast = Math.floor((100 - 6) / itemsPerGrantChange);

/** One that goes ahead holds a check of the contract and the step too. */
const maxGrantChangesAhead = Math.floor((100 - 2) / itemsPerGrantChange);

/**
 * Gives a company its addresses, its contract, its gateways and its first key, all on record. One transaction where it fits into one;
 * otherwise gateways go ahead, and what they would not have without a contract comes last: a company exists when it is
 * whole. What an earlier attempt has left is completed, or taken back. The company has exactly these gateways. Throws
 * StoreUnavailableError.
 */
export const onboardCompany = async (
  store: Store,
  auditContext: AuditContext,
  { company, contract, gatewayIds, key }: Onboarding,
): Promise<OnboardingOutcome> => {
  const { companyId } = company;
  return retrying<OnboardingOutcome>({ to: `onboard ${companyId}`, atMost: 5 }, async () => {
    const seen = await readOnboardingStep(store, companyId);
    const changes = grantChangesTo(gatewayIds, await readAllGrants(store, companyId));
    const [ahead, last] = splitOff(changes);
    const { failed: failedAhead, step } = await changeGrantsAhead(store, auditContext, ahead, seen);
    if (failedAhead) return { outcome: failedAhead === 'contract' ? 'company-exists' : 'overtaken' };

    const slot = pickFreeSlot(await readTakenSlots(store, companyId, auditContext.nowMs));
    if (slot === undefined) return { outcome: 'company-exists' };
    const record = toRecord(key, slot);
    const failed = await transact(store, {
      company: putNew(store, 'Companies', company),
      contract: putNew(store, 'Contracts', toContractItem(contract)),
      step: endSteps(store, companyId, step),
      slot: takeSlot(store, record, auditContext.nowMs),
      newKey: putNewKey(store, record),
      audit: auditPut(store, auditContext, { keyId: key.keyId, after: { ...company, ...contract } }),
      ...grantsOfStep(store, auditContext, last),
    });
    if (!failed) return { outcome: 'onboarded' };
    if (failed.name === 'company' || failed.name === 'contract') return { outcome: 'company-exists' };
    return failed.name === 'step' ? { outcome: 'overtaken' } : undefined;
  });
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

/** Resolves to the name of the condition that did not hold, if any, and to the last step. */
const changeGrantsAhead = async (
  store: Store,
  auditContext: AuditContext,
  changes: readonly GrantChange[],
  seen: OnboardingStep,
) => {
  const { companyId } = auditContext;
  let step = seen;
  for (let start = 0; start < changes.length; start += maxGrantChangesAhead) {
    const next = takeStep(store, companyId, step);
    const failed = await transact(store, {
      contract: contractIsAbsent(store, companyId),
      step: next.item,
      ...grantsOfStep(store, auditContext, changes.slice(start, start + maxGrantChangesAhead)),
    });
    if (failed) return { failed: failed.name, step };
    step = next.step;
  }
  return { failed: undefined, step };
};

/**
 * The step says that nobody else has changed grants, and without a contract no event may: so an operator whose clock is
 * behind that of the one before can go on, too.
 */
const grantsOfStep = (store: Store, auditContext: AuditContext, changes: readonly GrantChange[]) =>
  grantChangeItems(
    store,
    auditContext,
    changes.map((change) => ({
      ...change,
      times: timesByOperator(change.isGranted, auditContext.nowMs),
      condition: always,
    })),
  );

const contractIsAbsent = (store: Store, companyId: string): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('Contracts'),
    Key: contractKey(companyId),
    ConditionExpression: 'attribute_not_exists(sk)',
  },
});

const putNew = (store: Store, table: 'Companies' | 'Contracts', Item: Record<string, unknown>): TransactItem => ({
  Put: { TableName: store.tableName(table), Item, ConditionExpression: 'attribute_not_exists(companyId)' },
});

/**
 * Names the last transaction that an onboarding has sent ahead, in an item of the company that is gone when it has its
 * contract. Each transaction of an onboarding holds only if that item is as it was when the grants were read: so nobody
 * has changed the grants since, another operator no more than a late request of a run that was broken off.
 */
type OnboardingStep = string | undefined;

const stepKey = (companyId: string) => ({ companyId, sk: 'ONBOARDING' });

/** Whether a row of Contracts is such an item. */
export const isOnboardingStep = ({ sk }: Readonly<Record<string, unknown>>): boolean => sk === stepKey('').sk;

/** The last step; undefined if no onboarding is under way. Read it before the grants. */
export const readOnboardingStep = async (store: Store, companyId: string): Promise<OnboardingStep> => {
  const command = { TableName: store.tableName('Contracts'), Key: stepKey(companyId), ConsistentRead: true };
  const { Item } = await store.send(new GetCommand(command));
  return Item?.step as OnboardingStep;
};

/** The part of a transaction that makes it the next step, and the step that it makes. */
const takeStep = (store: Store, companyId: string, seen: OnboardingStep) => {
  const step = randomUUID();
  const item: TransactItem = {
    Put: { TableName: store.tableName('Contracts'), Item: { ...stepKey(companyId), step }, ...ifSeen(seen) },
  };
  return { item, step };
};

/** The part of the last transaction that ends the onboarding. */
const endSteps = (store: Store, companyId: string, seen: OnboardingStep): TransactItem => {
  const on = { TableName: store.tableName('Contracts'), Key: stepKey(companyId), ...ifSeen(seen) };
  return seen === undefined ? { ConditionCheck: on } : { Delete: on };
};

const ifSeen = (seen: OnboardingStep) =>
  seen === undefined
    ? { ConditionExpression: 'attribute_not_exists(sk)' }
    : { ConditionExpression: 'step = :seen', ExpressionAttributeValues: { ':seen': seen } };
