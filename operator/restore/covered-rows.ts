import { inventoryIsUnchanged, inventoryItemKey, readInventory } from '../../lambdas/data/appliances/inventory.ts';
import { changeCompany, toCompany } from '../../lambdas/data/contracts/companies.ts';
import {
  changeContract,
  contractKey,
  grantPrefix,
  toContract,
  toContractItem,
} from '../../lambdas/data/contracts/contracts.ts';
import {
  type GrantTimes,
  grantIsNotRevoked,
  grantIsSince,
  guardPrefix,
  putReverseGrant,
  reverseGrantPrefix,
} from '../../lambdas/data/contracts/grants.ts';
import type { TransactItem } from '../../lambdas/data/store/writes.ts';
import type { Shadow } from '../../lambdas/domain/appliance.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { absentAt, type Inventory, isRemoved } from '../../lambdas/domain/gateway.ts';
import { readGrants } from '../companies/grants.ts';
import { isOnboardingStep } from '../companies/onboarding.ts';
import { changedOffRecord, takenAway, takenFromCompany } from './contract-since.ts';
import { type CopyTools, type DecideOnRow, type Item, left, putBack, putMissing, same } from './row-copy.ts';

/** The rule of Companies: what somebody changed on record since stays as they left it. */
export const decideOnCompany: DecideOnRow = async (tools, { restored, own }) => {
  const { store, records, auditContext } = tools;
  const company = toCompany(restored);
  const { companyId } = company;
  const { company: recorded } = await records.of(companyId);
  if (!own) {
    // Comes back without what was taken from it on record.
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

/** The rule of Contracts: what somebody changed on record since stays as they left it. */
export const decideOnContract: DecideOnRow = async (tools, { restored, own }) => {
  // An onboarding that was under way at that second has to be run again.
  if (isOnboardingStep(restored)) return same;
  if (restored.sk === contractKey('').sk)
    return own
      ? changedContract(tools, toContract(restored), toContract(own))
      : lostContract(tools, toContract(restored));
  if (own) return same;
  return String(restored.sk).startsWith(guardPrefix) ? lostGuard(tools, restored) : lostGrant(tools, restored);
};

const changedContract = async (tools: CopyTools, restored: Contract, own: Contract): ReturnType<DecideOnRow> => {
  const { store, records, auditContext } = tools;
  const { contract: recorded } = await records.of(own.companyId);
  const change = changedOffRecord(own, restored, recorded);
  if (Object.keys(change).length === 0) return same;
  return async () => {
    const { outcome } = await changeContract(store, await auditContext(own.companyId), own, change);
    return outcome === 'changed';
  };
};

/** Comes back without what was taken from the company on record. */
const lostContract = async (tools: CopyTools, restored: Contract): ReturnType<DecideOnRow> => {
  const { contract: recorded } = await tools.records.of(restored.companyId);
  const contract = { ...restored, ...takenAway(restored, recorded) };
  return putBack(tools, {
    subject: contract.companyId,
    userId: contract.userId,
    onRecord: { after: contract },
    items: { contract: putMissing(tools.store, 'Contracts', toContractItem(contract)) },
  });
};

/** Comes back with its reverse row, unless it was revoked since: on record, or by now, which its guard row tells. */
const lostGrant = async (tools: CopyTools, grant: Item): ReturnType<DecideOnRow> => {
  const { store, records } = tools;
  const companyId = String(grant.companyId);
  const gatewayId = String(grant.sk).slice(grantPrefix.length);
  const { grants } = await records.of(companyId);
  if (grants.get(gatewayId)?.isGranted === false)
    return left(`gateway ${gatewayId} of ${companyId}`, 'revoked on record');
  return putBack(tools, {
    subject: companyId,
    onRecord: { gatewayId, before: { isGranted: false }, after: { isGranted: true } },
    items: {
      guard: grantIsNotRevoked(store, { companyId, gatewayId }),
      grant: putMissing(store, 'Contracts', grant),
      reverse: putReverseGrant(store, { companyId, gatewayId }, grant as object as GrantTimes),
    },
  });
};

/** Comes back, so that events from before it stay stale. */
const lostGuard = (tools: CopyTools, guard: Item) =>
  putBack(tools, {
    subject: String(guard.companyId),
    onRecord: { gatewayId: String(guard.sk).slice(guardPrefix.length), row: String(guard.sk) },
    items: { guard: putMissing(tools.store, 'Contracts', guard) },
  });

/** Whether a row of Appliances tells of the others of its gateway whether they are to come back. */
export const isInventory = ({ sk }: Item): boolean => sk === inventoryItemKey('').sk;

/** The rule of Appliances: a row that is there is newer, since gateways report without an audit row. */
export const decideOnAppliance: DecideOnRow = async (tools, { restored, own }) => {
  if (own) return same;
  if (String(restored.sk).startsWith(reverseGrantPrefix)) return lostReverseGrant(tools, restored);
  return isInventory(restored) ? putBackAppliance(tools, restored) : lostItem(tools, restored);
};

const putBackAppliance = (tools: CopyTools, row: Item, checks: Readonly<Record<string, TransactItem>> = {}) =>
  putBack(tools, {
    subject: tools.stackName,
    onRecord: { gatewayId: String(row.gatewayId), row: String(row.sk) },
    items: { ...checks, row: putMissing(tools.store, 'Appliances', row) },
  });

/** A gateway, circuit or time program comes back unless its gateway told since that it is gone. */
const lostItem = async (tools: CopyTools, restored: Item): ReturnType<DecideOnRow> => {
  const gatewayId = String(restored.gatewayId);
  const inventory = await readInventory(tools.store, gatewayId);
  if (inventory && isGone(inventory, restored as Item & Shadow))
    return left(`${String(restored.sk)} of gateway ${gatewayId}`, 'removed since');
  return putBackAppliance(tools, restored, { inventory: inventoryIsUnchanged(tools.store, gatewayId, inventory) });
};

/** An item that was deleted since may be there again by its next report, and then goes on counting its versions. */
const isGone = (inventory: Inventory, { sk, reportedAtMs, version }: Item & Shadow): boolean =>
  isRemoved(inventory) ||
  (sk !== 'GATEWAY' &&
    (reportedAtMs <= absentAt(inventory, String(sk)) || version <= (inventory.lastVersions[String(sk)] ?? 0)));

/** A reverse row is of a grant, which Contracts knows: one of a grant that is gone, or was given anew, does not come back. */
const lostReverseGrant = async (tools: CopyTools, reverse: Item): ReturnType<DecideOnRow> => {
  const gatewayId = String(reverse.gatewayId);
  const companyId = String(reverse.sk).slice(reverseGrantPrefix.length);
  if (!(await readGrants(tools.store, companyId, [gatewayId])).has(gatewayId)) return same;
  return putBack(tools, {
    subject: companyId,
    onRecord: { gatewayId, row: String(reverse.sk) },
    items: {
      grant: grantIsSince(tools.store, { companyId, gatewayId }, reverse as object as GrantTimes),
      reverse: putMissing(tools.store, 'Appliances', reverse),
    },
  });
};
