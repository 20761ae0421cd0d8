import { GetCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Contract } from '../../domain/contract.ts';
import { readAllPages } from '../store/all-pages.ts';
import { batchGet } from '../store/batch-get.ts';
import { queryPartition } from '../store/partition-query.ts';
import type { Store } from '../store/store.ts';

type Item = Record<string, unknown>;

export const contractKey = (companyId: string) => ({ companyId, sk: 'CONTRACT' });

export const grantKey = (companyId: string, gatewayId: string) => ({ companyId, sk: `${grantPrefix}${gatewayId}` });

export const grantPrefix = 'GATEWAY#';

/** The attributes that rows from before them lack, and what they read as there. */
export const laterAttributes = {
  webhookHosts: [],
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

/** All contracts, in the order of their companies' ids. Reads the whole table: not for functions. */
export const listContracts = async (store: Store): Promise<Contract[]> => {
  const items = await readAllPages((after) =>
    store.send(
      new ScanCommand({
        TableName: store.tableName('Contracts'),
        ConsistentRead: true,
        FilterExpression: 'sk = :contract',
        ExpressionAttributeValues: { ':contract': contractKey('').sk },
        ExclusiveStartKey: after,
      }),
    ),
  );
  return items.map(toContract).sort((one, other) => (one.companyId < other.companyId ? -1 : 1));
};

/** A page of the ids of the gateways that the contract covers; `after` is the last one of the page before. */
export const listGrantedGatewayIds = async (store: Store, companyId: string, limit: number, after?: string) => {
  const page = { limit, after: after === undefined ? undefined : grantKey(companyId, after) };
  const { items, hasMore } = await queryPartition(store, 'Contracts', companyId, grantPrefix, page);
  const gatewayIds = items.map(({ sk }) => String(sk).slice(grantPrefix.length));
  return { gatewayIds, next: hasMore ? gatewayIds.at(-1) : undefined };
};

export const toContractItem = (contract: Contract): Item => ({ ...contractKey(contract.companyId), ...contract });

/** Creates or replaces the contract of its company. */
export const putContract = async (store: Store, contract: Contract): Promise<void> => {
  await store.send(new PutCommand({ TableName: store.tableName('Contracts'), Item: toContractItem(contract) }));
};
