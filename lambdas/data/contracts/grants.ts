import type { Contract } from '../../domain/contract.ts';
import {
  changedGrant,
  type DecidedGrant,
  type GatewayOwners,
  type GrantChange,
  granterOf,
  grantOf,
} from '../../domain/grant.ts';
import { timesOf } from '../../domain/permission.ts';
import { type AuditContext, auditPut } from '../audit.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import { batchGet, queryPartition } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { type TransactItem, transact } from '../store/writes.ts';
import { contractKey, toContract } from './contracts.ts';

export const ownersPrefix = 'COMPANY#';

/** The row in the partition of a gateway that tells who of a company's owners has granted it; it stays when nobody has. */
export const ownersKey = (companyId: string, gatewayId: string) => ({ gatewayId, sk: `${ownersPrefix}${companyId}` });

export type GrantOutcome = {
  readonly outcome: 'applied' | 'noted' | 'stale' | 'contract-not-found' | 'foreign-user';
};

type GrantEvent = GrantChange & {
  readonly gatewayId: string;
  /** When it came to this service; at the time of the audit context unless another is given. */
  readonly arrivedAtMs?: number;
};

/**
 * Grants or revokes a gateway as of the time of the audit context, under the contract of a user. Throws
 * StoreUnavailableError.
 */
export const applyGrant = async (
  store: Store,
  auditContext: AuditContext,
  { gatewayId, arrivedAtMs, ...change }: GrantEvent,
): Promise<GrantOutcome> => {
  const times = timesOf({ ...auditContext, arrivedAtMs });
  const { contract, ownersOf } = await readGrants(store, auditContext.companyId, [gatewayId]);
  if (!contract) return { outcome: 'contract-not-found' };
  if (contract.userId !== change.userId) return { outcome: 'foreign-user' };
  // An attempt that fails has met another change of the grant.
  return retryingFrom(ownersOf(gatewayId), { to: 'change a grant', atMost: 5 }, async (seen) => {
    const decided = changedGrant(seen, change, times);
    if (!decided) return { outcome: 'stale' };
    const failed = await transact(store, grantItems(store, auditContext, contract, [{ gatewayId, seen, ...decided }]));
    if (!failed) return { outcome: decided.outcome };
    if (failed.name === 'contract') return { outcome: failed.old ? 'foreign-user' : 'contract-not-found' };
    return again(toOwners(failed.old));
  });
};

/** A transaction takes 100 items: the contract, and two for each gateway. */
export const maxGrantsAtOnce = Math.floor((100 - 1) / 2);

/** The contract of a company, and what is known of up to 99 gateways, as of one moment. Throws StoreUnavailableError. */
export const readGrants = async (store: Store, companyId: string, gatewayIds: readonly string[]) => {
  const [contracts, appliances] = [store.tableName('Contracts'), store.tableName('Appliances')];
  const items = await batchGet(store, {
    [contracts]: { Keys: [contractKey(companyId)], ConsistentRead: true },
    ...(gatewayIds.length > 0 && {
      [appliances]: { Keys: gatewayIds.map((gatewayId) => ownersKey(companyId, gatewayId)), ConsistentRead: true },
    }),
  });
  const [contract] = items(contracts);
  const rows = new Map(items(appliances).map((row) => [String(row.gatewayId), toOwners(row)]));
  return {
    contract: contract && toContract(contract),
    ownersOf: (gatewayId: string): GatewayOwners => rows.get(gatewayId) ?? {},
  };
};

type Row = Readonly<Record<string, unknown>>;

export const toOwners = (row: Row | undefined): GatewayOwners => (row?.owners ?? {}) as GatewayOwners;

/** What is decided on a gateway, and what was known of it then. */
export type DecidedOnSeen = DecidedGrant & { readonly gatewayId: string; readonly seen: GatewayOwners };

/**
 * The transaction that makes decided changes of a contract's grants, and puts them on record: it holds as long as nobody else
 * has changed one of them, and the contract is its owner's.
 */
export const grantItems = (
  store: Store,
  auditContext: AuditContext,
  contract: Contract,
  decided: readonly DecidedOnSeen[],
): Record<string, TransactItem> => ({
  contract: coverItem(store, contract, decided),
  ...Object.fromEntries(
    decided.flatMap(({ gatewayId, seen, owners }) => [
      [ownersName(gatewayId), putOwners(store, contract.companyId, gatewayId, { seen, owners })],
      [
        `audit ${gatewayId}`,
        auditPut(store, auditContext, { gatewayId, after: { isGranted: granterOf(owners) === contract.userId } }),
      ],
    ]),
  ),
});

export const ownersName = (gatewayId: string): string => `owners ${gatewayId}`;

/** The part of a transaction that lets the contract cover those of the gateways that its owner has granted, and no others of them. */
const coverItem = (
  store: Store,
  { companyId, userId }: Contract,
  decided: readonly Pick<DecidedOnSeen, 'gatewayId' | 'owners'>[],
): TransactItem => {
  const covered = decided.map(({ gatewayId, owners }, index) => {
    const known = owners[userId];
    return { name: `#gateway${index}`, value: `:grant${index}`, gatewayId, grant: known?.isGranted && grantOf(known) };
  });
  const [set, removed] = [covered.filter(({ grant }) => grant), covered.filter(({ grant }) => !grant)];
  const expression = [
    ...(set.length > 0 ? [`SET ${set.map(({ name, value }) => `gateways.${name} = ${value}`).join(', ')}`] : []),
    ...(removed.length > 0 ? [`REMOVE ${removed.map(({ name }) => `gateways.${name}`).join(', ')}`] : []),
  ];
  return {
    Update: {
      TableName: store.tableName('Contracts'),
      Key: contractKey(companyId),
      UpdateExpression: expression.join(' '),
      ConditionExpression: 'userId = :userId',
      ExpressionAttributeNames: Object.fromEntries(covered.map(({ name, gatewayId }) => [name, gatewayId])),
      ExpressionAttributeValues: {
        ':userId': userId,
        ...Object.fromEntries(set.map(({ value, grant }) => [value, grant])),
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
};

/** The part of a transaction that writes what is known of a gateway, in the place of what was. */
export const putOwners = (
  store: Store,
  companyId: string,
  gatewayId: string,
  { seen, owners }: Pick<DecidedOnSeen, 'seen' | 'owners'>,
): TransactItem => ({
  Put: {
    TableName: store.tableName('Appliances'),
    Item: { ...ownersKey(companyId, gatewayId), owners },
    ...(Object.keys(seen).length > 0
      ? { ConditionExpression: 'owners = :seen', ExpressionAttributeValues: { ':seen': seen } }
      : { ConditionExpression: 'attribute_not_exists(sk)' }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});

/** By company, the owner who has granted a gateway. Throws StoreUnavailableError. */
export const readGranters = async (store: Store, gatewayId: string): Promise<ReadonlyMap<string, string>> => {
  const { items } = await queryPartition(store, 'Appliances', gatewayId, ownersPrefix);
  return new Map(
    items.flatMap((row) => {
      const userId = granterOf(toOwners(row));
      return userId === undefined ? [] : [[String(row.sk).slice(ownersPrefix.length), userId] as const];
    }),
  );
};

/** Grants a gateway off the record, whatever is known of it: for a demo world, which begins with it. */
export const grantGateway = async (
  store: Store,
  companyId: string,
  gatewayId: string,
  nowMs: number,
): Promise<void> => {
  const { contract, ownersOf } = await readGrants(store, companyId, [gatewayId]);
  if (!contract) throw new Error(`${companyId} has no contract that could cover ${gatewayId}.`);
  const owners = { [contract.userId]: { isGranted: true, ...timesOf({ nowMs }) } };
  await transact(store, {
    contract: coverItem(store, contract, [{ gatewayId, owners }]),
    owners: putOwners(store, companyId, gatewayId, { seen: ownersOf(gatewayId), owners }),
  });
};
