import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { noConsent } from '../../domain/consent.ts';
import type { Contract, Parties } from '../../domain/contract.ts';
import { type AuditContext, auditPut, valuesBefore } from '../audit.ts';
import { batchGet } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { asSeen, transact, updateIfAsSeen } from '../store/writes.ts';
import { companyKey } from './companies.ts';

type Item = Record<string, unknown>;

/** Neither the ids of companies nor those of owners contain the separator. */
export const contractKey = ({ companyId, userId }: Parties) => ({ contractId: `${companyId}|${userId}` });

export const toContract = ({ contractId, listedFor, ...contract }: Item): Contract => contract as object as Contract;

/** Returns the existing contracts of these parties, in no particular order. */
export const readContracts = async (store: Store, parties: readonly Parties[]): Promise<Contract[]> => {
  if (parties.length === 0) return [];
  const table = store.tableName('Contracts');
  const items = await batchGet(store, { [table]: { Keys: parties.map(contractKey), ConsistentRead: true } });
  return items(table).map(toContract);
};

export const findContract = async (store: Store, parties: Parties): Promise<Contract | undefined> => {
  const command = { TableName: store.tableName('Contracts'), Key: contractKey(parties), ConsistentRead: true };
  const { Item } = await store.send(new GetCommand(command));
  return Item && toContract(Item);
};

/**
 * Returns a page of the contracts that a company has or had, in the order of their owners' ids; `after` is the last owner of
 * the previous page. It reads an index, so a contract that was opened or has ended a moment ago may be missing.
 */
export const readContractPage = async (store: Store, companyId: string, limit: number, after?: string) => {
  const { userIds, next } = await listOwners(store, companyId, limit, after);
  const contracts = await readContracts(
    store,
    userIds.map((userId) => ({ companyId, userId })),
  );
  return { contracts: contracts.sort((one, other) => (one.userId < other.userId ? -1 : 1)), next };
};

/** The states of the contracts that a company lists. An unopened one is not listed. */
const listedStates = ['active', 'ended'] as const;

/** Returns the partition of the index that lists the contracts of a company in one state. */
const listOf = (companyId: string, state: (typeof listedStates)[number]): string =>
  state === 'active' ? companyId : `${companyId}|${state}`;

/** Returns a page of the owners with whom a company has or had a contract, in the order of their ids. */
const listOwners = async (store: Store, companyId: string, limit: number, after?: string) => {
  // One more owner than the page shows tells a full last page from one that others follow.
  const lists = await Promise.all(
    listedStates.map((state) => readList(store, listOf(companyId, state), { companyId, limit: limit + 1, after })),
  );
  // The page ends with the list that has more: owners behind its end would be followed by owners that it has not returned yet.
  const [end] = lists.flatMap((list) => list.end ?? []).sort();
  // A contract whose state has just changed may be in both lists.
  const userIds = [...new Set(lists.flatMap((list) => list.userIds))].sort();
  const known = end === undefined ? userIds : userIds.filter((userId) => userId <= end);
  const page = known.slice(0, limit);
  return { userIds: page, next: known.length > limit ? page.at(-1) : end };
};

type ListPage = { readonly companyId: string; readonly limit: number; readonly after?: string | undefined };

/** Returns the owners on a page of one list. `end` is where the store ended it, if the list has more. */
const readList = async (store: Store, listedFor: string, { companyId, limit, after }: ListPage) => {
  const { Items = [], LastEvaluatedKey } = await store.send(
    new QueryCommand({
      TableName: store.tableName('Contracts'),
      IndexName: 'byCompany',
      KeyConditionExpression: 'listedFor = :list',
      ExpressionAttributeValues: { ':list': listedFor },
      Limit: limit,
      ...(after !== undefined && {
        ExclusiveStartKey: { ...contractKey({ companyId, userId: after }), listedFor, userId: after },
      }),
    }),
  );
  const end: string | undefined = LastEvaluatedKey?.userId;
  return { userIds: Items.map(({ userId }) => String(userId)), end };
};

/** Returns the contract of a company that has or had exactly one; `several` if it has or had more. */
export const findOnlyContract = async (store: Store, companyId: string): Promise<Contract | 'several' | undefined> => {
  const { userIds, next } = await listOwners(store, companyId, 2);
  const [userId, ...others] = userIds;
  if (others.length > 0 || next !== undefined) return 'several';
  return userId === undefined ? undefined : findContract(store, { companyId, userId });
};

/**
 * Whether all contracts of a company have ended, and there was one. Reads two keys at most, of an index, so a contract that was
 * opened or has ended a moment ago may count as before.
 */
export const hasLeft = async (store: Store, companyId: string): Promise<boolean> => {
  const hasOne = async (state: (typeof listedStates)[number]) =>
    (await readList(store, listOf(companyId, state), { companyId, limit: 1 })).userIds.length > 0;
  return !(await hasOne('active')) && (await hasOne('ended'));
};

/** The attribute by which the index lists a contract; an unopened one lacks it. */
const listing = ({ companyId, state }: Pick<Contract, 'companyId' | 'state'>) =>
  state === 'unopened' ? {} : { listedFor: listOf(companyId, state) };

export const toContractItem = (contract: Contract): Item => ({
  ...contractKey(contract),
  ...contract,
  ...listing(contract),
});

/** Creates or replaces the contract. */
export const putContract = async (store: Store, contract: Contract): Promise<void> => {
  await store.send(new PutCommand({ TableName: store.tableName('Contracts'), Item: toContractItem(contract) }));
};

/** The initial contract of parties that have none. */
export const unopenedContract = ({ companyId, userId }: Parties): Contract => ({
  companyId,
  userId,
  state: 'unopened',
  sinceMs: 0,
  stateChangedAtMs: null,
  stateClaimedAtMs: null,
  gateways: {},
  ...noConsent,
  erasedAtMs: null,
  removeAt: null,
});

/**
 * The key of the row that holds the time of an owner's erasure. It applies to all companies, including those that have no
 * contract with the owner yet or do not exist yet. No company has this id.
 */
export const erasureParties = (userId: string): Parties => ({ companyId: '*', userId });

/** A contract to decide on, and whether its company exists. */
type Decidable = { readonly contract: Contract; readonly hasCompany: boolean };

/** Returns the contract that was found, whose company exists, or else an unopened one. */
export const foundOrUnopened = async (
  store: Store,
  parties: Parties,
  found: Contract | undefined,
): Promise<Decidable> => (found ? { contract: found, hasCompany: true } : readUnopened(store, parties));

/** Returns an unopened contract for parties that have none, with the time of the owner's erasure. */
export const readUnopened = async (store: Store, parties: Parties): Promise<Decidable> => {
  const [companies, contracts] = [store.tableName('Companies'), store.tableName('Contracts')];
  const items = await batchGet(store, {
    [companies]: { Keys: [companyKey(parties.companyId)], ConsistentRead: true },
    [contracts]: { Keys: [contractKey(erasureParties(parties.userId))], ConsistentRead: true },
  });
  const [erasure] = items(contracts).map(toContract);
  return {
    contract: { ...unopenedContract(parties), erasedAtMs: erasure?.erasedAtMs ?? null },
    hasCompany: items(companies).length > 0,
  };
};

/**
 * The transaction items that create a contract. They fail if the contract exists, or if the owner was erased after
 * `readUnopened`. They do not check the company again: no company is ever deleted, and transactions on one company would be in
 * conflict while its owners are onboarded.
 */
export const newContractItems = (store: Store, contract: Contract) => ({
  erasure: {
    ConditionCheck: {
      TableName: store.tableName('Contracts'),
      Key: contractKey(erasureParties(contract.userId)),
      ...(contract.erasedAtMs === null
        ? { ConditionExpression: 'attribute_not_exists(contractId)' }
        : asSeen({ erasedAtMs: contract.erasedAtMs })),
    },
  },
  contract: {
    Put: {
      TableName: store.tableName('Contracts'),
      Item: toContractItem(contract),
      ConditionExpression: 'attribute_not_exists(contractId)',
    },
  },
});

/** Creates the contract that `readUnopened` returned, with a change. If the outcome is `overtaken`, read again. */
export const createContract = async (
  store: Store,
  auditContext: AuditContext,
  unopened: Contract,
  decided: ContractChange,
): Promise<{ readonly outcome: 'created' | 'overtaken' }> => {
  const failed = await transact(store, {
    ...newContractItems(store, { ...unopened, ...decided }),
    audit: auditPut(store, { ...auditContext, userId: unopened.userId }, { after: decided }),
  });
  return { outcome: failed ? 'overtaken' : 'created' };
};

/** Only `grants.ts` changes gateways. */
export type ContractChange = Partial<Omit<Contract, keyof Parties | 'gateways'>>;

export type ContractChangeOutcome =
  | { readonly outcome: 'changed' }
  /** Another write changed the contract since it was read; `current` is undefined if it was deleted. */
  | { readonly outcome: 'conflict'; readonly current: Contract | undefined };

/**
 * Changes a contract if it still is as it was read, and writes an audit row. Of two concurrent changes, one gets a conflict.
 */
export const changeContract = async (
  store: Store,
  auditContext: AuditContext,
  seen: Contract,
  change: ContractChange,
): Promise<ContractChangeOutcome> => {
  // No such change depends on gateways; the parties are the key.
  const { gateways: _, companyId: __, userId: ___, ...compared } = seen;
  const failed = await transact(store, {
    contract: updateIfAsSeen(store, 'Contracts', contractKey(seen), {
      seen: compared,
      change: { ...change, ...listing({ ...seen, ...change }) },
    }),
    audit: auditPut(
      store,
      { ...auditContext, userId: seen.userId },
      { before: valuesBefore(seen, change), after: change },
    ),
  });
  return failed ? { outcome: 'conflict', current: failed.old && toContract(failed.old) } : { outcome: 'changed' };
};
