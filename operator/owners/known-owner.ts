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

/** The contracts of an owner with all companies, in their order, those included that are not opened or whose owner was erased. */
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

/** All that is on record of a user, or of a gateway, the last first. */
export const readChanges = async (store: Store, scope: AuditScope): Promise<StoredChange[]> => {
  const rows: StoredChange[] = [];
  for await (const page of readChangePages(store, scope)) rows.push(...page);
  return rows;
};

/** The same page by page, for a scope that may have more rows than fit into memory, such as a company. */
export async function* readChangePages(store: Store, scope: AuditScope): AsyncGenerator<readonly StoredChange[]> {
  let after: AuditPosition | undefined;
  do {
    const page = await readAuditLog(store, scope, pageSize, after);
    yield page.rows as StoredChange[];
    after = page.next;
  } while (after);
}

const pageSize = 1000;

/** The ids of all gateways that the owner has or had, as far as contracts and changes tell. */
export const gatewayIdsOf = (contracts: readonly Contract[], changes: readonly AuditRow[]): string[] => [
  ...new Set([...contracts.flatMap(gatewayIdsIn), ...changes.flatMap(({ gatewayId }) => gatewayId ?? [])]),
];

/** What a company knows of the owner's grant of a gateway. */
export type GrantAt = { readonly companyId: string; readonly gatewayId: string; readonly known: KnownGrant };

/** What the partition of a gateway tells of the owner, by company. */
export const readGrantsOf = async (store: Store, userId: string, gatewayId: string): Promise<GrantAt[]> => {
  const { items } = await queryPartition(store, 'Appliances', gatewayId, ownersPrefix);
  return items.flatMap((row) => {
    const known = findById(toOwners(row), userId);
    return known ? [{ companyId: String(row.sk).slice(ownersPrefix.length), gatewayId, known }] : [];
  });
};

/** Whether a gateway is another owner's by now: one who has granted it, or was the last who had, at whichever company. */
export const isOfAnother = async (store: Store, userId: string, gatewayId: string): Promise<boolean> => {
  const { items } = await queryPartition(store, 'Appliances', gatewayId, ownersPrefix);
  const [own, others] = [true, false].map((isOwn) =>
    items
      .flatMap((row) => entriesOf(toOwners(row)))
      .flatMap(([id, known]) => ((id === userId) === isOwn ? [known] : [])),
  ) as [KnownGrant[], KnownGrant[]];
  const last = (known: readonly KnownGrant[]) => Math.max(...known.map(lastGrantOf));
  return others.some(({ isGranted }) => isGranted) || last(others) > last(own);
};

/** The events in the rows of a company's feed that tell of the owner, the oldest first. */
export const readEventsOf = async (store: Store, companyId: string, userId: string): Promise<FeedEvent[]> => {
  const events: FeedEvent[] = [];
  const all = () => true;
  for await (const { gone } of findGone(store, { companyId, userIds: new Set([userId]) }, all))
    for (const { segment, ids } of gone)
      events.push(...segment.events.filter(isWhole).filter((event) => ids.has(event.id)));
  return events;
};
