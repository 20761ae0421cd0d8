import { deleteApiKey } from '../../lambdas/data/api-keys/api-key-deletion.ts';
import { listApiKeys } from '../../lambdas/data/api-keys/api-keys.ts';
import { type AuditContext, auditPut } from '../../lambdas/data/audit.ts';
import { type CompanyChange, changeCompany } from '../../lambdas/data/contracts/companies.ts';
import {
  type ContractChange,
  changeContract,
  findContract,
  grantPrefix,
} from '../../lambdas/data/contracts/contracts.ts';
import {
  type GrantTimes,
  type Guard,
  grantChangeItems,
  grantIsSince,
  guardPrefix,
  putReverseGrant,
  reverseGrantKey,
  unlessOlder,
} from '../../lambdas/data/contracts/grants.ts';
import { batchGet, queryPartition } from '../../lambdas/data/store/reads.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { transact } from '../../lambdas/data/store/writes.ts';
import type { Company } from '../../lambdas/domain/company.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import { timesOf } from '../../lambdas/domain/permission.ts';
import { type Difference, differencesOf } from '../cli/change.ts';
import { OperatorError } from '../error.ts';
import { type RecordedGrant, readAuditRecord } from './audit-record.ts';
import { type Given, givenSince, givenToCompany, takenAway, takenFromCompany } from './contract-since.ts';

/** What the record took from a company and the tables still have, and what it gave and the tables lack. */
export type Reconciliation = {
  readonly company: Company;
  readonly companyChange: CompanyChange;
  /** Undefined if it is lost. */
  readonly contract: Contract | undefined;
  /** Whether anything is on record after that second. */
  readonly isLater: boolean;
  readonly change: ContractChange;
  readonly deletedKeys: readonly string[];
  readonly grants: GrantDifferences;
  /** Waits for a person, as far as there is a command for it. */
  readonly given: readonly Given[];
};

/** Reads the record last: what was given back on record by then is not taken away again. */
export const compareWithRecord = async (store: Store, company: Company, sinceMs: number): Promise<Reconciliation> => {
  const { companyId } = company;
  const contract = await findContract(store, companyId);
  const keyIds = await readAllKeyIds(store, companyId);
  const granted = await readGrantRows(store, companyId);
  const record = await readAuditRecord(store, [store.tableName('AuditLog')], companyId, sinceMs);
  const companyChange = takenFromCompany(company, record.company);
  const change = contract ? takenAway(contract, record.contract) : {};
  return {
    company,
    companyChange,
    contract,
    isLater: record.isLater,
    change,
    deletedKeys: keyIds.filter((keyId) => record.deletedKeys.has(keyId)),
    grants: await compareGrants(store, companyId, granted, record.grants),
    given: [
      ...givenToCompany({ ...company, ...companyChange }, record.company),
      ...(contract ? givenSince({ ...contract, ...change }, record.contract) : []),
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
export const differencesIn = ({
  company,
  companyChange,
  contract,
  change,
  deletedKeys,
  grants,
}: Reconciliation): Difference[] => [
  ...differencesOf(company, companyChange),
  ...differencesOf(contract ?? {}, change),
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
  { company, companyChange, contract, change, deletedKeys, grants }: Reconciliation,
): Promise<void> => {
  for (const keyId of deletedKeys) await deleteApiKey(store, auditContext, keyId);
  const ofCompany = { ...auditContext, userId: undefined };
  if (Object.keys(companyChange).length > 0)
    refuseIfOvertaken(company, await changeCompany(store, ofCompany, company, companyChange));
  if (contract && Object.keys(change).length > 0)
    refuseIfOvertaken(company, await changeContract(store, auditContext, contract, change));
  await putGrantsInOrder(store, auditContext, grants);
};

const refuseIfOvertaken = ({ companyId }: Company, { outcome }: { readonly outcome: 'changed' | 'conflict' }) => {
  if (outcome === 'conflict')
    throw new OperatorError(
      'conflict',
      `${companyId} was changed by somebody else at the same moment. What was done until then stays; run again.`,
    );
};

/** The grants of a company by gateway, and their guard rows. */
export type GrantRows = {
  readonly grants: ReadonlyMap<string, GrantTimes>;
  readonly guards: ReadonlyMap<string, Guard>;
};

/** Where rows of grants are not as the record, or the grants themselves, ask for. */
type GrantDifferences = {
  /** Revoked on record, and still granted, or open to a grant from before that comes late. */
  readonly revoked: readonly { readonly gatewayId: string; readonly isGranted: boolean; readonly atMs: number }[];
  /** Granted, and not told in the partition of the gateway. */
  readonly untold: readonly { readonly gatewayId: string; readonly times: GrantTimes }[];
};

const readGrantRows = async (store: Store, companyId: string): Promise<GrantRows> => ({
  grants: await readRows<GrantTimes>(store, companyId, grantPrefix),
  guards: await readRows<Guard>(store, companyId, guardPrefix),
});

const pageLimit = 1000;

const readRows = async <Row>(store: Store, companyId: string, prefix: string): Promise<ReadonlyMap<string, Row>> => {
  const rows = new Map<string, Row>();
  let after: Record<string, unknown> | undefined;
  do {
    const page = await queryPartition(store, 'Contracts', companyId, prefix, { limit: pageLimit, after });
    for (const row of page.items) rows.set(String(row.sk).slice(prefix.length), row as object as Row);
    after = page.hasMore ? { companyId, sk: page.items.at(-1)?.sk } : undefined;
  } while (after);
  return rows;
};

/** Compares the rows of a company's grants with what is on record since, and with one another. */
const compareGrants = async (
  store: Store,
  companyId: string,
  { grants, guards }: GrantRows,
  recorded: ReadonlyMap<string, RecordedGrant>,
): Promise<GrantDifferences> => {
  const ids = [...new Set([...grants.keys(), ...recorded.keys()])];
  const reverse = await readReverseTimes(store, companyId, ids);
  const revoked = [...recorded].flatMap(([gatewayId, { isGranted: isGiven, atMs }]) => {
    const [grant, guard] = [grants.get(gatewayId), guards.get(gatewayId)];
    const isGranted = grant !== undefined;
    if (isGiven || (grant?.grantedAtMs ?? 0) > atMs) return [];
    const guardedAtMs = guard && !guard.isGranted ? guard.claimedAtMs : 0;
    const isInOrder = !isGranted && !reverse.has(gatewayId) && guardedAtMs >= atMs;
    return isInOrder ? [] : [{ gatewayId, isGranted, atMs: Math.max(atMs, guardedAtMs) }];
  });
  const toRevoke = new Set(revoked.map(({ gatewayId }) => gatewayId));
  const untold = [...grants]
    .filter(([gatewayId, times]) => !isSameGrant(reverse.get(gatewayId), times) && !toRevoke.has(gatewayId))
    .map(([gatewayId, times]) => ({ gatewayId, times }));
  return { revoked, untold };
};

const isSameGrant = (one: GrantTimes | undefined, other: GrantTimes): boolean =>
  one?.grantedAtMs === other.grantedAtMs && one.receivedAtMs === other.receivedAtMs;

/** A batch read takes so many keys. */
const batchSize = 100;

const readReverseTimes = async (store: Store, companyId: string, gatewayIds: readonly string[]) => {
  const table = store.tableName('Appliances');
  const times = new Map<string, GrantTimes>();
  for (let start = 0; start < gatewayIds.length; start += batchSize) {
    const Keys = gatewayIds.slice(start, start + batchSize).map((gatewayId) => reverseGrantKey(companyId, gatewayId));
    const items = await batchGet(store, { [table]: { Keys, ConsistentRead: true } });
    for (const item of items(table)) times.set(String(item.gatewayId), item as object as GrantTimes);
  }
  return times;
};

/** Revokes again as of the time of the record, so that what is newer and on its way still counts, and tells gateways whose they are. */
const putGrantsInOrder = async (
  store: Store,
  auditContext: AuditContext,
  { revoked, untold }: GrantDifferences,
): Promise<void> => {
  const { companyId, nowMs } = auditContext;
  for (const { gatewayId, atMs } of revoked) {
    const asOfThen = { ...auditContext, nowMs: atMs, recordedAtMs: nowMs };
    const times = timesOf(asOfThen);
    const change = { gatewayId, isGranted: false, times, condition: unlessOlder(times) };
    if (await transact(store, grantChangeItems(store, asOfThen, [change]))) throw overtaken(companyId, gatewayId);
  }
  for (const { gatewayId, times } of untold) {
    const failed = await transact(store, {
      grant: grantIsSince(store, { companyId, gatewayId }, times),
      reverse: putReverseGrant(store, { companyId, gatewayId }, times),
      audit: auditPut(store, auditContext, { gatewayId, after: { grantedAt: times.grantedAtMs } }),
    });
    if (failed) throw overtaken(companyId, gatewayId);
  }
};

const overtaken = (companyId: string, gatewayId: string) =>
  new OperatorError(
    'conflict',
    `Gateway ${gatewayId} of ${companyId} was changed by somebody else at the same moment. What was done until then stays; run again.`,
  );
