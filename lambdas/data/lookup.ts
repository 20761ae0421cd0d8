import type { ApiKeyRecord } from '../domain/api-keys/api-key.ts';
import type { Contract } from '../domain/contract.ts';
import { keyItemKey, toApiKeyRecord } from './api-keys/api-keys.ts';
import type { ApplianceItemKey } from './appliances/appliances.ts';
import { contractKey, grantKey, toContract } from './contracts/contracts.ts';
import { batchGet } from './store/batch-get.ts';
import type { Store } from './store/store.ts';

/** What is to be read for a request. */
export type LookupQuery = {
  readonly companyId: string;
  readonly keyId: string;
  readonly bucketId: string;
  /** The gateway that the path names, if it names one. */
  readonly gatewayId?: string | undefined;
  /** Items of the Appliances table that the endpoint wants brought along, by the names that it has for them. */
  readonly preloads: Readonly<Record<string, ApplianceItemKey>>;
};

/** All that the checks of a request have to know, as of one moment. */
export type Lookup = {
  readonly key: ApiKeyRecord | undefined;
  readonly contract: Contract | undefined;
  /** Whether the contract covers the gateway that the path names. */
  readonly isGatewayGranted: boolean;
  /** The arrival time of the request's token bucket, possibly stale; 0 if it has no record. */
  readonly bucketArrivalMs: number;
  /** The items that exist, by the names that the endpoint has for them. */
  readonly preloaded: Readonly<Record<string, Record<string, unknown>>>;
};

/**
 * Reads it in one round trip. All but the bucket is read consistently, so that a deleted key, a suspended company and a
 * withdrawn gateway are refused by the next request; the bucket need not be (see `consumeToken`).
 * Throws StoreUnavailableError.
 */
export const readLookup = async (store: Store, query: LookupQuery): Promise<Lookup> => {
  const { companyId, keyId, bucketId, gatewayId, preloads } = query;
  const contractKeys = [contractKey(companyId), ...(gatewayId === undefined ? [] : [grantKey(companyId, gatewayId)])];
  const applianceKeys = Object.values(preloads);
  const items = await batchGet(store, {
    [store.tableName('ApiKeys')]: { Keys: [keyItemKey(companyId, keyId)], ConsistentRead: true },
    [store.tableName('Contracts')]: { Keys: contractKeys, ConsistentRead: true },
    [store.tableName('TokenBuckets')]: { Keys: [{ bucketId }] },
    ...(applianceKeys.length > 0 && { [store.tableName('Appliances')]: { Keys: applianceKeys, ConsistentRead: true } }),
  });

  const [key] = items(store.tableName('ApiKeys'));
  const [contract, grant] = contractKeys.map(({ sk }) =>
    items(store.tableName('Contracts')).find((item) => item.sk === sk),
  );
  const [bucket] = items(store.tableName('TokenBuckets'));
  const preloaded = Object.entries(preloads).flatMap(([name, { sk }]) => {
    const item = items(store.tableName('Appliances')).find((each) => each.sk === sk);
    return item ? [[name, item]] : [];
  });
  return {
    key: key && toApiKeyRecord(key),
    contract: contract && toContract(contract),
    isGatewayGranted: grant !== undefined,
    bucketArrivalMs: Number(bucket?.tat ?? 0),
    preloaded: Object.fromEntries(preloaded),
  };
};
