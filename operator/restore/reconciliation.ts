import { isDeepStrictEqual } from 'node:util';
import { deleteApiKey } from '../../lambdas/data/api-keys/api-key-deletion.ts';
import { listApiKeys } from '../../lambdas/data/api-keys/api-keys.ts';
import { type AuditContext, auditPut } from '../../lambdas/data/audit.ts';
import { type CompanyChange, changeCompany } from '../../lambdas/data/contracts/companies.ts';
import { type ContractChange, changeContract, readContracts } from '../../lambdas/data/contracts/contracts.ts';
import { grantItems, putOwners, readGrants } from '../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { transact } from '../../lambdas/data/store/writes.ts';
import { entriesOf, findById, idsOf, withId } from '../../lambdas/domain/by-id.ts';
import type { Company } from '../../lambdas/domain/company.ts';
import { type Contract, grantIn } from '../../lambdas/domain/contract.ts';
import {
  type GatewayOwners,
  type Grant,
  grantOf,
  lastGrantOf,
  withLastGrant,
  withRevoked,
} from '../../lambdas/domain/grant.ts';
import { type ChangeTimes, timesOf } from '../../lambdas/domain/permission.ts';
import { type Difference, differencesOf } from '../cli/change.ts';
import { readAllContracts } from '../companies/contract.ts';
import { OperatorError } from '../error.ts';
import { type AuditRecord, type RecordedGrant, readAuditRecord } from './audit-record.ts';
import {
  type MissingGrant,
  missingGrantsOfCompany,
  missingGrantsOfContract,
  revocationsOfCompany,
  revocationsOfContract,
} from './recorded-changes.ts';

/** How a company differs from the audit log: revocations that the tables do not show, and grants that they lack. */
export type Reconciliation = {
  readonly company: Company;
  readonly companyChange: CompanyChange;
  readonly contracts: readonly ContractReconciliation[];
  /** Whether the audit log has any row after that second. */
  readonly isLater: boolean;
  readonly deletedKeys: readonly string[];
  /** Grants that the tables lack, for a person to decide on, each with the command that grants it again. */
  readonly given: readonly MissingGrant[];
};

type ContractReconciliation = {
  readonly contract: Contract;
  readonly change: ContractChange;
  readonly grants: GrantDifferences;
};

/** Reads the audit log last, so that a grant made meanwhile is not revoked. */
export const compareWithRecord = async (
  store: Store,
  company: Company,
  sinceMs: number,
  isRegisteredInStore: boolean,
): Promise<Reconciliation> => {
  const { companyId } = company;
  const listed = await readAllContracts(store, companyId);
  const keyIds = await readAllKeyIds(store, companyId);
  const readRecord = () => readAuditRecord(store, [store.tableName('AuditLog')], companyId, sinceMs);
  const found = await readRecord();
  const unlisted = await readUnlisted(store, companyId, listed, found);
  const contracts = [...listed, ...unlisted];
  const record = unlisted.length > 0 ? await readRecord() : found;
  const companyChange = revocationsOfCompany(company, record.company);
  const ofContracts = await Promise.all(
    contracts.map(async (contract) => {
      const { userId } = contract;
      const [recorded, grants] = [record.contracts.get(userId) ?? {}, record.grants.get(userId) ?? new Map()];
      const change = revocationsOfContract(contract, recorded);
      return {
        contract,
        change,
        grants: await compareGrants(store, contract, grants),
        given: [
          ...missingGrantsOfContract({ ...contract, ...change }, recorded),
          ...[...grants]
            .filter(([gatewayId, { isGranted }]) => isGranted && !grantIn(contract, gatewayId))
            .map(([gatewayId]) => ({
              what: `gateway ${gatewayId}`,
              command: `gateway grant ${companyId} ${gatewayId} --user ${userId}`,
            })),
        ],
      };
    }),
  );
  return {
    company,
    companyChange,
    contracts: ofContracts,
    isLater: record.isLater,
    deletedKeys: keyIds.filter((keyId) => record.deletedKeys.has(keyId)),
    given: [
      ...missingGrantsOfCompany({ ...company, ...companyChange }, record.company, isRegisteredInStore),
      ...ofContracts.flatMap(({ given }) => given),
      ...[...record.createdKeys]
        .filter((keyId) => !keyIds.includes(keyId))
        .map((keyId) => ({ what: `key ${keyId}, which cannot be restored`, command: `key issue ${companyId}` })),
    ],
  };
};

/** Reads the contracts on record that the index does not list: their owners have not opened them yet. */
const readUnlisted = (
  store: Store,
  companyId: string,
  listed: readonly Contract[],
  { contracts, grants }: AuditRecord,
) => {
  const known = new Set(listed.map(({ userId }) => userId));
  const onRecord = [...new Set([...contracts.keys(), ...grants.keys()])].filter((userId) => !known.has(userId));
  return readContracts(
    store,
    onRecord.map((userId) => ({ companyId, userId })),
  );
};

const readAllKeyIds = async (store: Store, companyId: string): Promise<string[]> => {
  const keyIds: string[] = [];
  let after: string | undefined;
  do {
    const { keys, next } = await listApiKeys(store, companyId, 1000, after);
    keyIds.push(...keys.map(({ keyId }) => keyId));
    after = next;
  } while (after !== undefined);
  return keyIds;
};

/** Returns what a reconciliation revokes or corrects, as differences. */
export const differencesIn = ({ company, companyChange, contracts, deletedKeys }: Reconciliation): Difference[] => [
  ...differencesOf(company, companyChange),
  ...deletedKeys.map((keyId) => ({ what: `key ${keyId}`, before: 'exists', after: null })),
  ...contracts.flatMap(({ contract, change, grants }) => [
    ...differencesOf(contract, change),
    ...grants.revoked.map(({ gatewayId, isGranted }) => ({
      what: `gateway ${gatewayId}`,
      before: isGranted ? 'granted' : null,
      after: isGranted ? null : 'revoked',
    })),
    ...grants.unlisted.map(({ gatewayId }) => ({
      what: `gateway ${gatewayId}, in its own partition`,
      before: null,
      after: 'granted',
    })),
    ...grants.lost.map(({ gatewayId }) => ({
      what: `earlier grants of gateway ${gatewayId}`,
      before: null,
      after: 'refused',
    })),
  ]),
];

/** Revokes again, keys first. Each step is one transaction with its audit row. Skips steps that are already done. */
export const applyRevocations = async (
  store: Store,
  auditContext: AuditContext,
  { company, companyChange, contracts, deletedKeys }: Reconciliation,
): Promise<void> => {
  for (const keyId of deletedKeys) await deleteApiKey(store, auditContext, keyId);
  if (Object.keys(companyChange).length > 0)
    refuseIfOvertaken(company, await changeCompany(store, auditContext, company, companyChange));
  for (const { contract, change, grants } of contracts) {
    const act = { ...auditContext, userId: contract.userId };
    if (Object.keys(change).length > 0) refuseIfOvertaken(company, await changeContract(store, act, contract, change));
    await putGrantsInOrder(store, act, contract, grants);
  }
};

const refuseIfOvertaken = ({ companyId }: Company, { outcome }: { readonly outcome: 'changed' | 'conflict' }) => {
  if (outcome === 'conflict')
    throw new OperatorError(
      'conflict',
      `${companyId} was changed by another caller at the same time. What was done until then stays; run again.`,
    );
};

/** Grants that differ from the audit log or from the contract. */
type GrantDifferences = {
  /** Revoked in the audit log, but still granted, or lacking the revocation that makes older, late grants stale. */
  readonly revoked: readonly (RecordedGrant & { readonly gatewayId: string })[];
  /** Covered by the contract, but missing from the partition of the gateway. */
  readonly unlisted: readonly { readonly gatewayId: string; readonly seen: GatewayOwners; readonly grant: Grant }[];
  /** Granted in the audit log, but lost: only the times are put back, so that earlier grants of others stay stale. */
  readonly lost: readonly { readonly gatewayId: string; readonly grantClaimedAtMs: number }[];
};

const never = Number.NEGATIVE_INFINITY;

/** Compares the gateways of a contract with the audit log since that second, and with the gateways' own partitions. */
const compareGrants = async (
  store: Store,
  contract: Contract,
  recorded: ReadonlyMap<string, RecordedGrant>,
): Promise<GrantDifferences> => {
  const { userId, gateways } = contract;
  const ids = [...new Set([...idsOf(gateways), ...recorded.keys()])];
  const { ownersOf } = await readGrants(store, contract, ids);
  const revoked = [...recorded].flatMap(([gatewayId, { isGranted: isRecorded, atMs, grantClaimedAtMs = never }]) => {
    const [grant, owner] = [grantIn(contract, gatewayId), findById(ownersOf(gatewayId), userId)];
    const isGranted = grant !== undefined;
    if (isRecorded || (grant?.grantedAtMs ?? 0) > atMs) return [];
    const revokedAtMs = owner && !owner.isGranted ? owner.claimedAtMs : 0;
    const isKnown = !isGranted && revokedAtMs >= atMs && (owner ? lastGrantOf(owner) : never) >= grantClaimedAtMs;
    return isKnown ? [] : [{ gatewayId, isGranted, atMs: Math.max(atMs, revokedAtMs), grantClaimedAtMs }];
  });
  const toRevoke = new Set(revoked.map(({ gatewayId }) => gatewayId));
  const unlisted = entriesOf(gateways).flatMap(([gatewayId, grant]) => {
    const seen = ownersOf(gatewayId);
    const owner = findById(seen, userId);
    const isListed = owner?.isGranted && isDeepStrictEqual(grantOf(owner), grant);
    return isListed || toRevoke.has(gatewayId) ? [] : [{ gatewayId, seen, grant }];
  });
  const lost = [...recorded].flatMap(([gatewayId, { isGranted, grantClaimedAtMs = never }]) => {
    const owner = findById(ownersOf(gatewayId), userId);
    const isLost =
      isGranted && !grantIn(contract, gatewayId) && (owner ? lastGrantOf(owner) : never) < grantClaimedAtMs;
    return isLost ? [{ gatewayId, grantClaimedAtMs }] : [];
  });
  return { revoked, unlisted, lost };
};

/** Revokes again with the recorded times, so that newer grants still apply, and adds grants that gateway partitions lack. */
const putGrantsInOrder = async (
  store: Store,
  auditContext: AuditContext,
  { companyId, userId }: Contract,
  { revoked, unlisted, lost }: GrantDifferences,
): Promise<void> => {
  const { nowMs } = auditContext;
  const parties = { companyId, userId };
  for (const { gatewayId, atMs, grantClaimedAtMs } of revoked) {
    const asOfThen = { ...auditContext, nowMs: atMs, recordedAtMs: nowMs };
    const { contract, ownersOf } = await readGrants(store, parties, [gatewayId]);
    const seen = ownersOf(gatewayId);
    const decided = revokedAsOf(seen, userId, timesOf(asOfThen), grantClaimedAtMs);
    const failed =
      !contract ||
      !decided ||
      (await transact(
        store,
        grantItems(store, asOfThen, { contract }, [{ gatewayId, seen, outcome: 'applied', owners: decided }]),
      ));
    if (failed) throw overtaken(companyId, gatewayId);
  }
  for (const { gatewayId, seen, grant } of unlisted) {
    const { grantedAtMs, receivedAtMs } = grant;
    const times = { claimedAtMs: grantedAtMs, countsFromMs: grantedAtMs, receivedAtMs };
    // This run may have revoked the gateway from another owner.
    const now = (await readGrants(store, parties, [gatewayId])).ownersOf(gatewayId);
    const owners = withId(now, userId, { isGranted: true, ...times });
    const failed =
      !isDeepStrictEqual(findById(now, userId), findById(seen, userId)) ||
      (await transact(store, {
        owners: putOwners(store, companyId, gatewayId, { seen: now, owners }),
        audit: auditPut(store, auditContext, { gatewayId, after: { grantedAt: grantedAtMs } }),
      }));
    if (failed) throw overtaken(companyId, gatewayId);
  }
  for (const { gatewayId, grantClaimedAtMs } of lost) {
    const seen = (await readGrants(store, parties, [gatewayId])).ownersOf(gatewayId);
    const owners = withLostGrant(seen, userId, grantClaimedAtMs);
    const failed = await transact(store, {
      owners: putOwners(store, companyId, gatewayId, { seen, owners }),
      audit: auditPut(store, auditContext, { gatewayId, after: { lostGrantAt: grantClaimedAtMs } }),
    });
    if (failed) throw overtaken(companyId, gatewayId);
  }
};

/** Returns the owners with the time of a grant that does not count, so that earlier grants of other owners stay stale. */
const withLostGrant = (seen: GatewayOwners, userId: string, claimedAtMs: number): GatewayOwners => {
  const known = findById(seen, userId);
  return withLastGrant(known ? seen : withRevoked(seen, userId, timesOf({ nowMs: claimedAtMs })), userId, claimedAtMs);
};

/** Returns the owners after a grant and a later revocation, both on record; undefined if a newer change is known. */
const revokedAsOf = (
  seen: GatewayOwners,
  userId: string,
  times: ChangeTimes,
  grantClaimedAtMs = never,
): GatewayOwners | undefined => {
  const known = findById(seen, userId);
  if (known && known.claimedAtMs > times.claimedAtMs) return undefined;
  return withLastGrant(withRevoked(seen, userId, times), userId, grantClaimedAtMs);
};

const overtaken = (companyId: string, gatewayId: string) =>
  new OperatorError(
    'conflict',
    `Gateway ${gatewayId} of ${companyId} was changed by another caller at the same time. What was done until then stays; run again.`,
  );
