import { isDeepStrictEqual } from 'node:util';
import type { Contract } from '../../domain/contract.ts';
import { type AuditContext, auditPut } from '../audit/audit-log.ts';
import type { Store } from '../store/store.ts';
import { type TransactItem, transact } from '../store/transaction.ts';
import { contractKey, laterAttributes, toContract } from './contracts.ts';

export type ContractChange = Partial<Omit<Contract, 'companyId'>>;

export type ContractChangeOutcome =
  | { readonly outcome: 'changed' }
  /** Somebody else changed it since it was read; undefined if it is gone. */
  | { readonly outcome: 'conflict'; readonly current: Contract | undefined };

/**
 * Changes a contract as it was seen, with its audit row: of two who change it at once, one is told of the conflict. Throws
 * StoreUnavailableError.
 */
export const changeContract = async (
  store: Store,
  auditContext: AuditContext,
  seen: Contract,
  change: ContractChange,
): Promise<ContractChangeOutcome> => {
  const before = Object.fromEntries(Object.keys(change).map((name) => [name, seen[name as keyof Contract]]));
  const failed = await transact(store, {
    contract: updateIfAsSeen(store, seen, change),
    audit: auditPut(store, auditContext, { before, after: change }),
  });
  return failed ? { outcome: 'conflict', current: failed.old && toContract(failed.old) } : { outcome: 'changed' };
};

/** The part of a transaction that holds only for a company that has a contract. */
export const contractExists = (store: Store, companyId: string): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('Contracts'),
    Key: contractKey(companyId),
    ConditionExpression: 'attribute_exists(sk)',
  },
});

/** All of its attributes are compared, whichever change: what is decided on one may rest on another. */
const updateIfAsSeen = (store: Store, seen: Contract, change: ContractChange): TransactItem => {
  const changed = Object.entries(change);
  const compared = Object.entries(seen);
  return {
    Update: {
      TableName: store.tableName('Contracts'),
      Key: contractKey(seen.companyId),
      UpdateExpression: `SET ${changed.map((_, index) => `#set${index} = :set${index}`).join(', ')}`,
      ConditionExpression: compared.map(([name, value], index) => isAsSeen(name, value, index)).join(' AND '),
      ExpressionAttributeNames: Object.fromEntries([
        ...changed.map(([name], index) => [`#set${index}`, name]),
        ...compared.map(([name], index) => [`#seen${index}`, name]),
      ]),
      ExpressionAttributeValues: Object.fromEntries([
        ...changed.map(([, value], index) => [`:set${index}`, value]),
        ...compared.map(([, value], index) => [`:seen${index}`, value]),
      ]),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
};

/** An attribute that reads as if it were lacking may be, and is not the same as one that somebody has set meanwhile. */
const isAsSeen = (name: string, value: unknown, index: number): string =>
  name in laterAttributes && isDeepStrictEqual(value, laterAttributes[name as keyof typeof laterAttributes])
    ? `(attribute_not_exists(#seen${index}) OR #seen${index} = :seen${index})`
    : `#seen${index} = :seen${index}`;
