import { toCompany } from '../../lambdas/data/contracts/companies.ts';
import {
  erasureParties,
  newContractItems,
  readUnopened,
  toContract,
  toContractItem,
} from '../../lambdas/data/contracts/contracts.ts';
import { byIds, entriesOf } from '../../lambdas/domain/by-id.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { stageSubjects } from '../owners/audit-entry.ts';
import { revokesGrant } from './audit-record.ts';
import { revocationsOfCompany, revocationsOfContract } from './revocations.ts';
import { type CopyTools, type DecideOnMissing, type Item, notCopied, putBack, putMissing } from './row-copy.ts';

/** The rule of Companies. A company comes back without what was taken from it since, according to the audit log. */
export const decideOnMissingCompany: DecideOnMissing = async (tools, restored) => {
  const company = toCompany(restored);
  const { companyId } = company;
  const { company: recorded } = await tools.records.of(companyId);
  const lost = { ...company, ...revocationsOfCompany(company, recorded) };
  const items = { company: putMissing(tools.store, 'Companies', lost) };
  return putBack(tools, { subject: companyId, onRecord: { after: lost }, items });
};

/**
 * The rule of Contracts. A contract comes back as ended, without consent or without gateways if that was so since, according to
 * the audit log. It stays away if its owner was erased since, or is erased meanwhile.
 */
export const decideOnMissingContract: DecideOnMissing = async (tools, restored) => {
  const contract = toContract(restored);
  const { companyId, userId } = contract;
  if (isErasure(contract)) return putBackErasure(tools, restored);
  const { contract: unopened } = await readUnopened(tools.store, { companyId, userId });
  if (isErasedSince(unopened, contract)) return erasedSince(contract);
  const { contracts, grants, since } = await tools.records.of(companyId);
  // Also if it was granted again: the restored grant is from before the revocation. `restore reconcile` lists the new one.
  const isRevokedSince = (gatewayId: string) =>
    grants.get(userId)?.get(gatewayId)?.isGranted === false ||
    since.some((act) => act.gatewayId === gatewayId && revokesGrant(act, userId));
  const kept = entriesOf(contract.gateways).filter(([gatewayId]) => !isRevokedSince(gatewayId));
  const lost = {
    ...contract,
    ...revocationsOfContract(contract, contracts.get(userId) ?? {}),
    gateways: byIds(kept),
  };
  return putBack(tools, {
    subject: companyId,
    userId,
    onRecord: { after: lost },
    items: {
      erasure: newContractItems(tools.store, unopened).erasure,
      contract: putMissing(tools.store, 'Contracts', toContractItem(lost)),
    },
  });
};

/** Whether a row of Contracts is that of an owner's erasure, which belongs to no company. */
export const isErasure = ({ companyId, userId }: Contract): boolean => companyId === erasureParties(userId).companyId;

/** Whether the owner was erased after the restored second, or in that second: an erasure is several writes. */
export const isErasedSince = (own: Contract, restored: Contract): boolean => {
  const [ownMs, restoredMs] = [own.erasedAtMs ?? 0, restored.erasedAtMs ?? 0];
  return ownMs > restoredMs || (ownMs === restoredMs && own.removeAt !== null && restored.removeAt === null);
};

/** Does not name the owner. */
export const erasedSince = ({ companyId }: Contract) =>
  notCopied(`contract of ${companyId} with an owner`, 'the owner was erased since');

/** The audit row does not name the owner either. */
const putBackErasure = (tools: CopyTools, restored: Item) =>
  putBack(tools, {
    subject: stageSubjects(tools.stackName).erasures,
    onRecord: { after: { erasedAtMs: restored.erasedAtMs } },
    items: { erasure: putMissing(tools.store, 'Contracts', restored) },
  });
