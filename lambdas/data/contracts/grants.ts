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
import { contractKey, foundOrUnopened, newContractItems, toContract } from './contracts.ts';

export const ownersPrefix = 'COMPANY#';

/**
 * The key of the row in a gateway's partition with the company's owners who granted or revoked it. A revocation keeps the row.
 */
export const ownersKey = (companyId: string, gatewayId: string) => ({ gatewayId, sk: `${ownersPrefix}${companyId}` });

export type GrantOutcome = {
  readonly outcome: 'applied' | 'noted' | 'stale' | 'company-not-found';
};

type GrantEvent = GrantChange & {
  readonly gatewayId: string;
  /** When the event arrived at this service; the time of the audit context if absent. */
  readonly arrivedAtMs?: number;
};

/**
 * Grants or revokes a gateway at the time of the audit context, under the contract of a user. A grant revokes that of another
 * owner of the company.
 */
export const applyGrant = async (
  store: Store,
  auditContext: AuditContext,
  { gatewayId, arrivedAtMs, ...change }: GrantEvent,
): Promise<GrantOutcome> => {
  const times = timesOf({ ...auditContext, arrivedAtMs });
  const parties = { companyId: auditContext.companyId, userId: change.userId };
  // An attempt fails if the grant or the contract was changed concurrently.
  return retrying({ to: 'change a grant', atMost: 5 }, async () => {
    const { contract: found, ownersOf } = await readGrants(store, parties, [gatewayId]);
    const { contract, hasCompany } = await foundOrUnopened(store, parties, found);
    if (isBeforeErasure(contract, times)) return { outcome: 'stale' };
    const seen = ownersOf(gatewayId);
    const decided = changedGrant(seen, change, times);
    if (!decided) return { outcome: 'stale' };
    if (!hasCompany) return { outcome: 'company-not-found' };
    const changes = [{ gatewayId, seen, ...decided }];
    const failed = await writeGrants(store, auditContext, { contract, isNew: !found }, changes);
    return failed ? undefined : { outcome: decided.outcome };
  });
};

/** A transaction takes 100 items: the contract, and for each gateway two and possibly the contract that loses it. */
export const maxGrantsAtOnce = Math.floor((100 - 1) / 3);

/** Reads a contract, and for each gateway the owners who granted it to the company or revoked it. */
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

/** A decision on a gateway, and the owners that it was based on. */
export type DecidedOnSeen = DecidedGrant & { readonly gatewayId: string; readonly seen: GatewayOwners };

type Covering = { readonly contract: Contract; readonly isNew?: boolean };

/**
 * Writes decided changes of a contract's grants in one transaction, with an audit row for each. Resolves to the condition that
 * failed if one of the grants was changed, or the owner was erased, since the read. A new contract is stored as given, unopened.
 * A former owner whose contract is lost loses the grant in the partition of the gateway only.
 */
export const writeGrants = async (
  store: Store,
  auditContext: AuditContext,
  covering: Covering,
  decided: readonly DecidedOnSeen[],
) => {
  const lost = new Set<string>();
  for (;;) {
    const items = grantItems(store, auditContext, covering, decided);
    const failed = await transact(store, Object.fromEntries(Object.entries(items).filter(([name]) => !lost.has(name))));
    if (!failed?.name.startsWith(ofFormer(''))) return failed;
    lost.add(failed.name);
  }
};

const ofFormer = (formerId: string): string => `contract of ${formerId}`;

const grantItems = (
  store: Store,
  auditContext: AuditContext,
  { contract, isNew = false }: Covering,
  decided: readonly DecidedOnSeen[],
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
        ofFormer(formerId),
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

/** Whether the owner has the grant after a change, and the other owner who lost it by the change, if any. */
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
 * The transaction item that adds to a contract the gateways in `decided` that its owner has granted, and removes the others in
 * `decided`. A grant after an erasure keeps the row from expiring. The item fails if it adds a gateway and the contract's
 * erasure is not the one that was read, or if it only removes gateways and the contract does not exist. A gateway whose owners
 * stay the same is added only if the contract does not have it: another write may have added it since the read.
 */
const coverItem = (
  store: Store,
  parties: Parties,
  decided: readonly (Pick<DecidedOnSeen, 'gatewayId' | 'owners'> & Partial<Pick<DecidedOnSeen, 'seen'>>)[],
  { erasedAtMs }: Pick<Contract, 'erasedAtMs'> = { erasedAtMs: null },
): TransactItem => {
  const covered = decided.map(({ gatewayId, seen, owners }, index) => {
    const known = findById(owners, parties.userId);
    const grant = known?.isGranted && grantOf(known);
    return { name: `#gateway${index}`, value: `:grant${index}`, gatewayId, grant, isGivenBack: owners === seen };
  });
  const [set, removed] = [covered.filter(({ grant }) => grant), covered.filter(({ grant }) => !grant)];
  const sets = [...set.map(({ name, value }) => `gateways.${name} = ${value}`), 'removeAt = :never'];
  const expression = [
    ...(set.length > 0 ? [`SET ${sets.join(', ')}`] : []),
    ...(removed.length > 0 ? [`REMOVE ${removed.map(({ name }) => `gateways.${name}`).join(', ')}`] : []),
  ];
  const conditions = [
    'erasedAtMs = :erased',
    ...covered.filter(({ isGivenBack }) => isGivenBack).map(({ name }) => `attribute_not_exists(gateways.${name})`),
  ];
  return {
    Update: {
      TableName: store.tableName('Contracts'),
      Key: contractKey(parties),
      UpdateExpression: expression.join(' '),
      ExpressionAttributeNames: Object.fromEntries(
        covered.map(({ name, gatewayId }) => [name, attributeOf(gatewayId)]),
      ),
      ...(set.length > 0
        ? {
            ConditionExpression: conditions.join(' AND '),
            ExpressionAttributeValues: {
              ':erased': erasedAtMs,
              ':never': null,
              ...Object.fromEntries(set.map(({ value, grant }) => [value, grant])),
            },
          }
        : { ConditionExpression: 'attribute_exists(contractId)' }),
    },
  };
};

/** The transaction item that replaces the owners of a gateway. It fails if they have changed since they were read. */
const putOwners = (
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

/** Returns the owners who have granted a gateway, by company. */
export const readGranters = async (store: Store, gatewayId: string): Promise<ReadonlyMap<string, string>> => {
  const { items } = await queryPartition(store, 'Appliances', { partition: gatewayId, prefix: ownersPrefix });
  return new Map(
    items.flatMap((row) => {
      const userId = granterOf(toOwners(row));
      return userId === undefined ? [] : [[String(row.sk).slice(ownersPrefix.length), userId] as const];
    }),
  );
};

/** Grants a gateway without an audit row, regardless of earlier changes: for the initial state of a demo world. */
export const grantGateway = async (store: Store, parties: Parties, gatewayId: string, nowMs: number): Promise<void> => {
  const { ownersOf } = await readGrants(store, parties, [gatewayId]);
  const owners = byIds([[parties.userId, { isGranted: true, ...timesOf({ nowMs }) }]]);
  await transact(store, {
    contract: coverItem(store, parties, [{ gatewayId, owners }]),
    owners: putOwners(store, parties.companyId, gatewayId, { seen: ownersOf(gatewayId), owners }),
  });
};
