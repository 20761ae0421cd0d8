import { type AuditContext, auditPut } from '../../lambdas/data/audit.ts';
import { changeCompany, toCompany } from '../../lambdas/data/contracts/companies.ts';
import {
  changeContract,
  contractKey,
  erasureParties,
  newContractItems,
  readUnopened,
  toContract,
  toContractItem,
} from '../../lambdas/data/contracts/contracts.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { type TransactItem, transact } from '../../lambdas/data/store/writes.ts';
import { byIds, entriesOf } from '../../lambdas/domain/by-id.ts';
import { type Contract, grantIn, isChangedSinceErasure } from '../../lambdas/domain/contract.ts';
import type { Grant } from '../../lambdas/domain/grant.ts';
import { stageSubjects } from '../owners/audit-entry.ts';
import type { AuditRecord } from './audit-record.ts';
import { changedWithoutAudit, revocationsOfCompany, revocationsOfContract } from './recorded-changes.ts';
import { type CopyTools, type DecideOnRow, type Item, notCopied, putBack, putMissing, same } from './row-copy.ts';

/** The rule of Companies. Values that the audit log shows as changed since that second are kept. */
export const decideOnCompany: DecideOnRow = async (tools, { restored, own }) => {
  const { store, records, auditContext } = tools;
  const company = toCompany(restored);
  const { companyId } = company;
  const { company: recorded } = await records.of(companyId);
  if (!own) {
    // Puts the company back without what the audit log shows as revoked.
    const lost = { ...company, ...revocationsOfCompany(company, recorded) };
    const items = { company: putMissing(store, 'Companies', lost) };
    return putBack(tools, { subject: companyId, onRecord: { after: lost }, items });
  }
  const change = changedWithoutAudit(toCompany(own), company, recorded);
  if (Object.keys(change).length === 0) return same;
  return async () => {
    const { outcome } = await changeCompany(store, await auditContext(companyId), toCompany(own), change);
    return outcome === 'changed';
  };
};

/** The rule of Contracts. Values that the audit log shows as changed since that second are kept. */
export const decideOnContract: DecideOnRow = async (tools, { restored, own }) => {
  const contract = toContract(restored);
  const { companyId, userId } = contract;
  if (companyId === erasureParties(userId).companyId) return own ? same : putBackErasure(tools, restored);
  const known = own ? toContract(own) : (await readUnopened(tools.store, { companyId, userId })).contract;
  if (isErasedSince(known, contract))
    return notCopied(`contract of ${companyId} with an owner`, 'the owner was erased since');
  const record = await tools.records.of(companyId);
  return own ? changedContract(tools, contract, known, record) : lostContract(tools, contract, known, record);
};

/** Whether the owner was erased after the restored second, or in that second: an erasure is several writes. */
const isErasedSince = (own: Contract, restored: Contract): boolean => {
  const [ownMs, restoredMs] = [own.erasedAtMs ?? 0, restored.erasedAtMs ?? 0];
  return ownMs > restoredMs || (ownMs === restoredMs && own.removeAt !== null && restored.removeAt === null);
};

/** Puts back the row of an erasure. Its audit row does not name the owner. */
const putBackErasure = (tools: CopyTools, restored: Item) =>
  putBack(tools, {
    subject: stageSubjects(tools.stackName).erasures,
    onRecord: { after: { erasedAtMs: restored.erasedAtMs } },
    items: { erasure: putMissing(tools.store, 'Contracts', restored) },
  });

const changedContract = async (tools: CopyTools, restored: Contract, own: Contract, record: AuditRecord) => {
  const { store, auditContext } = tools;
  const recorded = record.contracts.get(own.userId) ?? {};
  const { gateways: _, ...unrecorded } = changedWithoutAudit(own, restored, recorded);
  // The row of an owner who came back after an erasure does not expire. A grant removes that time without recording it.
  const { removeAt: __, ...kept } = unrecorded;
  const corrected = isChangedSinceErasure(own) ? kept : unrecorded;
  // If the row was lost, the first event since then has created one without what the audit log revoked.
  const change = { ...corrected, ...revocationsOfContract({ ...own, ...corrected }, recorded) };
  const lost = notRevoked(restored, record).filter(([gatewayId]) => !grantIn(own, gatewayId));
  if (Object.keys(change).length === 0 && lost.length === 0) return same;
  return async () => {
    const act = { ...(await auditContext(own.companyId)), userId: own.userId };
    if (lost.length > 0 && (await transact(store, coverAgain(store, act, own, byIds(lost))))) return false;
    if (Object.keys(change).length === 0) return true;
    const { outcome } = await changeContract(store, act, own, change);
    return outcome === 'changed';
  };
};

const notRevoked = ({ userId, gateways }: Contract, { grants }: AuditRecord): [string, Grant][] =>
  entriesOf(gateways).filter(([gatewayId]) => grants.get(userId)?.get(gatewayId)?.isGranted !== false);

/** Grants gateways again that the audit log does not show as revoked, on condition that the gateways have not changed. */
const coverAgain = (
  store: Store,
  auditContext: AuditContext,
  contract: Contract,
  lost: Contract['gateways'],
): Record<string, TransactItem> => ({
  contract: {
    Update: {
      TableName: store.tableName('Contracts'),
      Key: contractKey(contract),
      UpdateExpression: 'SET gateways = :all',
      ConditionExpression: 'gateways = :seen',
      ExpressionAttributeValues: { ':all': { ...contract.gateways, ...lost }, ':seen': contract.gateways },
    },
  },
  audit: auditPut(store, auditContext, { after: { gateways: lost } }),
});

/** Puts a contract back without what the audit log shows as revoked, unless the owner is erased meanwhile. */
const lostContract = async (tools: CopyTools, restored: Contract, unopened: Contract, record: AuditRecord) => {
  const gateways = byIds(notRevoked(restored, record));
  const contract = {
    ...restored,
    ...revocationsOfContract(restored, record.contracts.get(restored.userId) ?? {}),
    gateways,
  };
  return putBack(tools, {
    subject: contract.companyId,
    userId: contract.userId,
    onRecord: { after: contract },
    items: {
      erasure: newContractItems(tools.store, unopened).erasure,
      contract: putMissing(tools.store, 'Contracts', toContractItem(contract)),
    },
  });
};
