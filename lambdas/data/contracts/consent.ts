import { type Acceptance, acceptedConsent, withdrawnConsent } from '../../domain/consent.ts';
import type { Contract } from '../../domain/contract.ts';
import type { AuditContext } from '../audit/audit-log.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailableError } from '../store/store-errors.ts';
import { type ContractChange, changeContract } from './contract-changes.ts';
import { findContract } from './contracts.ts';

export type ConsentOutcome = { readonly outcome: 'applied' | 'stale' | 'contract-not-found' | 'foreign-user' };

/** Takes over that the user of a contract accepted a version at the time of the audit context. Throws StoreUnavailableError. */
export const acceptConsent = (
  store: Store,
  auditContext: AuditContext,
  { userId, ...acceptance }: Omit<Acceptance, 'atMs'> & { readonly userId: string },
): Promise<ConsentOutcome> =>
  changeConsent(store, auditContext, userId, (contract) =>
    acceptedConsent(contract, { ...acceptance, atMs: auditContext.nowMs }),
  );

/** Takes over that the user of a contract withdrew consent at the time of the audit context. Throws StoreUnavailableError. */
export const withdrawConsent = (
  store: Store,
  auditContext: AuditContext,
  { userId }: { readonly userId: string },
): Promise<ConsentOutcome> =>
  changeConsent(store, auditContext, userId, (contract) => withdrawnConsent(contract, auditContext.nowMs));

/** An attempt that fails has met another change of the contract. */
const maxAttempts = 5;

/** Decides on the contract as it was read, and writes only if it still is so: what was decided on holds. */
const changeConsent = async (
  store: Store,
  auditContext: AuditContext,
  userId: string,
  decide: (contract: Contract) => ContractChange | undefined,
): Promise<ConsentOutcome> => {
  let contract = await findContract(store, auditContext.companyId);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (!contract) return { outcome: 'contract-not-found' };
    if (contract.userId !== userId) return { outcome: 'foreign-user' };
    const change = decide(contract);
    if (!change) return { outcome: 'stale' };
    const changed = await changeContract(store, auditContext, contract, change);
    if (changed.outcome === 'changed') return { outcome: 'applied' };
    contract = changed.current;
  }
  throw new StoreUnavailableError(`A contract changed under ${maxAttempts} attempts to change it.`);
};
