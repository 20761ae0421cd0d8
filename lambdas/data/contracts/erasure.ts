import { findById, idsOf } from '../../domain/by-id.ts';
import { type Contract, isBeforeErasure, lateUntil } from '../../domain/contract.ts';
import { type GatewayOwners, onlyErased, withoutErased } from '../../domain/grant.ts';
import { type AuditContext, auditPut } from '../audit.ts';
import { queryPartition } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { asSeen, type TransactItem, transact } from '../store/writes.ts';
import { erasureParties, toContractItem, unopenedContract } from './contracts.ts';
import { ownersKey, ownersPrefix, toOwners } from './grants.ts';

/**
 * The time of an erasure, and the time until which a row has to keep it. On a contract, they also block late events of the
 * erased owner.
 */
export const erasureTimes = (erasedAtMs: number) => ({ erasedAtMs, removeAt: lateUntil(erasedAtMs) });

/**
 * The transaction item that stores the time of an erasure for companies that have no contract with the owner. It fails if a
 * later erasure is stored. From then on, earlier events of the owner create no contract.
 */
export const putErasure = (store: Store, userId: string, erasedAtMs: number): TransactItem => ({
  Put: {
    TableName: store.tableName('Contracts'),
    Item: toContractItem({ ...unopenedContract(erasureParties(userId)), ...erasureTimes(erasedAtMs) }),
    ConditionExpression: 'attribute_not_exists(contractId) OR erasedAtMs <= :erasedAtMs',
    ExpressionAttributeValues: { ':erasedAtMs': erasedAtMs },
  },
});

/**
 * Replaces an ended contract that covers no gateway with the time of its erasure, which the index does not list, until no
 * earlier event can arrive. Resolves to false if the contract has changed since it was read.
 */
export const eraseContract = async (store: Store, auditContext: AuditContext, seen: Contract): Promise<boolean> => {
  const { companyId, userId, ...compared } = seen;
  const erased = {
    ...unopenedContract({ companyId, userId }),
    // A concurrent run may have stored a later time, which must not decrease.
    ...erasureTimes(seen.erasedAtMs ?? auditContext.nowMs),
  };
  const failed = await transact(store, {
    contract: {
      Put: {
        TableName: store.tableName('Contracts'),
        Item: toContractItem(erased),
        ...asSeen({ ...compared, gateways: {} }),
      },
    },
    audit: auditPut(store, auditContext, { after: { state: 'erased' } }),
  });
  return failed === undefined;
};

type Forgotten = { readonly userId: string; readonly gatewayId: string; readonly erasedAtMs: number };

/**
 * Removes from a gateway's partition the grants that an owner made before an erasure, at all companies. Resolves to the number
 * of rows with such a grant, or to 'conflict' if one was changed concurrently.
 */
export const forgetOwner = async (
  store: Store,
  auditContext: AuditContext,
  { userId, gatewayId, erasedAtMs }: Forgotten,
): Promise<number | 'conflict'> => {
  const { items } = await queryPartition(store, 'Appliances', { partition: gatewayId, prefix: ownersPrefix });
  const theirs = items.filter((row) => {
    const known = findById(toOwners(row), userId);
    return known && isBeforeErasure({ erasedAtMs }, known);
  });
  for (const row of theirs) {
    const companyId = String(row.sk).slice(ownersPrefix.length);
    const owners = withoutErased(toOwners(row), userId);
    const failed = await transact(store, {
      owners: ownersItem(store, ownersKey(companyId, gatewayId), { seen: row.owners, owners }),
      audit: auditPut(store, { ...auditContext, companyId }, { gatewayId, row: String(row.sk) }),
    });
    if (failed) return 'conflict';
  }
  return theirs.length;
};

/** Deletes a row that would have no owners left: an empty row would fail the next grant's condition. */
const ownersItem = (
  store: Store,
  Key: ReturnType<typeof ownersKey>,
  { seen, owners }: { readonly seen: unknown; readonly owners: GatewayOwners },
): TransactItem => {
  const table = { TableName: store.tableName('Appliances') };
  const isAsSeen = { ConditionExpression: 'owners = :seen', ExpressionAttributeValues: { ':seen': seen } };
  return idsOf(owners).length > 0
    ? { Put: { ...table, Item: { ...Key, ...ownersWithExpiry(owners) }, ...isAsSeen } }
    : { Delete: { ...table, Key, ...isAsSeen } };
};

/** The owners of a gateway. If all of them were erased, the row expires when no grant from before theirs can arrive. */
export const ownersWithExpiry = (owners: GatewayOwners) => {
  const erased = onlyErased(owners);
  return { owners, ...(erased && { removeAt: lateUntil(erased.claimedAtMs) }) };
};
