import { inventoryIsUnchanged, inventoryItemKey, readInventory } from '../../lambdas/data/appliances/inventory-row.ts';
import { auditPut } from '../../lambdas/data/audit/audit-log.ts';
import { type GrantTimes, grantIsSince, reverseGrantPrefix } from '../../lambdas/data/contracts/grants.ts';
import { transact } from '../../lambdas/data/store/transaction.ts';
import type { Shadow } from '../../lambdas/domain/appliances/appliance.ts';
import { absentAt, type Inventory, isRemoved } from '../../lambdas/domain/appliances/inventory.ts';
import { readGrants } from '../companies/grants.ts';
import { type CopyRows, type CopyTools, type DecideOnRow, type Item, putMissing, rowByRow, same } from './row-copy.ts';

/** Copies a page of Appliances: first the inventories, which tell of the other rows whether they are to come back. */
export const copyAppliances: CopyRows = async (tools, pairs, isPlan) => {
  const copyRows = rowByRow('Appliances', decideOnAppliance);
  const { inventories = [], others = [] } = Object.groupBy(pairs, ({ restored }) =>
    isInventory(restored) ? 'inventories' : 'others',
  );
  return [...(await copyRows(tools, inventories, isPlan)), ...(await copyRows(tools, others, isPlan))];
};

/** Decides on a row of Appliances: one that is there is newer, since gateways report without an audit row. */
const decideOnAppliance: DecideOnRow = async (tools, { restored, own }) => {
  if (own) return same;
  if (String(restored.sk).startsWith(reverseGrantPrefix)) return decideOnLostReverseGrant(tools, restored);
  return isInventory(restored) ? () => putBack(tools, restored) : decideOnLostItem(tools, restored);
};

const isInventory = ({ sk }: Item): boolean => sk === inventoryItemKey('').sk;

/** A gateway, circuit or time program comes back unless its gateway told since that it is gone. */
const decideOnLostItem = async (tools: CopyTools, restored: Item): ReturnType<DecideOnRow> => {
  const gatewayId = String(restored.gatewayId);
  const inventory = await readInventory(tools.store, gatewayId);
  if (inventory && isGone(inventory, restored as Item & Shadow))
    return { kind: 'left', what: `${String(restored.sk)} of gateway ${gatewayId}`, why: 'removed since' };
  return () => putBack(tools, restored, { inventory: inventoryIsUnchanged(tools.store, gatewayId, inventory) });
};

/** An item that was deleted since may be there again by its next report, and then goes on counting its versions. */
const isGone = (inventory: Inventory, { sk, reportedAtMs, version }: Item & Shadow): boolean =>
  isRemoved(inventory) ||
  (sk !== 'GATEWAY' &&
    (reportedAtMs <= absentAt(inventory, String(sk)) || version <= (inventory.lastVersions[String(sk)] ?? 0)));

const putBack = async (
  { store, stackName, auditContext }: CopyTools,
  row: Item,
  checks: Parameters<typeof transact>[1] = {},
): Promise<boolean> => {
  const audit = auditPut(store, await auditContext(stackName), {
    gatewayId: String(row.gatewayId),
    row: String(row.sk),
  });
  return !(await transact(store, { ...checks, row: putMissing(store, 'Appliances', row), audit }));
};

/** A reverse row is of a grant, which Contracts knows: one of a grant that is gone, or was given anew, does not come back. */
const decideOnLostReverseGrant = async (tools: CopyTools, reverse: Item): ReturnType<DecideOnRow> => {
  const { store } = tools;
  const gatewayId = String(reverse.gatewayId);
  const companyId = String(reverse.sk).slice(reverseGrantPrefix.length);
  if (!(await readGrants(store, companyId, [gatewayId])).has(gatewayId)) return same;
  return async () =>
    !(await transact(store, {
      grant: grantIsSince(store, { companyId, gatewayId }, reverse as object as GrantTimes),
      reverse: putMissing(store, 'Appliances', reverse),
      audit: auditPut(store, await tools.auditContext(companyId), { gatewayId, row: String(reverse.sk) }),
    }));
};
