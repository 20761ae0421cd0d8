import { deleteApiKey } from '../../lambdas/data/api-keys/api-key-deletion.ts';
import { listApiKeys } from '../../lambdas/data/api-keys/api-keys.ts';
import type { AuditContext } from '../../lambdas/data/audit/audit-log.ts';
import { changeContract } from '../../lambdas/data/contracts/contract-changes.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { type Difference, differencesOf } from '../cli/change.ts';
import { OperatorError } from '../error.ts';
import { readAuditRecord } from './audit-record.ts';
import { givenSince, takenAway } from './contract-since.ts';
import { compareGrants, type GrantDifferences, putGrantsInOrder, readGrantRows } from './grant-rows.ts';

/** What the record took from a company and the tables still have, and what it gave and the tables lack. */
export type Reconciliation = {
  readonly contract: Contract;
  /** Whether anything is on record after that second. */
  readonly isLater: boolean;
  readonly change: ReturnType<typeof takenAway>;
  readonly deletedKeys: readonly string[];
  readonly grants: GrantDifferences;
  /** Waits for a person, as far as there is a command for it. */
  readonly given: readonly { readonly what: string; readonly command: string }[];
};

/** Reads the record last: what was given back on record by then is not taken away again. */
export const compareWithRecord = async (store: Store, contract: Contract, sinceMs: number): Promise<Reconciliation> => {
  const { companyId } = contract;
  const keyIds = await readAllKeyIds(store, companyId);
  const granted = await readGrantRows(store, companyId);
  const record = await readAuditRecord(store, [store.tableName('AuditLog')], companyId, sinceMs);
  const change = takenAway(contract, record.contract);
  return {
    contract,
    isLater: record.isLater,
    change,
    deletedKeys: keyIds.filter((keyId) => record.deletedKeys.has(keyId)),
    grants: await compareGrants(store, companyId, granted, record.grants),
    given: [
      ...givenSince({ ...contract, ...change }, record.contract),
      ...[...record.grants]
        .filter(([gatewayId, { isGranted }]) => isGranted && !granted.grants.has(gatewayId))
        .map(([gatewayId]) => ({ what: `gateway ${gatewayId}`, command: `gateway grant ${companyId} ${gatewayId}` })),
      ...[...record.createdKeys]
        .filter((keyId) => !keyIds.includes(keyId))
        .map((keyId) => ({ what: `key ${keyId}, which cannot come back`, command: `key issue ${companyId}` })),
    ],
  };
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

/** What is taken away again, or put in order, as differences. */
export const differencesIn = ({ contract, change, deletedKeys, grants }: Reconciliation): Difference[] => [
  ...differencesOf(contract, change),
  ...deletedKeys.map((keyId) => ({ what: `key ${keyId}`, before: 'there', after: null })),
  ...grants.revoked.map(({ gatewayId, isGranted }) => ({
    what: `gateway ${gatewayId}`,
    before: isGranted ? 'granted' : null,
    after: isGranted ? null : 'revoked',
  })),
  ...grants.untold.map(({ gatewayId }) => ({
    what: `gateway ${gatewayId}, in its own partition`,
    before: null,
    after: 'granted',
  })),
];

/** Takes it away again, keys first. Each step is a transaction with its audit row; one that is done already is left alone. */
export const takeAway = async (
  store: Store,
  auditContext: AuditContext,
  { contract, change, deletedKeys, grants }: Reconciliation,
): Promise<void> => {
  for (const keyId of deletedKeys) await deleteApiKey(store, auditContext, keyId);
  if (Object.keys(change).length > 0) {
    const { outcome } = await changeContract(store, auditContext, contract, change);
    if (outcome === 'conflict')
      throw new OperatorError(
        'conflict',
        `${contract.companyId} was changed by somebody else at the same moment. What was done until then stays; run again.`,
      );
  }
  await putGrantsInOrder(store, auditContext, grants);
};
