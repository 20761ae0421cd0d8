import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Contract } from '../../domain/contract.ts';
import { type AuditContext, auditPut, valuesBefore } from '../audit.ts';
import { batchGet } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { transact, updateIfAsSeen } from '../store/writes.ts';

type Item = Record<string, unknown>;

export const contractKey = (companyId: string) => ({ companyId, sk: 'CONTRACT' });

/** The attributes that rows from before them lack, and what they read as there. */
const laterAttributes = {
  gateways: {},
  acceptanceReceivedAtMs: null,
  consentedSinceMs: null,
  consentBeganAtMs: null,
  consentBeganClaimedAtMs: null,
  consentChangedAtMs: null,
  consentClaimedAtMs: null,
} satisfies Partial<Contract>;

export const toContract = ({ sk, ...contract }: Item): Contract =>
  ({ ...laterAttributes, ...contract }) as object as Contract;

/** DynamoDB gives at most this many items in one batch. */
const batchSize = 100;

/** The contracts of those companies that have one. Throws StoreUnavailableError. */
export const readContracts = async (store: Store, companyIds: readonly string[]): Promise<Contract[]> => {
  const contracts: Contract[] = [];
  for (let start = 0; start < companyIds.length; start += batchSize) {
    const Keys = companyIds.slice(start, start + batchSize).map(contractKey);
    const items = await batchGet(store, { [store.tableName('Contracts')]: { Keys, ConsistentRead: true } });
    contracts.push(...items(store.tableName('Contracts')).map(toContract));
  }
  return contracts;
};

export const findContract = async (store: Store, companyId: string): Promise<Contract | undefined> => {
  const command = { TableName: store.tableName('Contracts'), Key: contractKey(companyId), ConsistentRead: true };
  const { Item } = await store.send(new GetCommand(command));
  return Item && toContract(Item);
};

export const toContractItem = (contract: Contract): Item => ({ ...contractKey(contract.companyId), ...contract });

/** Creates or replaces the contract of its company. */
export const putContract = async (store: Store, contract: Contract): Promise<void> => {
  await store.send(new PutCommand({ TableName: store.tableName('Contracts'), Item: toContractItem(contract) }));
};

/** Of the gateways, grants tell. */
export type ContractChange = Partial<Omit<Contract, 'companyId' | 'gateways'>>;

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
  const { gateways, ...others } = seen;
  // Gateways are those of the owner: another one has to be without any. Whatever else is changed does not rest on them.
  const compared = 'userId' in change ? seen : others;
  const failed = await transact(store, {
    contract: updateIfAsSeen(store, 'Contracts', contractKey(seen.companyId), {
      seen: compared,
      laterAttributes,
      change,
    }),
    audit: auditPut(store, auditContext, { before: valuesBefore(seen, change), after: change }),
  });
  return failed ? { outcome: 'conflict', current: failed.old && toContract(failed.old) } : { outcome: 'changed' };
};
