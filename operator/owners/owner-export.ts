import * as z from 'zod';
import { holidayItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { daysOf, type EnergyOfMonth, energyPrefix } from '../../lambdas/data/appliances/energy.ts';
import { readGatewayState, type StateItem } from '../../lambdas/data/appliances/erasure.ts';
import { type HoursOfDay, hoursIn, hoursPrefix } from '../../lambdas/data/appliances/hourly-energy.ts';
import { type MeasurementsItem, measurementsItemKey } from '../../lambdas/data/appliances/measurements.ts';
import { requestAttributes } from '../../lambdas/data/appliances/open-since-index.ts';
import { erasureParties, findContract } from '../../lambdas/data/contracts/contracts.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Holiday, Shadow } from '../../lambdas/domain/appliance.ts';
import { type Contract, gatewayIdsIn } from '../../lambdas/domain/contract.ts';
import { newestDayAt } from '../../lambdas/domain/energy.ts';
import { holidaySince } from '../../lambdas/domain/holiday.ts';
import { measuredSince, measurementsIn } from '../../lambdas/domain/measurement.ts';
import { happenedAtMs } from '../../lambdas/domain/permission.ts';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { mapConcurrently } from '../concurrent.ts';
import { auditEntry, presentAuditRow, withTimestamps } from './audit-entry.ts';
import {
  type GrantAt,
  gatewayIdsOf,
  readChanges,
  readContractsOf,
  readEventsOf,
  readGrantsOf,
  type StoredChange,
} from './known-owner.ts';
import { type KeptLog, keptLog } from './log-groups.ts';

const at = z.iso.datetime();
const values = z.record(z.string(), z.unknown());

/** All stored data of one owner as one document. Its JSON Schema is docs/owner-export.schema.json. */
export const ownerExport = z.strictObject({
  userId: z.string().describe('The owner, as portal and partners name them.'),
  exportedAt: at.describe('The time of the export.'),
  contracts: z
    .array(
      z.strictObject({
        companyId: z.string().describe('The partner.'),
        state: z
          .enum(['unopened', 'active', 'ended', 'erased'])
          .describe(
            'Unopened: the owner has decided something, but the contract was never in force. Erased: only times are left.',
          ),
        since: at.nullable().describe('Since when the contract is in force, or when it ended.'),
        consent: z
          .strictObject({ acceptedVersion: z.int().nullable(), acceptedAt: at.nullable(), changedAt: at.nullable() })
          .describe('The consent to remote control. A withdrawal has no version.'),
        gatewayIds: z.array(z.string()).describe('The gateways on which the partner may act.'),
        erasedAt: at.nullable().describe('When the owner was last erased.'),
        removedAt: at.nullable().describe('When the row is deleted, if no other data of the owner is left.'),
      }),
    )
    .describe('One for each partner.'),
  grants: z
    .array(
      z.strictObject({
        companyId: z.string(),
        gatewayId: z.string(),
        isGranted: z.boolean(),
        changedAt: at.describe('When it was granted or revoked.'),
      }),
    )
    .describe('The gateways on which the owner has let partners act, including revoked grants.'),
  gateways: z
    .array(
      z.strictObject({
        gatewayId: z.string(),
        items: z
          .array(z.strictObject({ item: z.string().describe('Kind and ids.'), values }))
          .describe('The nameplate, and the reported and requested values of each circuit and time program.'),
      }),
    )
    .describe('The state of the gateways that the owner currently grants.'),
  changes: z.array(auditEntry).describe('The audit log of the owner, the newest entry first.'),
  events: z
    .array(
      z.strictObject({
        companyId: z.string().describe('The partner in whose feed it is.'),
        id: z.string(),
        type: z.string(),
        at,
        gatewayId: z.string().nullable(),
        resource: z.string(),
        data: values,
      }),
    )
    .describe('The events about the owner that partners can read, the oldest first.'),
  erasedAt: at
    .nullable()
    .describe(
      'When all data of the owner was last erased, at all companies. Null if never, or if that time is no longer stored.',
    ),
  logs: z.array(keptLog).describe('Logs that also have data of the owner. This document does not contain their lines.'),
});

type OwnerExport = z.output<typeof ownerExport>;

/** Returns the JSON Schema of the document, for the owner's own programs. */
export const ownerExportSchema = (): string => {
  const schema = z.toJSONSchema(ownerExport, {
    override: ({ jsonSchema }) => void (jsonSchema.format && delete jsonSchema.pattern),
  });
  return `${JSON.stringify({ ...schema, title: 'All that the partner API keeps of an owner' }, null, 2)}\n`;
};

type Asked = { readonly userId: string; readonly nowMs: number; readonly logs: readonly KeptLog[] };

/** Reads all stored data of an owner and of no other: of a gateway that moved, only the time in which the owner had it. */
export const exportOwner = async (store: Store, { userId, nowMs, logs }: Asked): Promise<OwnerExport> => {
  const erasure = await findContract(store, erasureParties(userId));
  const contracts = await readContractsOf(store, userId);
  const changes = await readChanges(store, { by: 'user', id: userId });
  const gatewayIds = gatewayIdsOf(contracts, changes);
  const grants = (await mapConcurrently(gatewayIds, (gatewayId) => readGrantsOf(store, userId, gatewayId))).flat();
  const owned = ownedSince(grants);
  const ofGateways = await mapConcurrently([...owned], async ([gatewayId, sinceMs]) => ({
    gatewayId,
    state: (await readGatewayState(store, gatewayId)).map((item) => presentItem(item, { userId, sinceMs })),
    // Changes that no owner requested, such as an operator's.
    changes: (await readChanges(store, { by: 'gateway', id: gatewayId })).filter(
      (row) => row.userId === undefined && Date.parse(row.at) >= sinceMs,
    ),
  }));
  const events = await mapConcurrently(contracts, async ({ companyId }) =>
    (await readEventsOf(store, companyId, userId)).map((event) => ({ companyId, event })),
  );
  return {
    userId,
    exportedAt: toTimestamp(nowMs),
    contracts: contracts.map(presentContract),
    grants: grants.map(({ companyId, gatewayId, known }) => ({
      companyId,
      gatewayId,
      isGranted: known.isGranted,
      changedAt: toTimestamp(happenedAtMs(known)),
    })),
    gateways: ofGateways.map(({ gatewayId, state }) => ({ gatewayId, items: state })),
    changes: [...changes, ...ofGateways.flatMap((each) => each.changes)]
      .sort((one, other) => (one.sk < other.sk ? 1 : -1))
      .map((row) => presentAuditRow(withoutOthers(row, userId))),
    events: events
      .flat()
      .sort((one, other) => one.event.atMs - other.event.atMs)
      .map(({ companyId, event: { id, type, atMs, gatewayId = null, resource, data } }) => ({
        companyId,
        id,
        type,
        at: toTimestamp(atMs),
        gatewayId,
        resource,
        data: { ...data },
      })),
    erasedAt: timeOf(erasure?.erasedAtMs ?? null),
    logs: [...logs],
  };
};

/** Returns the time of the oldest current grant of each gateway that the owner has now, over all companies. */
const ownedSince = (grants: readonly GrantAt[]): ReadonlyMap<string, number> => {
  const since = new Map<string, number>();
  for (const { gatewayId, known } of grants)
    if (known.isGranted)
      since.set(gatewayId, Math.min(happenedAtMs(known), since.get(gatewayId) ?? Number.POSITIVE_INFINITY));
  return since;
};

const timeOf = (ms: number | null) => (ms === null ? null : toTimestamp(ms));

const presentContract = (contract: Contract): OwnerExport['contracts'][number] => {
  const isErased = contract.removeAt !== null;
  return {
    companyId: contract.companyId,
    state: isErased ? 'erased' : contract.state,
    since: contract.state === 'unopened' ? null : toTimestamp(contract.sinceMs),
    consent: {
      acceptedVersion: contract.acceptedConsentVersion,
      acceptedAt: timeOf(contract.acceptedAtMs),
      changedAt: timeOf(contract.consentChangedAtMs),
    },
    gatewayIds: gatewayIdsIn(contract),
    erasedAt: timeOf(contract.erasedAtMs),
    removedAt: contract.removeAt === null ? null : toTimestamp(contract.removeAt * 1000),
  };
};

/**
 * Leaves out the data of other owners: changes requested on their behalf, and energy of days that ended, and of hours that began,
 * measurements, and a holiday, from before the owner's grant.
 */
const presentItem = (
  { gatewayId, sk, ...item }: StateItem,
  { userId, sinceMs }: { readonly userId: string; readonly sinceMs: number },
) => {
  const energyFor = (parts: readonly (readonly [name: string, energy: object])[]) => ({
    item: sk,
    values: Object.fromEntries(parts.map(([name, energy]) => [name, withTimestamps({ ...energy })])),
  });
  if (sk.startsWith(energyPrefix)) {
    const days = daysOf({ sk, ...item } as object as EnergyOfMonth).filter(({ day }) => day >= newestDayAt(sinceMs));
    return energyFor(days.map(({ day, ...energy }) => [day, energy]));
  }
  if (sk.startsWith(hoursPrefix)) {
    const hours = hoursIn({ sk, ...item } as object as HoursOfDay).filter(({ startMs }) => startMs >= sinceMs);
    return energyFor(hours.map(({ startMs, ...energy }) => [toTimestamp(startMs), energy]));
  }
  if (sk === measurementsItemKey('').sk) {
    const { measurements } = item as object as MeasurementsItem;
    const own = measurementsIn(measuredSince(measurements, sinceMs));
    return { item: sk, values: { measurements: own.map((each) => withTimestamps(each)) } };
  }
  const { lastDropped, ...stored } =
    sk === holidayItemKey('').sk ? holidaySince(item as object as Holiday, sinceMs) : item;
  const { desired, desiredBy, lastRefusal }: Partial<Shadow> = stored;
  const reported = Object.fromEntries(Object.entries(stored).filter(([name]) => !requestAttributes.includes(name)));
  const isTheirs = ([name]: readonly [string, unknown]): boolean => desiredBy?.[name]?.userId === userId;
  const own = Object.entries({ ...desired }).filter(isTheirs);
  const requesters = Object.entries({ ...desiredBy }).filter(isTheirs);
  const shown =
    own.length > 0
      ? { ...reported, desired: Object.fromEntries(own), desiredBy: Object.fromEntries(requesters), lastRefusal }
      : reported;
  const known = Object.entries(shown).filter(
    ([name, value]) => value !== undefined && !(name === 'removedAtMs' && value === 0),
  );
  return { item: sk, values: withTimestamps(Object.fromEntries(known)) ?? {} };
};

/** Removes the id of another owner who had the gateway before. */
const withoutOthers = ({ after, ...row }: StoredChange, userId: string): StoredChange => {
  if (after === undefined) return row;
  const { formerUserId, ...rest } = after;
  return { ...row, after: formerUserId === userId ? after : rest };
};
