import { GetCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Company } from '../../domain/company.ts';
import { type AuditContext, auditPut, valuesBefore } from '../audit.ts';
import { readAllPages } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { transact, updateIfAsSeen } from '../store/writes.ts';

type Item = Record<string, unknown>;

export const companyKey = (companyId: string) => ({ companyId });

export const toCompany = (item: Item): Company => item as object as Company;

export const findCompany = async (store: Store, companyId: string): Promise<Company | undefined> => {
  const command = { TableName: store.tableName('Companies'), Key: companyKey(companyId), ConsistentRead: true };
  const { Item } = await store.send(new GetCommand(command));
  return Item && toCompany(Item);
};

/** Returns all companies, in the order of their ids. Reads the whole table: not for functions. */
export const listCompanies = async (store: Store): Promise<Company[]> => {
  const TableName = store.tableName('Companies');
  const items = await readAllPages((after) =>
    store.send(new ScanCommand({ TableName, ConsistentRead: true, ExclusiveStartKey: after })),
  );
  return items.map(toCompany).sort((one, other) => (one.companyId < other.companyId ? -1 : 1));
};

/** Creates or replaces the company. */
export const putCompany = async (store: Store, company: Company): Promise<void> => {
  await store.send(new PutCommand({ TableName: store.tableName('Companies'), Item: company }));
};

export type CompanyChange = Partial<Omit<Company, 'companyId'>>;

export type CompanyChangeOutcome =
  | { readonly outcome: 'changed' }
  /** Another write changed the company since it was read; `current` is undefined if it was deleted. */
  | { readonly outcome: 'conflict'; readonly current: Company | undefined };

/** Changes a company if it still is as it was read, and writes an audit row. Of two concurrent changes, one gets a conflict. */
export const changeCompany = async (
  store: Store,
  auditContext: AuditContext,
  seen: Company,
  change: CompanyChange,
): Promise<CompanyChangeOutcome> => {
  const { companyId, ...compared } = seen;
  const failed = await transact(store, {
    company: updateIfAsSeen(store, 'Companies', companyKey(companyId), { seen: compared, change }),
    audit: auditPut(store, auditContext, { before: valuesBefore(seen, change), after: change }),
  });
  return failed ? { outcome: 'conflict', current: failed.old && toCompany(failed.old) } : { outcome: 'changed' };
};
