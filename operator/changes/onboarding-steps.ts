import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { TransactItem } from '../../lambdas/data/store/transaction.ts';

/**
 * Names the last transaction that an onboarding has sent ahead, in an item of the company that is gone when it has its
 * contract. Each transaction of an onboarding holds only if that item is as it was when the grants were read: so nobody
 * has changed the grants since, another operator no more than a late request of a run that was broken off.
 */
export type OnboardingStep = string | undefined;

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
export const takeStep = (store: Store, companyId: string, seen: OnboardingStep) => {
  const step = randomUUID();
  const item: TransactItem = {
    Put: { TableName: store.tableName('Contracts'), Item: { ...stepKey(companyId), step }, ...ifSeen(seen) },
  };
  return { item, step };
};

/** The part of the last transaction that ends the onboarding. */
export const endSteps = (store: Store, companyId: string, seen: OnboardingStep): TransactItem => {
  const on = { TableName: store.tableName('Contracts'), Key: stepKey(companyId), ...ifSeen(seen) };
  return seen === undefined ? { ConditionCheck: on } : { Delete: on };
};

const ifSeen = (seen: OnboardingStep) =>
  seen === undefined
    ? { ConditionExpression: 'attribute_not_exists(sk)' }
    : { ConditionExpression: 'step = :seen', ExpressionAttributeValues: { ':seen': seen } };
