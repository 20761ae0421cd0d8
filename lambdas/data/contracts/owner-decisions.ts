import { type Acceptance, acceptedConsent, withdrawnConsent } from '../../domain/consent.ts';
import { type Contract, endedContract, isBeforeErasure, openedContract } from '../../domain/contract.ts';
import { type ChangeTimes, type TakenOver, timesOf } from '../../domain/permission.ts';
import type { AuditContext } from '../audit.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { type ContractChange, changeContract, createContract, findContract, foundOrUnopened } from './contracts.ts';

type DecisionOutcome = { readonly outcome: 'applied' | 'noted' | 'stale' | 'company-not-found' };

/** The owner who decided, and when the event arrived at this service; that is the time of the audit context if absent. */
type OfOwner = { readonly userId: string; readonly arrivedAtMs?: number };

/** Records that an owner opened a contract with the company at the time of the audit context. */
export const openContract = (store: Store, auditContext: AuditContext, owner: OfOwner): Promise<DecisionOutcome> =>
  takeOver(store, auditContext, owner, openedContract);

/** Records that an owner ended the contract. */
export const endContract = (store: Store, auditContext: AuditContext, owner: OfOwner): Promise<DecisionOutcome> =>
  takeOver(store, auditContext, owner, endedContract);

/** Records that an owner accepted a version of the terms. */
export const acceptConsent = (
  store: Store,
  auditContext: AuditContext,
  { userId, arrivedAtMs, ...acceptance }: Acceptance & OfOwner,
): Promise<DecisionOutcome> =>
  takeOver(store, auditContext, { userId, ...(arrivedAtMs !== undefined && { arrivedAtMs }) }, (contract, times) =>
    acceptedConsent(contract, acceptance, times),
  );

/** Records that an owner withdrew consent. */
export const withdrawConsent = (store: Store, auditContext: AuditContext, owner: OfOwner): Promise<DecisionOutcome> =>
  takeOver(store, auditContext, owner, withdrawnConsent);

const takeOver = (
  store: Store,
  auditContext: AuditContext,
  { userId, arrivedAtMs }: OfOwner,
  decide: (contract: Contract, times: ChangeTimes) => TakenOver<ContractChange> | undefined,
): Promise<DecisionOutcome> => {
  const times = timesOf({ ...auditContext, arrivedAtMs });
  return decideOnContract(store, auditContext, userId, (contract) =>
    isBeforeErasure(contract, times) ? undefined : decide(contract, times),
  );
};

/**
 * Decides on the contract of the company with an owner as it was read, and writes the decision only if the contract has not
 * changed since. Decisions from before the opening are stored, because opening, consent and grants arrive in any order. The
 * first row of a contract has the time of the owner's erasure, so that earlier events stay stale.
 */
export const decideOnContract = async (
  store: Store,
  auditContext: AuditContext,
  userId: string,
  decide: (contract: Contract) => TakenOver<ContractChange> | undefined,
): Promise<DecisionOutcome> => {
  const parties = { companyId: auditContext.companyId, userId };
  const found = await findContract(store, parties);
  // An attempt fails if the contract was changed concurrently.
  return retryingFrom(found, { to: 'change a contract', atMost: 5 }, async (seen) => {
    const { contract, hasCompany } = await foundOrUnopened(store, parties, seen);
    const decided = decide(contract);
    if (!decided) return { outcome: 'stale' };
    if (!hasCompany) return { outcome: 'company-not-found' };
    if (!seen) {
      const { outcome } = await createContract(store, auditContext, contract, decided.change);
      return outcome === 'created' ? { outcome: decided.outcome } : again(await findContract(store, parties));
    }
    const changed = await changeContract(store, auditContext, contract, decided.change);
    return changed.outcome === 'changed' ? { outcome: decided.outcome } : again(changed.current);
  });
};
