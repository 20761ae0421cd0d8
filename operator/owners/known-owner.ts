import { type AuditPosition, type AuditRow, type AuditScope, readAuditLog } from '../../lambdas/data/audit.ts';
import { listCompanies } from '../../lambdas/data/contracts/companies.ts';
import { readContracts } from '../../lambdas/data/contracts/contracts.ts';
import { ownersPrefix, toOwners } from '../../lambdas/data/contracts/grants.ts';
import { findGone } from '../../lambdas/data/feed/purge.ts';
import { queryPartition } from '../../lambdas/data/store/reads.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { entriesOf, findById } from '../../lambdas/domain/by-id.ts';
import { type Contract, gatewayIdsIn } from '../../lambdas/domain/contract.ts';
import { type FeedEvent, isWhole } from '../../lambdas/domain/feed-event.ts';
import { type KnownGrant, lastGrantOf } from '../../lambdas/domain/grant.ts';

/** Reads the contracts of an owner with all companies, sorted by company id, including unopened and erased ones. */
export const readContractsOf = async (store: Store, userId: string): Promise<Contract[]> => {
  const companies = await listCompanies(store);
  const contracts = await readContracts(
    store,
    companies.map(({ companyId }) => ({ companyId, userId })),
  );
  return contracts.sort((one, other) => (one.companyId < other.companyId ? -1 : 1));
};

/** A row of the audit log as it is stored, with its sort key. */
export type StoredChange = AuditRow & { readonly sk: string };

/** Reads all audit rows of a user or a gateway, the newest first. */
export const readChanges = async (store: Store, scope: AuditScope): Promise<StoredChange[]> => {
  const rows: StoredChange[] = [];
  for await (const page of readChangePages(store, scope)) rows.push(...page);
  return rows;
};

/** Like `readChanges`, page by page, for a scope with more rows than fit into memory, such as a company. */
export async function* readChangePages(store: Store, scope: AuditScope): AsyncGenerator<readonly StoredChange[]> {
  let after: AuditPosition | undefined;
  do {
    const page = await readAuditLog(store, scope, pageSize, after);
    yield page.rows as StoredChange[];
    after = page.next;
  } while (after);
}

const pageSize = 1000;

/** Returns the ids of all gateways that the owner has or had according to these contracts and changes. */
export const gatewayIdsOf = (contracts: readonly Contract[], changes: readonly AuditRow[]): string[] => [
  ...new Set([...contracts.flatMap(gatewayIdsIn), ...changes.flatMap(({ gatewayId }) => gatewayId ?? [])]),
];

/** The owner's grant of a gateway to a company. */
export type GrantAt = { readonly companyId: string; readonly gatewayId: string; readonly known: KnownGrant };

/** Reads the owner's grants, one per company, from the partition of a gateway. */
export const readGrantsOf = async (store: Store, userId: string, gatewayId: string): Promise<GrantAt[]> => {
  const { items } = await queryPartition(store, 'Appliances', { partition: gatewayId, prefix: ownersPrefix });
  return items.flatMap((row) => {
    const known = findById(toOwners(row), userId);
    return known ? [{ companyId: String(row.sk).slice(ownersPrefix.length), gatewayId, known }] : [];
  });
};

/** Whether another owner has granted a gateway, or was the last to grant it, to any company. */
export const belongsToAnother = async (store: Store, userId: string, gatewayId: string): Promise<boolean> => {
  const { items } = await queryPartition(store, 'Appliances', { partition: gatewayId, prefix: ownersPrefix });
  const [own, others] = [true, false].map((isOwn) =>
    items
      .flatMap((row) => entriesOf(toOwners(row)))
      .flatMap(([id, known]) => ((id === userId) === isOwn ? [known] : [])),
  ) as [KnownGrant[], KnownGrant[]];
  const last = (known: readonly KnownGrant[]) => Math.max(...known.map(lastGrantOf));
  return others.some(({ isGranted }) => isGranted) || last(others) > last(own);
};

/** Reads the events about an owner in a company's feed, the oldest first. */
export const readEventsOf = async (store: Store, companyId: string, userId: string): Promise<FeedEvent[]> => {
  const events: FeedEvent[] = [];
  const all = () => true;
  for await (const { gone } of findGone(store, { companyId, userIds: new Set([userId]) }, all))
    for (const { segment, ids } of gone)
      events.push(...segment.events.filter(isWhole).filter((event) => ids.has(event.id)));
  return events;
};
