import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { grantKey } from '../../lambdas/data/contracts/contracts.ts';
import { grantGuardKey, reverseGrantKey } from '../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../lambdas/data/store/store.ts';

/** The times in the three rows of a grant; undefined where there is no row. */
export const readGrantRows = async (store: Store, companyId: string, gatewayId: string) => {
  const read = async (table: 'Appliances' | 'Contracts', Key: Record<string, string>) =>
    (await store.send(new GetCommand({ TableName: store.tableName(table), Key, ConsistentRead: true }))).Item;
  const [grant, reverse, guard] = await Promise.all([
    read('Contracts', grantKey(companyId, gatewayId)),
    read('Appliances', reverseGrantKey(companyId, gatewayId)),
    read('Contracts', grantGuardKey(companyId, gatewayId)),
  ]);
  return { grantedAtMs: grant?.grantedAtMs, reverseAtMs: reverse?.grantedAtMs, changedAtMs: guard?.changedAtMs };
};
