import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { AuditRow } from '../../lambdas/data/audit/audit-log.ts';
import { readAllPages } from '../../lambdas/data/store/all-pages.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';

/** What the audit log says of a company since a second: of each thing the last act. */
export type AuditRecord = {
  /** Whether there is any act after that second. */
  readonly isLater: boolean;
  readonly deletedKeys: ReadonlySet<string>;
  /** Those that were made and not deleted again. */
  readonly createdKeys: ReadonlySet<string>;
  /** The values of the contract that were set. */
  readonly contract: Partial<Contract>;
  /** The gateways that were granted (true) or revoked (false). */
  readonly grants: ReadonlyMap<string, boolean>;
  /** The gateways whose appliances were asked to change something. */
  readonly changedGateways: ReadonlySet<string>;
};

const deletions: readonly string[] = ['deleteApiKey', 'key revoke', 'restore reconcile'];
const creations: readonly string[] = ['createApiKey', 'key issue', 'company onboard'];

/** A row bears the time at which its request began, which may be a while before it was written. */
const lookBackMs = 3_600_000;

/** Reads the record from the tables that hold it. What the copying of a restore has done itself is left out. */
export const readAuditRecord = async (
  store: Store,
  auditTables: readonly string[],
  companyId: string,
  sinceMs: number,
): Promise<AuditRecord> => {
  const found = await Promise.all(auditTables.map((table) => readRows(store, table, companyId, sinceMs - lookBackMs)));
  const rows = [...new Map(found.flat().map((row) => [row.sk, row])).values()]
    .filter(({ operation }) => operation !== 'restore copy')
    .sort((one, other) => (one.sk < other.sk ? -1 : 1));
  // Acts that show a key again neither make nor delete it, and bear a time of their own.
  const ofKeys = rows.filter(({ operation }) => [...creations, ...deletions].includes(operation));
  const keys = new Map(ofKeys.flatMap(({ keyId, operation }) => (keyId ? [[keyId, operation] as const] : [])));
  const keysAfter = (operations: readonly string[]) =>
    new Set([...keys].flatMap(([keyId, operation]) => (operations.includes(operation) ? [keyId] : [])));
  const ofGateways = rows.filter(({ gatewayId }) => gatewayId !== undefined);
  return {
    isLater: rows.some(({ at }) => Date.parse(at) > sinceMs),
    deletedKeys: keysAfter(deletions),
    createdKeys: keysAfter(creations),
    contract: Object.assign({}, ...rows.filter(({ gatewayId }) => gatewayId === undefined).map(({ after }) => after)),
    grants: new Map(
      ofGateways.flatMap(({ gatewayId = '', after }) =>
        typeof after?.isGranted === 'boolean' ? [[gatewayId, after.isGranted] as const] : [],
      ),
    ),
    changedGateways: new Set(
      ofGateways.filter(({ after }) => after === undefined).map(({ gatewayId = '' }) => gatewayId),
    ),
  };
};

type Row = AuditRow & { readonly sk: string; readonly keyId?: string; readonly gatewayId?: string };

const readRows = async (store: Store, TableName: string, companyId: string, sinceMs: number): Promise<Row[]> => {
  const items = await readAllPages((after) =>
    store.send(
      new QueryCommand({
        TableName,
        ConsistentRead: true,
        KeyConditionExpression: 'subject = :companyId AND sk >= :since',
        ExpressionAttributeValues: { ':companyId': companyId, ':since': new Date(sinceMs).toISOString() },
        ExclusiveStartKey: after,
      }),
    ),
  );
  return items as Row[];
};

/** Reads the record of each company once, when it is first asked for. */
export const recordsOf = (store: Store, auditTables: readonly string[], sinceMs: number) => {
  const records = new Map<string, Promise<AuditRecord>>();
  return {
    of: (companyId: string): Promise<AuditRecord> => {
      const record = records.get(companyId) ?? readAuditRecord(store, auditTables, companyId, sinceMs);
      records.set(companyId, record);
      return record;
    },
  };
};

export type Records = ReturnType<typeof recordsOf>;
