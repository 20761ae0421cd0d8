import { isDeepStrictEqual } from 'node:util';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { gatewayItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { daysByMonth } from '../../lambdas/data/appliances/energy.ts';
import { hoursByDay } from '../../lambdas/data/appliances/hourly-energy.ts';
import {
  inventoryIsUnchanged,
  inventoryItemKey,
  putInventory,
  readInventory,
  type StoredInventory,
} from '../../lambdas/data/appliances/inventory.ts';
import { measurementsItemKey } from '../../lambdas/data/appliances/measurements.ts';
import type { AnyPartsItem, PartsKind } from '../../lambdas/data/appliances/parts-items.ts';
import { erasureParties, readContracts } from '../../lambdas/data/contracts/contracts.ts';
import { ownersWithExpiry } from '../../lambdas/data/contracts/erasure.ts';
import { ownersPrefix, toOwners } from '../../lambdas/data/contracts/grants.ts';
import type { TransactItem } from '../../lambdas/data/store/writes.ts';
import type { Shadow } from '../../lambdas/domain/appliance.ts';
import { entriesOf, idsOf } from '../../lambdas/domain/by-id.ts';
import { grantIn, isBeforeErasure } from '../../lambdas/domain/contract.ts';
import {
  absentAt,
  described,
  factsSince,
  type Inventory,
  isRemoved,
  removed,
  type StoredFacts,
  withEarlier,
} from '../../lambdas/domain/gateway.ts';
import { withoutErased, withRevoked } from '../../lambdas/domain/grant.ts';
import {
  type CopyTools,
  type DecideOnRow,
  type Item,
  notCopied,
  putBack,
  putInPlaceOf,
  putMissing,
  same,
} from './row-copy.ts';

/**
 * The rule of Appliances. Existing rows, and existing days and hours of energy, are kept, since gateways report without an
 * audit row. Measurements are not put back, because gateways report them again within minutes.
 */
export const decideOnAppliance: DecideOnRow = async (tools, { restored, own }) => {
  const energy = energyKinds.find(({ prefix }) => String(restored.sk).startsWith(prefix));
  if (energy) return lostParts(tools, energy, restored, own);
  if (own && isInventory(restored)) return changedInventory(tools, restored, own);
  if (own || restored.sk === measurementsItemKey('').sk) return same;
  if (String(restored.sk).startsWith(ownersPrefix)) return lostOwners(tools, restored);
  return isInventory(restored) ? lostInventory(tools, restored) : lostItem(tools, restored);
};

const energyKinds = [daysByMonth, hoursByDay] as readonly PartsKind[];

/** Whether a row of Appliances is the inventory, which decides whether the other rows of its gateway are put back. */
export const isInventory = ({ sk }: Item): boolean => sk === inventoryItemKey('').sk;

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
  const isRemovedSince = inventory
    ? isGone(inventory, restored as Item & Shadow & Described)
    : Number(restored.reportedAtMs) <= (await removedAtMsOf(tools, gatewayId));
  if (isRemovedSince) return notCopied(`${String(restored.sk)} of gateway ${gatewayId}`, 'removed since');
  const row = inventory && restored.sk === gatewayItemKey('').sk ? sinceRemoval(restored, inventory) : restored;
  return putBackAppliance(tools, row, { inventory: inventoryIsUnchanged(tools.store, gatewayId, inventory) });
};

/**
 * Puts back an inventory with the later removal and description that the row of the gateway has. It is missing, so a concurrent
 * one creates it.
 */
const lostInventory = async (tools: CopyTools, restored: Item): ReturnType<DecideOnRow> => {
  const gateway = await readGateway(tools, String(restored.gatewayId));
  if (!gateway) return putBackAppliance(tools, restored);
  const { removeAt: _, ...lasting } = restored;
  const after = removed(lasting as Item & Inventory, Number(gateway.removedAtMs));
  // Circuits that exist stay. Of others, reports from before the description do not count.
  const now = isRemoved(after) ? described(after, [], Number(gateway.describedAtMs)) : after;
  return putBackAppliance(tools, { ...lasting, ...now });
};

/**
 * Adds the removals, absences and versions of the restored inventory to an inventory that the first description after a loss has
 * created. The row of the gateway gets the removal as well.
 */
const changedInventory = async (tools: CopyTools, restored: Item, own: Item): ReturnType<DecideOnRow> => {
  const [known, gatewayId] = [own as Item & StoredInventory, String(own.gatewayId)];
  const next = withEarlier(known, restored as Item & Inventory);
  if (isDeepStrictEqual(next, known)) return same;
  if (isRemoved(next) && !isRemoved(known))
    return notCopied(
      `the inventory of gateway ${gatewayId}`,
      'described as before its removal, which has to be sent again',
    );
  const gateway = await readGateway(tools, gatewayId);
  const left = gateway && sinceRemoval(gateway, next);
  return putBack(tools, {
    subject: tools.stackName,
    onRecord: { gatewayId, row: String(own.sk) },
    items: {
      row: putInventory(tools.store, gatewayId, next, known),
      ...(gateway && left !== gateway && { gateway: putInPlaceOf(tools.store, 'Appliances', { ...left }, gateway) }),
    },
  });
};

const readGateway = async ({ store }: CopyTools, gatewayId: string): Promise<Item | undefined> => {
  const command = { TableName: store.tableName('Appliances'), Key: gatewayItemKey(gatewayId), ConsistentRead: true };
  return (await store.send(new GetCommand(command))).Item;
};

/** When a gateway whose inventory is lost was removed, according to its own row: it may be copied before the inventory. */
const removedAtMsOf = async (tools: CopyTools, gatewayId: string): Promise<number> =>
  Number((await readGateway(tools, gatewayId))?.removedAtMs ?? 0);

type Described = { readonly describedAtMs: number };

/** Whether an item was removed since. If a later report creates it again, its versions continue after the last known one. */
const isGone = (inventory: Inventory, { sk, describedAtMs, reportedAtMs }: Item & Shadow & Described): boolean => {
  if (isRemoved(inventory)) return true;
  if (sk === gatewayItemKey('').sk) return describedAtMs <= inventory.removedAtMs;
  return reportedAtMs <= absentAt(inventory, String(sk));
};

/** Returns a gateway without its facts from before its last removal, which may have arrived after its next description. */
const sinceRemoval = (gateway: Item, { removedAtMs }: Inventory): Item =>
  removedAtMs > Number(gateway.removedAtMs)
    ? { ...gateway, removedAtMs, facts: factsSince(gateway.facts as StoredFacts, removedAtMs) }
    : gateway;

/**
 * Puts back the missing days of a month, or hours of a day, unless a later report says that the gateway was removed. After a
 * loss, the first report creates a new item without the earlier ones.
 */
const lostParts = async (
  tools: CopyTools,
  { parts, atMsOf }: PartsKind,
  restored: Item,
  own: Item | undefined,
): ReturnType<DecideOnRow> => {
  const { gatewayId, sk, removedAtMs: appliedAtMs } = restored as Item & AnyPartsItem;
  const inventory = await readInventory(tools.store, gatewayId);
  const removedAtMs = Math.max(appliedAtMs, inventory ? inventory.removedAtMs : await removedAtMsOf(tools, gatewayId));
  const kept = own?.[parts] as object | undefined;
  const isLost = ([name, part]: [string, unknown]) => !Object.hasOwn({ ...kept }, name) && atMsOf(part) > removedAtMs;
  const lost = Object.fromEntries(Object.entries(restored[parts] as object).filter(isLost));
  if (own && Object.keys(lost).length === 0) return same;
  if ((inventory && isRemoved(inventory)) || Object.keys(lost).length === 0)
    return notCopied(`${sk} of gateway ${gatewayId}`, 'removed since');
  const checks = { inventory: inventoryIsUnchanged(tools.store, gatewayId, inventory) };
  if (!own) return putBackAppliance(tools, { ...restored, [parts]: lost, removedAtMs }, checks);
  const row = putInPlaceOf(tools.store, 'Appliances', { ...own, [parts]: { ...kept, ...lost } }, own);
  return putBack(tools, { subject: tools.stackName, onRecord: { gatewayId, row: sk }, items: { ...checks, row } });
};

/**
 * Puts back the owners of a gateway, as granted only if the current contract covers the gateway: otherwise it was revoked, or
 * its owner has another contract. Leaves out the ids of owners who were erased.
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
