import { attributeOf, byIds, findById, idsOf } from '../../domain/by-id.ts';
import { type Contract, isBeforeErasure, type Parties } from '../../domain/contract.ts';
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
import { retrying } from '../store/attempts.ts';
import { batchGet, queryPartition } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { type TransactItem, transact } from '../store/writes.ts';
import { contractKey, newContractItems, readUnopened, toContract } from './contracts.ts';

export const ownersPrefix = 'COMPANY#';

/** The row in the partition of a gateway that tells who of a company's owners has granted it; it stays when nobody has. */
export const ownersKey = (companyId: string, gatewayId: string) => ({ gatewayId, sk: `${ownersPrefix}${companyId}` });

export type GrantOutcome = {
  readonly outcome: 'applied' | 'noted' | 'stale' | 'company-not-found';
};

type GrantEvent = GrantChange & {
  readonly gatewayId: string;
  /** When it came to this service; at the time of the audit context unless another is given. */
  readonly arrivedAtMs?: number;
};

/**
 * Grants or revokes a gateway as of the time of the audit context, under the contract of a user. One that another owner of the
 * company had granted is no longer theirs. Throws StoreUnavailableError.
 */
export const applyGrant = async (
  store: Store,
  auditContext: AuditContext,
  { gatewayId, arrivedAtMs, ...change }: GrantEvent,
): Promise<GrantOutcome> => {
  const times = timesOf({ ...auditContext, arrivedAtMs });
  const parties = { companyId: auditContext.companyId, userId: change.userId };
  // An attempt that fails has met another change of the grant, or of the contract.
  return retrying({ to: 'change a grant', atMost: 5 }, async () => {
    const { contract: found, ownersOf } = await readGrants(store, parties, [gatewayId]);
    const contract = found ?? (await readUnopened(store, parties));
    if (isBeforeErasure(contract, times)) return { outcome: 'stale' };
    const seen = ownersOf(gatewayId);
    const decided = changedGrant(seen, change, times);
    if (!decided) return { outcome: 'stale' };
    const changes = [{ gatewayId, seen, ...decided }];
    const failed = await transact(store, grantItems(store, auditContext, contract, changes, { isNew: !found }));
    if (!failed) return { outcome: decided.outcome };
    return failed.name === 'company' ? { outcome: 'company-not-found' } : undefined;
  });
};

/** A transaction takes 100 items: the contract, and for each gateway two and perhaps the contract that it leaves. */
export const maxGrantsAtOnce = Math.floor((100 - 1) / 3);

/** A contract, and what is known of gateways at its company. Throws StoreUnavailableError. */
export const readGrants = async (store: Store, parties: Parties, gatewayIds: readonly string[]) => {
  const { companyId } = parties;
  const [contracts, appliances] = [store.tableName('Contracts'), store.tableName('Appliances')];
  const items = await batchGet(store, {
    [contracts]: { Keys: [contractKey(parties)], ConsistentRead: true },
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
 * has changed one of them, or erased the owner. A new contract is stored as given, unopened.
 */
export const grantItems = (
  store: Store,
  auditContext: AuditContext,
  contract: Contract,
  decided: readonly DecidedOnSeen[],
  { isNew = false }: { readonly isNew?: boolean } = {},
): Record<string, TransactItem> => {
  const { companyId, userId } = contract;
  const parties = { companyId, userId };
  const act = { ...auditContext, userId };
  const left = decided.flatMap((each) => {
    const formerId = granterOf(each.seen);
    return formerId === undefined || formerId === parties.userId ? [] : [{ ...each, formerId }];
  });
  const moved = left.filter(({ owners, formerId }) => granterOf(owners) !== formerId);
  return {
    ...(isNew ? coverByNew(store, contract, decided) : { contract: coverItem(store, parties, decided, contract) }),
    ...Object.fromEntries(
      [...Map.groupBy(moved, ({ formerId }) => formerId)].map(([formerId, those]) => [
        `contract of ${formerId}`,
        coverItem(store, { companyId, userId: formerId }, those),
      ]),
    ),
    ...Object.fromEntries(
      decided.flatMap(({ gatewayId, seen, owners }) => [
        [ownersName(gatewayId), putOwners(store, companyId, gatewayId, { seen, owners })],
        [`audit ${gatewayId}`, auditPut(store, act, { gatewayId, after: recordOf(parties, seen, owners) })],
      ]),
    ),
  };
};

/** What a change came to, and the other owner whose the gateway was until then. */
const recordOf = ({ userId }: Parties, seen: GatewayOwners, owners: GatewayOwners) => {
  const [before, after] = [granterOf(seen), granterOf(owners)];
  return {
    isGranted: after === userId,
    ...(before !== undefined && ![userId, after].includes(before) && { formerUserId: before }),
  };
};

/** The transaction items that store grants for a contract that does not exist yet. */
const coverByNew = (
  store: Store,
  contract: Contract,
  decided: readonly Pick<DecidedOnSeen, 'gatewayId' | 'owners'>[],
): Record<string, TransactItem> => {
  const gateways = decided.flatMap(({ gatewayId, owners }) => {
    const known = findById(owners, contract.userId);
    return known?.isGranted ? [[gatewayId, grantOf(known)] as const] : [];
  });
  return newContractItems(store, { ...contract, gateways: byIds(gateways) });
};

const ownersName = (gatewayId: string): string => `owners ${gatewayId}`;

/**
 * The part of a transaction that lets a contract cover those of the gateways that its owner has granted, and no others of them.
 * What is granted after an erasure keeps the row, and nothing is granted over an erasure that was not seen.
 */
const coverItem = (
  store: Store,
  parties: Parties,
  decided: readonly Pick<DecidedOnSeen, 'gatewayId' | 'owners'>[],
  { erasedAtMs, removeAt }: Pick<Contract, 'erasedAtMs' | 'removeAt'> = { erasedAtMs: null, removeAt: null },
): TransactItem => {
  const covered = decided.map(({ gatewayId, owners }, index) => {
    const known = findById(owners, parties.userId);
    return { name: `#gateway${index}`, value: `:grant${index}`, gatewayId, grant: known?.isGranted && grantOf(known) };
  });
  const [set, removed] = [covered.filter(({ grant }) => grant), covered.filter(({ grant }) => !grant)];
  const removals = [
    ...removed.map(({ name }) => `gateways.${name}`),
    ...(set.length > 0 && removeAt !== null ? ['removeAt'] : []),
  ];
  const expression = [
    ...(set.length > 0 ? [`SET ${set.map(({ name, value }) => `gateways.${name} = ${value}`).join(', ')}`] : []),
    ...(removals.length > 0 ? [`REMOVE ${removals.join(', ')}`] : []),
  ];
  return {
    Update: {
      TableName: store.tableName('Contracts'),
      Key: contractKey(parties),
      UpdateExpression: expression.join(' '),
      ExpressionAttributeNames: Object.fromEntries(
        covered.map(({ name, gatewayId }) => [name, attributeOf(gatewayId)]),
      ),
      ...(set.length > 0 && {
        ConditionExpression: 'attribute_not_exists(erasedAtMs) OR erasedAtMs = :erased',
        ExpressionAttributeValues: {
          ':erased': erasedAtMs,
          ...Object.fromEntries(set.map(({ value, grant }) => [value, grant])),
        },
      }),
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
    ...(idsOf(seen).length > 0
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
export const grantGateway = async (store: Store, parties: Parties, gatewayId: string, nowMs: number): Promise<void> => {
  const { ownersOf } = await readGrants(store, parties, [gatewayId]);
  const owners = byIds([[parties.userId, { isGranted: true, ...timesOf({ nowMs }) }]]);
  await transact(store, {
    contract: coverItem(store, parties, [{ gatewayId, owners }]),
    owners: putOwners(store, parties.companyId, gatewayId, { seen: ownersOf(gatewayId), owners }),
  });
};
