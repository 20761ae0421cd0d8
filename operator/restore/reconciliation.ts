import { deleteApiKey } from '../../lambdas/data/api-keys/api-key-deletion.ts';
import { listApiKeys } from '../../lambdas/data/api-keys/api-keys.ts';
import type { AuditContext } from '../../lambdas/data/audit.ts';
import { type CompanyChange, changeCompany } from '../../lambdas/data/contracts/companies.ts';
import {
  type ContractChange,
  changeContract,
  createContract,
  readContracts,
  readUnopened,
} from '../../lambdas/data/contracts/contracts.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Company } from '../../lambdas/domain/company.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { type Difference, differencesOf } from '../cli/make-change.ts';
import { readAllContracts } from '../companies/contract.ts';
import { mapConcurrently } from '../concurrent.ts';
import { isPseudonym } from '../connection/pseudonyms.ts';
import { OperatorError } from '../error.ts';
import { type AuditRecord, readAuditRecord } from './audit-record.ts';
import { compareGrants, type GrantDifferences, grantDifferencesIn, revokeAgain } from './grant-reconciliation.ts';
import {
  type MissingGrant,
  missingGrantsOfCompany,
  missingGrantsOfContract,
  revocationsOfCompany,
  revocationsOfContract,
} from './revocations.ts';

/** How a company differs from the audit log: revocations that the tables do not show, and grants that they lack. */
export type Reconciliation = {
  readonly company: Company;
  readonly companyChange: CompanyChange;
  readonly contracts: readonly ContractReconciliation[];
  /** Whether the audit log has any row after that second, apart from those of the restore's own copies. */
  readonly isLater: boolean;
  readonly deletedKeys: readonly string[];
  /** Grants that the tables lack, for a person to decide on, each with the command that grants it again. */
  readonly given: readonly MissingGrant[];
};

type ContractReconciliation = {
  readonly contract: Contract;
  /** Whether its row is lost, and the restored second does not have it. `contract` is unopened then. */
  readonly isLost: boolean;
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
  const contracts = [...listed.map((contract) => ({ contract, isLost: false })), ...unlisted];
  const record = unlisted.length > 0 ? await readRecord() : found;
  const companyChange = revocationsOfCompany(company, record.company);
  const ofContracts = await mapConcurrently(contracts, async ({ contract, isLost }) => {
    const { userId } = contract;
    const recorded = record.contracts.get(userId) ?? {};
    const change = revocationsOfContract(contract, recorded);
    const grants = await compareGrants(store, contract, record.grants.get(userId) ?? new Map());
    return {
      contract,
      isLost,
      change,
      grants,
      given: [
        ...missingGrantsOfContract({ ...contract, ...change }, recorded),
        ...grants.missing.map((gatewayId) => ({
          what: `gateway ${gatewayId}`,
          command: `gateway grant ${companyId} ${gatewayId} --user ${userId}`,
        })),
      ],
    };
  });
  return {
    company,
    companyChange,
    contracts: ofContracts,
    isLater: record.since.some(({ operation }) => operation !== 'restore copy'),
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

/** Reads the contracts on record that the index does not list: they were not opened yet, or they are lost. */
const readUnlisted = async (
  store: Store,
  companyId: string,
  listed: readonly Contract[],
  { contracts, grants }: AuditRecord,
) => {
  const known = new Set(listed.map(({ userId }) => userId));
  const parties = [...new Set([...contracts.keys(), ...grants.keys()])]
    .filter((userId) => !known.has(userId) && !isPseudonym(userId))
    .map((userId) => ({ companyId, userId }));
  const found = new Map((await readContracts(store, parties)).map((contract) => [contract.userId, contract]));
  return mapConcurrently(parties, async (each) => {
    const contract = found.get(each.userId);
    return { contract: contract ?? (await readUnopened(store, each)).contract, isLost: contract === undefined };
  });
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

/** Returns what a reconciliation revokes, as differences. */
export const differencesIn = ({ company, companyChange, contracts, deletedKeys }: Reconciliation): Difference[] => [
  ...differencesOf(company, companyChange),
  ...deletedKeys.map((keyId) => ({ what: `key ${keyId}`, before: 'exists', after: null })),
  ...contracts.flatMap(({ contract, change, grants }) => [
    ...differencesOf(contract, change),
    ...grantDifferencesIn(grants),
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
  for (const { contract, isLost, change, grants } of contracts) {
    const act = { ...auditContext, userId: contract.userId };
    const write = isLost ? createContract : changeContract;
    if (Object.keys(change).length > 0) refuseIfOvertaken(company, await write(store, act, contract, change));
    await revokeAgain(store, act, contract, grants);
  }
};

type Written = { readonly outcome: 'changed' | 'created' | 'conflict' | 'overtaken' };

const refuseIfOvertaken = ({ companyId }: Company, { outcome }: Written) => {
  if (outcome === 'conflict' || outcome === 'overtaken')
    throw new OperatorError(
      'conflict',
      `${companyId} was changed by another caller at the same time. What was done until then stays; run again.`,
    );
};
