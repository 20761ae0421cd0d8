import { type Acceptance, acceptedConsent, type ConsentChange, withdrawnConsent } from '../../domain/consent.ts';
import type { Contract } from '../../domain/contract.ts';
import { timesOf } from '../../domain/permission.ts';
import type { AuditContext } from '../audit.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { changeContract, findContract } from './contracts.ts';

export type ConsentOutcome = {
  readonly outcome: ConsentChange['outcome'] | 'stale' | 'contract-not-found';
};

/** Who told it, and when that came to this service; it came at its own time unless another is given. */
type OfOwner = { readonly userId: string; readonly arrivedAtMs?: number };

/** Takes over that the user of a contract accepted a version at the time of the audit context. Throws StoreUnavailableError. */
export const acceptConsent = (
  store: Store,
  auditContext: AuditContext,
  { userId, arrivedAtMs, ...acceptance }: Acceptance & OfOwner,
): Promise<ConsentOutcome> =>
  changeConsent(store, auditContext, userId, (contract) =>
    acceptedConsent(contract, acceptance, timesOf({ ...auditContext, arrivedAtMs })),
  );

/** Takes over that the user of a contract withdrew consent at the time of the audit context. Throws StoreUnavailableError. */
export const withdrawConsent = (
  store: Store,
  auditContext: AuditContext,
  { userId, arrivedAtMs }: OfOwner,
): Promise<ConsentOutcome> =>
  changeConsent(store, auditContext, userId, (contract) =>
    withdrawnConsent(contract, timesOf({ ...auditContext, arrivedAtMs })),
  );

/** Decides on the contract as it was read, and writes only if it still is so: what was decided on holds. */
const changeConsent = async (
  store: Store,
  auditContext: AuditContext,
  userId: string,
  decide: (contract: Contract) => ConsentChange | undefined,
): Promise<ConsentOutcome> => {
  const found = await findContract(store, { companyId: auditContext.companyId, userId });
  // An attempt that fails has met another change of the contract.
  return retryingFrom(found, { to: 'change a contract', atMost: 5 }, async (contract) => {
    if (!contract) return { outcome: 'contract-not-found' };
    const decided = decide(contract);
    if (!decided) return { outcome: 'stale' };
    const changed = await changeContract(store, auditContext, contract, decided.change);
    return changed.outcome === 'changed' ? { outcome: decided.outcome } : again(changed.current);
  });
};
