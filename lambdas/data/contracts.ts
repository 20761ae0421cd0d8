import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Contract } from '../domain/contract.ts';
import { tableName } from './environment.ts';
import type { Store } from './store.ts';

type Item = Record<string, unknown>;

export const contractKey = (companyId: string) => ({ companyId, sk: 'CONTRACT' });

export const toContract = ({ sk, ...contract }: Item): Contract => contract as Contract;

/** Creates or replaces the contract of its company. */
export const putContract = async (store: Store, contract: Contract): Promise<void> => {
  const item = { ...contractKey(contract.companyId), ...contract };
  await store.send(new PutCommand({ TableName: tableName('Contracts'), Item: item }));
};
