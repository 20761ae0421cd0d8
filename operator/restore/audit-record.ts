import { maxClockAheadMs } from '../../lambdas/api/inbound-events/inbound-event.ts';
import { factMsOf, readAuditSince, type StoredAuditRow } from '../../lambdas/data/audit.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Company } from '../../lambdas/domain/company.ts';
import { type Consent, noConsent } from '../../lambdas/domain/consent.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';

export type RecordedGrant = { readonly isGranted: boolean; readonly atMs: number };

type RecordedWebhook = {
  readonly isDeleted: boolean;
  readonly secretVersion: number | undefined;
  /** When an operator disabled it, unless its state was changed on record since. */
  readonly disabledAtMs: number | undefined;
};

/** What the audit log says about a company since a second: the last change of each item. */
export type AuditRecord = {
  /** The audit rows after that second, oldest first, also those of `restore copy`. */
  readonly since: readonly StoredAuditRow[];
  readonly deletedKeys: ReadonlySet<string>;
  /** Keys that were created and not deleted since. */
  readonly createdKeys: ReadonlySet<string>;
  /** The last values that were set on the company. */
  readonly company: Partial<Company>;
  /** The last values that were set on its contracts, by owner. */
  readonly contracts: ReadonlyMap<string, Partial<Contract>>;
  /** The changed webhooks. */
  readonly webhooks: ReadonlyMap<string, RecordedWebhook>;
  /** The gateways that were granted or revoked, and when, by owner. */
  readonly grants: ReadonlyMap<string, ReadonlyMap<string, RecordedGrant>>;
};

const deletions: readonly string[] = ['deleteApiKey', 'key revoke', 'restore reconcile'];
const creations: readonly string[] = ['createApiKey', 'key issue', 'company onboard'];

/** The names of AuditLog and, if it is there, of the restored one. */
type AuditTables = readonly [own: string, restored?: string | undefined];

/** A row has the time at which its request began, which may be earlier than the write. */
const lookBackMs = 3_600_000;

/**
 * Reads the record from AuditLog and, if there is one, from the AuditLog that was restored to that second. Except for `since`,
 * it leaves out the rows that `restore copy` wrote.
 */
export const readAuditRecord = async (
  store: Store,
  [own, restored]: AuditTables,
  companyId: string,
  sinceMs: number,
): Promise<AuditRecord> => {
  const read = (table: string) => readAuditSince(store, table, companyId, sinceMs - lookBackMs);
  const [ownRows, restoredRows] = await Promise.all([read(own), restored === undefined ? undefined : read(restored)]);
  const written = [...new Map([...(restoredRows ?? []), ...ownRows].map((row) => [row.sk, row])).values()].sort(byTime);
  const rows = written.filter(({ operation }) => operation !== 'restore copy');
  const atThatSecond = restoredRows && new Set(restoredRows.map(({ sk }) => sk));
  // Operations that show a key again neither create nor delete it. A deletion is final, also by a clock that is behind.
  const keysOf = (operations: readonly string[]) =>
    rows.flatMap(({ keyId, operation }) => (keyId && operations.includes(operation) ? [keyId] : []));
  const deletedKeys = new Set(keysOf(deletions));
  return {
    since: written.filter(({ at, sk }) => Date.parse(at) > sinceMs || atThatSecond?.has(sk) === false),
    deletedKeys,
    createdKeys: new Set(keysOf(creations).filter((keyId) => !deletedKeys.has(keyId))),
    company: valuesIn(
      rows.filter(({ userId }) => userId === undefined),
      companyValues,
    ),
    contracts: new Map(
      [...new Set(rows.flatMap(({ userId }) => userId ?? []))].map((owner) => [
        owner,
        contractValuesIn(rows.filter(({ userId }) => userId === owner)),
      ]),
    ),
    webhooks: webhooksIn(rows),
    grants: grantsIn(rows),
  };
};

const companyValues: readonly string[] = ['name', 'state', 'allowedCidrs', 'webhookHosts'] satisfies (keyof Company)[];

/** The values of a contract that change together, with the time that orders them. */
const contractValues = [
  {
    names: ['state', 'sinceMs', 'stateChangedAtMs', 'stateClaimedAtMs'] satisfies (keyof Contract)[],
    claimed: 'stateClaimedAtMs',
  },
  { names: Object.keys(noConsent) as (keyof Consent)[], claimed: 'consentClaimedAtMs' },
] as const;

const contractValuesIn = (rows: readonly StoredAuditRow[]): Partial<Contract> =>
  Object.assign({}, ...contractValues.map(({ names, claimed }) => valuesIn(inClaimedOrder(rows, claimed), names)));

/**
 * Sorts changes of a contract by the claimed time that each has left, which never decreases and may be later than its own: an
 * end by a slow clock ends what a fast clock has opened. A change without such a time keeps its place on record.
 */
const inClaimedOrder = (rows: readonly StoredAuditRow[], claimed: string): StoredAuditRow[] => {
  let knownMs = 0;
  const timed = rows.toSorted(byRecord).map((row) => {
    const atMs = Number(row.after?.[claimed] ?? knownMs);
    knownMs = Math.max(knownMs, atMs);
    return { row, atMs };
  });
  return timed.toSorted((one, other) => one.atMs - other.atMs).map(({ row }) => row);
};

/** Returns the last value that was set for each of these names. */
const valuesIn = (rows: readonly StoredAuditRow[], names: readonly string[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    rows
      .filter(({ gatewayId, webhookId }) => gatewayId === undefined && webhookId === undefined)
      .flatMap(({ after = {} }) => Object.entries(after))
      .filter(([name]) => names.includes(name)),
  );

/** A change of an owner's grant, and the position of its row; a reconciliation repeats an earlier one. */
type Recorded = RecordedGrant & { readonly sk: string };

/** A grant revokes the grant of the former owner. */
const grantsIn = (rows: readonly StoredAuditRow[]): Map<string, Map<string, RecordedGrant>> => {
  const grants = new Map<string, Map<string, Recorded>>();
  for (const row of rows) {
    const { gatewayId, userId, after } = row;
    if (gatewayId === undefined || userId === undefined || typeof after?.isGranted !== 'boolean') continue;
    const record = (owner: string, isGranted: boolean) => {
      const ofOwner = grants.get(owner) ?? new Map<string, Recorded>();
      grants.set(owner, ofOwner.set(gatewayId, changedBy(ofOwner.get(gatewayId), row, isGranted)));
    };
    if (typeof after.formerUserId === 'string') record(after.formerUserId, false);
    record(userId, after.isGranted);
  }
  return new Map([...grants].map(([owner, ofOwner]) => [owner, new Map([...ofOwner].map(withoutRow))]));
};

/** Whether an act on a gateway revokes the grant of this owner, as a grant by another owner does. */
export const revokesGrant = ({ userId, after }: StoredAuditRow, owner: string): boolean =>
  after?.formerUserId === owner || (userId === owner && after?.isGranted === false);

const withoutRow = ([gatewayId, { sk, ...grant }]: [string, Recorded]): [string, RecordedGrant] => [gatewayId, grant];

/**
 * A revocation that arrives late keeps the time of a newer one. It also ends a grant that is on record before it, and claims a
 * later time by a clock that is ahead.
 */
const changedBy = (before: Recorded | undefined, row: StoredAuditRow, isGrant: boolean): Recorded => {
  const revoked = before && !before.isGranted ? before : undefined;
  const factMs = factMsOf(row);
  const isEnded = revoked !== undefined && row.sk < revoked.sk && factMs - revoked.atMs <= maxClockAheadMs;
  const isGranted = isGrant && !isEnded;
  return {
    isGranted,
    atMs: isGranted ? factMs : Math.max(factMs, revoked?.atMs ?? 0),
    sk: isEnded ? revoked.sk : row.operation === 'restore reconcile' ? '' : row.sk,
  };
};

const webhooksIn = (rows: readonly StoredAuditRow[]): Map<string, RecordedWebhook> => {
  const ofWebhooks = Map.groupBy(
    rows.filter(({ webhookId }) => webhookId !== undefined),
    ({ webhookId = '' }) => webhookId,
  );
  return new Map(
    [...ofWebhooks].map(([webhookId, acts]) => [
      webhookId,
      {
        // A deletion is final, also by a clock that is behind.
        isDeleted: acts.some(({ operation }) => operation === 'deleteWebhook'),
        secretVersion: acts.findLast(({ after }) => after?.secretVersion !== undefined)?.after?.secretVersion as
          | number
          | undefined,
        disabledAtMs: disabledAtMs(acts),
      },
    ]),
  );
};

const disabledAtMs = (acts: readonly StoredAuditRow[]): number | undefined => {
  const last = acts.findLast(({ after }) => after?.state !== undefined);
  return last?.operation === 'webhook disable' ? factMsOf(last) : undefined;
};

/** Sorts by the time of the fact; the last row applies. An event may be recorded after a change that is later than its fact. */
const byTime = (one: StoredAuditRow, other: StoredAuditRow): number =>
  factMsOf(one) - factMsOf(other) || byRecord(one, other);

const byRecord = (one: StoredAuditRow, other: StoredAuditRow): number => (one.sk < other.sk ? -1 : 1);

/** Returns a cache that reads the record of each company once, at its first use. */
export const recordsOf = (store: Store, auditTables: AuditTables, sinceMs: number) => {
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
