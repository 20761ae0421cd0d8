import { type EnergyOfMonth, energyPrefix } from '../../lambdas/data/appliances/energy.ts';
import { inventoryIsUnchanged, inventoryItemKey, readInventory } from '../../lambdas/data/appliances/inventory.ts';
import { type AuditContext, auditPut } from '../../lambdas/data/audit.ts';
import { changeCompany, toCompany } from '../../lambdas/data/contracts/companies.ts';
import {
  changeContract,
  contractKey,
  erasureParties,
  newContractItems,
  readContracts,
  readUnopened,
  toContract,
  toContractItem,
} from '../../lambdas/data/contracts/contracts.ts';
import { ownersPrefix, toOwners } from '../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { type TransactItem, transact } from '../../lambdas/data/store/writes.ts';
import type { Shadow } from '../../lambdas/domain/appliance.ts';
import { byIds, entriesOf, idsOf } from '../../lambdas/domain/by-id.ts';
import { type Contract, grantIn, isBeforeErasure } from '../../lambdas/domain/contract.ts';
import { absentAt, type Inventory, isRemoved } from '../../lambdas/domain/gateway.ts';
import type { Grant } from '../../lambdas/domain/grant.ts';
import { stageSubjects } from '../owners/audit-entry.ts';
import type { AuditRecord } from './audit-record.ts';
import { changedOffRecord, takenAway, takenFromCompany } from './contract-since.ts';
import {
  type CopyTools,
  type DecideOnRow,
  type Item,
  left,
  putBack,
  putInPlaceOf,
  putMissing,
  same,
} from './row-copy.ts';

/** The rule of Companies. Values that the audit log shows as changed since that second are kept. */
export const decideOnCompany: DecideOnRow = async (tools, { restored, own }) => {
  const { store, records, auditContext } = tools;
  const company = toCompany(restored);
  const { companyId } = company;
  const { company: recorded } = await records.of(companyId);
  if (!own) {
    // Puts the company back without what the audit log shows as revoked.
    const lost = { ...company, ...takenFromCompany(company, recorded) };
    const items = { company: putMissing(store, 'Companies', lost) };
    return putBack(tools, { subject: companyId, onRecord: { after: lost }, items });
  }
  const change = changedOffRecord(toCompany(own), company, recorded);
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
  const known = own ? toContract(own) : await readUnopened(tools.store, { companyId, userId });
  if ((known.erasedAtMs ?? 0) > (contract.erasedAtMs ?? 0))
    return left(`contract of ${companyId} with an owner`, 'the owner was erased since');
  const record = await tools.records.of(companyId);
  return own ? changedContract(tools, contract, known, record) : lostContract(tools, contract, known, record);
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
  const { gateways: _, ...change } = changedOffRecord(own, restored, record.contracts.get(own.userId) ?? {});
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
  const contract = { ...restored, ...takenAway(restored, record.contracts.get(restored.userId) ?? {}), gateways };
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

/** Whether a row of Appliances is the inventory, which decides whether the other rows of its gateway are put back. */
export const isInventory = ({ sk }: Item): boolean => sk === inventoryItemKey('').sk;

/** The rule of Appliances. Existing rows, and existing days of energy, are kept, since gateways report without an audit row. */
export const decideOnAppliance: DecideOnRow = async (tools, { restored, own }) => {
  if (String(restored.sk).startsWith(energyPrefix))
    return lostDays(tools, restored as Item & EnergyOfMonth, own as (Item & EnergyOfMonth) | undefined);
  if (own) return same;
  if (String(restored.sk).startsWith(ownersPrefix)) return lostOwners(tools, restored);
  return isInventory(restored) ? putBackAppliance(tools, restored) : lostItem(tools, restored);
};

const putBackAppliance = (tools: CopyTools, row: Item, checks: Readonly<Record<string, TransactItem>> = {}) =>
  putBack(tools, {
    subject: tools.stackName,
    onRecord: { gatewayId: String(row.gatewayId), row: String(row.sk) },
    items: { ...checks, row: putMissing(tools.store, 'Appliances', row) },
  });

/** Puts back a gateway, circuit, time program or holiday, unless a later report says that it was removed. */
const lostItem = async (tools: CopyTools, restored: Item): ReturnType<DecideOnRow> => {
  const gatewayId = String(restored.gatewayId);
  const inventory = await readInventory(tools.store, gatewayId);
  if (inventory && isGone(inventory, restored as Item & Shadow))
    return left(`${String(restored.sk)} of gateway ${gatewayId}`, 'removed since');
  return putBackAppliance(tools, restored, { inventory: inventoryIsUnchanged(tools.store, gatewayId, inventory) });
};

/** Whether an item was removed since. If a later report creates it again, its versions continue after the last known one. */
const isGone = (inventory: Inventory, { sk, reportedAtMs, version }: Item & Shadow): boolean =>
  isRemoved(inventory) ||
  (sk !== 'GATEWAY' &&
    (reportedAtMs <= absentAt(inventory, String(sk)) || version <= (inventory.lastVersions[String(sk)] ?? 0)));

/**
 * Puts back the missing days of a month, unless a later report says that the gateway was removed. After a loss, the first
 * report creates a new item without the earlier days.
 */
const lostDays = async (
  tools: CopyTools,
  restored: Item & EnergyOfMonth,
  own: (Item & EnergyOfMonth) | undefined,
): ReturnType<DecideOnRow> => {
  const { gatewayId, sk } = restored;
  const inventory = await readInventory(tools.store, gatewayId);
  const removedAtMs = Math.max(restored.removedAtMs, inventory?.removedAtMs ?? 0);
  const isLost = ([day, { atMs }]: [string, { readonly atMs: number }]) => !own?.days[day] && atMs > removedAtMs;
  const days = Object.fromEntries(Object.entries(restored.days).filter(isLost));
  if (own && Object.keys(days).length === 0) return same;
  if ((inventory && isRemoved(inventory)) || Object.keys(days).length === 0)
    return left(`${sk} of gateway ${gatewayId}`, 'removed since');
  const checks = { inventory: inventoryIsUnchanged(tools.store, gatewayId, inventory) };
  if (!own) return putBackAppliance(tools, { ...restored, days, removedAtMs }, checks);
  const row = putInPlaceOf(tools.store, 'Appliances', { ...own, days: { ...own.days, ...days } }, own);
  return putBack(tools, { subject: tools.stackName, onRecord: { gatewayId, row: sk }, items: { ...checks, row } });
};

/**
 * Puts back the owners of a gateway, as granted only if the current contract covers the gateway: otherwise it was revoked, or
 * its owner has another contract. Leaves out owners who were erased.
 */
const lostOwners = async (tools: CopyTools, restored: Item): ReturnType<DecideOnRow> => {
  const gatewayId = String(restored.gatewayId);
  const companyId = String(restored.sk).slice(ownersPrefix.length);
  const known = toOwners(restored);
  const found = await readContracts(
    tools.store,
    idsOf(known).flatMap((userId) => [{ companyId, userId }, erasureParties(userId)]),
  );
  const contracts = found.filter((each) => each.companyId === companyId);
  const erasures = found.filter((each) => each.companyId !== companyId);
  const contractOf = new Map(contracts.map((contract) => [contract.userId, contract]));
  const erasedAtMs = new Map([...erasures, ...contracts].map((each) => [each.userId, each.erasedAtMs]));
  const left = entriesOf(known).filter(
    ([userId, grant]) => !isBeforeErasure({ erasedAtMs: erasedAtMs.get(userId) ?? null }, grant),
  );
  if (left.length === 0 && found.length > 0) return same;
  const isCovered = (userId: string) => {
    const contract = contractOf.get(userId);
    return contract !== undefined && grantIn(contract, gatewayId) !== undefined;
  };
  const owners = byIds(
    left.map(([userId, grant]) => [userId, { ...grant, isGranted: grant.isGranted && isCovered(userId) }]),
  );
  return putBack(tools, {
    subject: companyId,
    onRecord: { gatewayId, row: String(restored.sk) },
    items: { owners: putMissing(tools.store, 'Appliances', { ...restored, owners }) },
  });
};
