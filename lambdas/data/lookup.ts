import type { KeyIdentity, StoredApiKey } from '../domain/api-key.ts';
import type { Company } from '../domain/company.ts';
import type { Contract } from '../domain/contract.ts';
import { keyItemKey, toStoredApiKey } from './api-keys/api-keys.ts';
import type { ApplianceItemKey } from './appliances/appliances.ts';
import { companyKey, toCompany } from './contracts/companies.ts';
import { contractKey, toContract } from './contracts/contracts.ts';
import { batchGet } from './store/reads.ts';
import type { Store } from './store/store.ts';

/** What to read for a request; undefined properties are not read. */
export type LookupQuery = {
  readonly companyId: string;
  /** The owner whose contract the request is about. */
  readonly userId: string | undefined;
  readonly key: KeyIdentity | undefined;
  readonly bucketId: string | undefined;
  readonly preloads: Preloads | undefined;
};

/** Items of the Appliances table that an endpoint needs as well, by the names that it has for them. */
export type Preloads = Readonly<Record<string, ApplianceItemKey>>;

/** The preloaded items that exist. */
export type Preloaded = Readonly<Record<string, Record<string, unknown>>>;

/** All that the checks of a request need. */
export type Lookup = {
  readonly key: StoredApiKey | undefined;
  readonly company: Company | undefined;
  readonly contract: Contract | undefined;
  /** The arrival time of the request's token bucket, possibly stale; 0 if it has no record or was not requested. */
  readonly bucketArrivalMs: number;
  readonly preloaded: Preloaded | undefined;
};

/**
 * Reads all items of a lookup in one round trip. All but the bucket are read strongly consistent, so that the next request is
 * refused for a deleted key, a suspended company or a withdrawn gateway; the bucket may be stale (see `consumeToken`).
 */
export const readLookup = async (store: Store, query: LookupQuery): Promise<Lookup> => {
  const { companyId, userId, key: keyIdentity, bucketId, preloads } = query;
  const items = await batchGet(store, {
    ...(keyIdentity && { [store.tableName('ApiKeys')]: { Keys: [keyItemKey(keyIdentity)], ConsistentRead: true } }),
    [store.tableName('Companies')]: { Keys: [companyKey(companyId)], ConsistentRead: true },
    ...(userId !== undefined && {
      [store.tableName('Contracts')]: { Keys: [contractKey({ companyId, userId })], ConsistentRead: true },
    }),
    ...(bucketId && { [store.tableName('TokenBuckets')]: { Keys: [{ bucketId }] } }),
    ...(preloads && applianceRequest(store, preloads)),
  });

  const [key] = items(store.tableName('ApiKeys'));
  const [company] = items(store.tableName('Companies'));
  const [contract] = userId === undefined ? [] : items(store.tableName('Contracts'));
  const [bucket] = items(store.tableName('TokenBuckets'));
  return {
    key: key && toStoredApiKey(key),
    company: company && toCompany(company),
    contract: openedOnly(contract && toContract(contract)),
    bucketArrivalMs: Number(bucket?.tat ?? 0),
    preloaded: preloads && byName(preloads, items(store.tableName('Appliances'))),
  };
};

/** An unopened contract counts as absent. */
const openedOnly = (contract: Contract | undefined): Contract | undefined =>
  contract?.state === 'unopened' ? undefined : contract;

/** Reads preloads in a request of their own, strongly consistent. */
export const readPreloads = async (store: Store, preloads: Preloads): Promise<Preloaded> => {
  const items = await batchGet(store, applianceRequest(store, preloads));
  return byName(preloads, items(store.tableName('Appliances')));
};

const applianceRequest = (store: Store, preloads: Preloads) => ({
  [store.tableName('Appliances')]: { Keys: Object.values(preloads), ConsistentRead: true },
});

const byName = (preloads: Preloads, items: readonly Record<string, unknown>[]): Preloaded =>
  Object.fromEntries(
    Object.entries(preloads).flatMap(([name, { sk }]) => {
      const item = items.find((each) => each.sk === sk);
      return item ? [[name, item]] : [];
    }),
  );
