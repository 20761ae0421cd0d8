import { inventoryIsUnchanged, inventoryItemKey, readInventory } from '../../lambdas/data/appliances/inventory.ts';
import { requestAttributes } from '../../lambdas/data/appliances/open-since-index.ts';
import { erasureParties, readContracts } from '../../lambdas/data/contracts/contracts.ts';
import { ownersWithExpiry } from '../../lambdas/data/contracts/erasure.ts';
import { ownersPrefix, toOwners } from '../../lambdas/data/contracts/grants.ts';
import type { TransactItem } from '../../lambdas/data/store/writes.ts';
import type { Shadow } from '../../lambdas/domain/appliance.ts';
import { entriesOf, idsOf } from '../../lambdas/domain/by-id.ts';
import { grantIn, isBeforeErasure } from '../../lambdas/domain/contract.ts';
import { absentAt, type Inventory, isRemoved } from '../../lambdas/domain/gateway.ts';
import { withoutErased, withRevoked } from '../../lambdas/domain/grant.ts';
import { type Drop, newestOf } from '../../lambdas/domain/open-change.ts';
import { type CopyTools, type DecideOnMissing, type Item, notCopied, putBack, putMissing, same } from './row-copy.ts';

/**
 * The rule of Appliances. A row stays away if a later report says that its gateway, or the item itself, was removed: the
 * inventory records that, and outlives the rows of its gateway.
 */
export const decideOnMissingAppliance: DecideOnMissing = async (tools, restored) => {
  if (String(restored.sk).startsWith(ownersPrefix)) return putBackOwners(tools, restored);
  if (isInventory(restored)) return putBackAppliance(tools, restored);
  const gatewayId = String(restored.gatewayId);
  const inventory = await readInventory(tools.store, gatewayId);
  // It comes back first: on the same page, or in an earlier run.
  if (!inventory) return async () => false;
  if (isGone(inventory, restored)) return notCopied(`${String(restored.sk)} of gateway ${gatewayId}`, 'removed since');
  return putBackAppliance(tools, withoutRequest(restored, tools.nowMs), {
    inventory: inventoryIsUnchanged(tools.store, gatewayId, inventory),
  });
};

/** Whether a row of Appliances is the inventory, which decides whether the other rows of its gateway come back. */
export const isInventory = ({ sk }: Item): boolean => sk === inventoryItemKey('').sk;

/** Rows of the gateway itself and rows with reported parts have the last removal that was applied to them. */
const isGone = (inventory: Inventory, { sk, removedAtMs, reportedAtMs }: Item): boolean =>
  isRemoved(inventory) ||
  (removedAtMs === undefined
    ? Number(reportedAtMs) <= absentAt(inventory, String(sk))
    : inventory.removedAtMs > Number(removedAtMs));

/** Drops the open request of an item: nobody asks for it any more, and its owner may have withdrawn consent since. */
const withoutRequest = (row: Item & Partial<Shadow>, nowMs: number): Item => {
  const { desiredBy, version } = row;
  if (!desiredBy) return row;
  const names = Object.keys(desiredBy);
  const lastDropped: Drop = { version: newestOf(desiredBy).version, atMs: nowMs, reason: 'dropped-by-operator', names };
  const kept = Object.entries(row).filter(([name]) => !requestAttributes.includes(name));
  return { ...Object.fromEntries(kept), version: Number(version) + 1, lastDropped };
};

const putBackAppliance = (tools: CopyTools, row: Item, checks: Readonly<Record<string, TransactItem>> = {}) =>
  putBack(tools, {
    subject: tools.stackName,
    onRecord: { gatewayId: String(row.gatewayId), row: String(row.sk) },
    items: { ...checks, row: putMissing(tools.store, 'Appliances', row) },
  });

/**
 * Puts back the owners of a gateway, as granted only if the current contract covers the gateway: otherwise it was revoked, or
 * its owner has another contract. Leaves out the ids of owners who were erased.
 */
const putBackOwners: DecideOnMissing = async (tools, restored) => {
  const gatewayId = String(restored.gatewayId);
  const companyId = String(restored.sk).slice(ownersPrefix.length);
  const known = toOwners(restored);
  const found = await readContracts(
    tools.store,
    idsOf(known).flatMap((userId) => [{ companyId, userId }, erasureParties(userId)]),
  );
  const contracts = found.filter((each) => each.companyId === companyId);
  const erasures = found.filter((each) => each.companyId !== companyId);
  const covering = new Set(contracts.filter((each) => grantIn(each, gatewayId)).map(({ userId }) => userId));
  const erasedAtMs = new Map([...erasures, ...contracts].map((each) => [each.userId, each.erasedAtMs]));
  const owners = entriesOf(known).reduce((left, [userId, grant]) => {
    if (isBeforeErasure({ erasedAtMs: erasedAtMs.get(userId) ?? null }, grant)) return withoutErased(left, userId);
    return grant.isGranted && !covering.has(userId) ? withRevoked(left, userId, grant) : left;
  }, known);
  if (idsOf(owners).length === 0) return same;
  return putBack(tools, {
    subject: companyId,
    onRecord: { gatewayId, row: String(restored.sk) },
    items: { owners: putMissing(tools.store, 'Appliances', { ...restored, ...ownersWithExpiry(owners) }) },
  });
};
