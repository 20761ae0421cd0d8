import { pickFreeSlot, putNewKey, takeSlot } from '../../lambdas/data/api-keys/api-key-creation.ts';
import { readTakenSlots } from '../../lambdas/data/api-keys/api-keys.ts';
import { type AuditContext, auditPut } from '../../lambdas/data/audit.ts';
import { retrying } from '../../lambdas/data/store/attempts.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { type TransactItem, transact } from '../../lambdas/data/store/writes.ts';
import type { NewKey } from '../../lambdas/domain/api-key.ts';
import type { Company } from '../../lambdas/domain/company.ts';
import { toRecord } from './key-issue.ts';

export type Onboarding = { readonly company: Company; readonly key: NewKey };

type OnboardingOutcome = { readonly outcome: 'onboarded' | 'company-exists' };

/**
 * Writes a company with its addresses, its first key and the audit row in one transaction. Of concurrent attempts, only one
 * succeeds. Contracts and grants follow separately, as for any other company.
 */
export const onboardCompany = (
  store: Store,
  auditContext: AuditContext,
  { company, key }: Onboarding,
): Promise<OnboardingOutcome> => {
  const { companyId } = company;
  return retrying<OnboardingOutcome>({ to: `onboard ${companyId}`, atMost: 5 }, async () => {
    const slot = pickFreeSlot(await readTakenSlots(store, companyId, auditContext.nowMs));
    if (slot === undefined) return { outcome: 'company-exists' };
    const record = toRecord(key, slot);
    const failed = await transact(store, {
      company: putNewCompany(store, company),
      slot: takeSlot(store, record, auditContext.nowMs),
      newKey: putNewKey(store, record),
      audit: auditPut(store, auditContext, { keyId: key.keyId, after: company }),
    });
    if (!failed) return { outcome: 'onboarded' };
    return failed.name === 'company' ? { outcome: 'company-exists' } : undefined;
  });
};

const putNewCompany = (store: Store, Item: Company): TransactItem => ({
  Put: {
    TableName: store.tableName('Companies'),
    Item,
    ConditionExpression: 'attribute_not_exists(companyId)',
  },
});
