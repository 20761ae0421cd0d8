import {
  type FactTimes,
  isFulfilledBy,
  isMadeSince,
  latestRequestMs,
  type Refusal,
  type Shadow,
} from '../../domain/appliance.ts';
import { absentAt, isRemoved } from '../../domain/gateway.ts';
import { retrying } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { transact, updateIf } from '../store/writes.ts';
import type { ApplianceItemKey } from './appliances.ts';
import { type FactOutcome, inventoryIsUnchanged, outcomeWithoutGateway, readInventory } from './inventory.ts';
import { fulfilled } from './open-since-index.ts';

export type Report = {
  /** The ids of the item, which its first report stores. */
  readonly ids?: Readonly<Record<string, string>>;
  /** Settings and measurements in their normal form. One that is absent keeps the value that was reported last. */
  readonly reported: object;
  /** The version of the requested change that the appliance has fulfilled, if the gateway reports it. */
  readonly fulfilsVersion?: number | undefined;
};

type VersionedReport = Report & { readonly fulfilsVersion: number };

/**
 * Stores what an appliance reports of a circuit, a time program or a holiday, if it is newer than what is stored. A
 * confirmation counts even if a newer report was faster: the requested change is fulfilled, and the values stay. The first
 * report of an item creates it, with its ids.
 */
export const report = (store: Store, key: ApplianceItemKey, given: Report, times: FactTimes): Promise<FactOutcome> => {
  // Versions begin at 1; a backend in Go sends 0 for a missing version.
  const version = given.fulfilsVersion || undefined;
  // An attempt fails if the item was created or deleted concurrently.
  return retrying({ to: 'take over a report', atMost: 10 }, async () => {
    const outcome =
      version === undefined
        ? await reportWithoutVersion(store, key, given, times)
        : await reportWithVersion(store, key, { ...given, fulfilsVersion: version }, times);
    if (outcome !== 'absent') return outcome;
    const creation = await create(store, key, given, times);
    return creation === 'exists' ? undefined : creation;
  });
};

const reportWithoutVersion = async (store: Store, key: ApplianceItemKey, given: Report, times: FactTimes) => {
  const { isApplied, item } = await updateIf(store, 'Appliances', takeOver(key, given, times));
  if (!item) return 'absent';
  const shadow = item as Shadow;
  const isFulfilled = isMadeSince(shadow, times) && isFulfilledBy(shadow, given.reported, times.atMs);
  const hasFulfilled = isFulfilled && (await fulfil(store, key, shadow.version, times));
  return outcomeOf(isApplied || hasFulfilled);
};

const reportWithVersion = async (store: Store, key: ApplianceItemKey, given: VersionedReport, times: FactTimes) => {
  const { fulfilsVersion: version } = given;
  const { isApplied, item } = await updateIf(store, 'Appliances', takeOverAndFulfil(key, given, times));
  if (isApplied) return outcomeOf(true);
  if (!item) return 'absent';
  const shadow = item as Shadow;
  const isAnswer = shadow.version === version && isMadeSince(shadow, times);
  if (isAnswer && (await fulfil(store, key, version, times))) return outcomeOf(true);
  // The values count like those of any other report.
  const { isApplied: isTaken } = await updateIf(store, 'Appliances', takeOver(key, given, times));
  return outcomeOf(isTaken, isAhead(version, shadow) ? unknownVersion(shadow.version) : undefined);
};

const outcomeOf = (isApplied: boolean, unused?: string): FactOutcome => ({
  outcome: isApplied ? 'applied' : 'stale',
  ...(unused !== undefined && { unused }),
});

/** No change of that version was requested yet, so no appliance can have fulfilled it. */
const isAhead = (version: number, shadow: Pick<Shadow, 'version'>): boolean => version > shadow.version;

const unknownVersion = (newest: number): string =>
  `/data/fulfilsVersion: Expected a version of a change that was requested, ${newest} at most.`;

const takeOver = (key: ApplianceItemKey, { reported }: Report, { atMs, receivedAtMs }: FactTimes) => {
  const values = Object.entries(reported);
  const each = values.map(([name]) => `reported.#${name} = :reported_${name}`);
  return {
    Key: key,
    UpdateExpression: `SET ${['reportedAtMs = :at', 'receivedAtMs = :receivedAt', ...each].join(', ')}`,
    ConditionExpression: 'reportedAtMs < :at',
    ...(values.length > 0 && {
      ExpressionAttributeNames: Object.fromEntries(values.map(([name]) => [`#${name}`, name])),
    }),
    ExpressionAttributeValues: {
      ':at': atMs,
      ':receivedAt': receivedAtMs,
      ...Object.fromEntries(values.map(([name, value]) => [`:reported_${name}`, value])),
    },
  };
};

const takeOverAndFulfil = (key: ApplianceItemKey, given: VersionedReport, times: FactTimes) => {
  const update = takeOver(key, given, times);
  return {
    ...update,
    UpdateExpression: `${update.UpdateExpression} ${fulfilled}`,
    ConditionExpression: `${update.ConditionExpression} AND version = :version AND (attribute_not_exists(desiredBy) OR desiredBy.atMs <= :latestRequest)`,
    ExpressionAttributeValues: {
      ...update.ExpressionAttributeValues,
      ':version': given.fulfilsVersion,
      ':latestRequest': latestRequestMs(times),
    },
  };
};

/** Removes the requested change of this version; resolves to whether it was still open. */
const fulfil = async (
  store: Store,
  key: ApplianceItemKey,
  version: number,
  { receivedAtMs }: FactTimes,
): Promise<boolean> => {
  const { isApplied } = await updateIf(store, 'Appliances', {
    Key: key,
    UpdateExpression: `SET receivedAtMs = :receivedAt ${fulfilled}`,
    ConditionExpression: 'version = :version AND attribute_exists(desired)',
    ExpressionAttributeValues: { ':version': version, ':receivedAt': receivedAtMs },
  });
  return isApplied;
};

/** Creates the item if its gateway has it at the time of the report; returns `exists` if another write was faster. */
const create = async (
  store: Store,
  key: ApplianceItemKey,
  { ids, reported, fulfilsVersion = 0 }: Report,
  { atMs: reportedAtMs, receivedAtMs }: FactTimes,
) => {
  const inventory = await readInventory(store, key.gatewayId);
  if (!inventory || isRemoved(inventory)) return { outcome: outcomeWithoutGateway(inventory, reportedAtMs) };
  if (reportedAtMs <= absentAt(inventory, key.sk)) return outcomeOf(false);
  const version = (inventory.lastVersions[key.sk] ?? 0) + 1;
  const failed = await transact(store, {
    inventory: inventoryIsUnchanged(store, key.gatewayId, inventory),
    item: {
      Put: {
        TableName: store.tableName('Appliances'),
        Item: { ...key, ...ids, reported, reportedAtMs, receivedAtMs, version },
        ConditionExpression: 'attribute_not_exists(sk)',
      },
    },
  });
  return failed
    ? 'exists'
    : outcomeOf(true, isAhead(fulfilsVersion, { version }) ? unknownVersion(version) : undefined);
};

/**
 * Stores that the appliance refuses the requested change of a version. The change stays pending, with the reason why it is not
 * fulfilled. A change that was fulfilled or replaced since then is not refused.
 */
export const refuseChange = async (
  store: Store,
  key: ApplianceItemKey,
  { version, reason, detail }: Omit<Refusal, keyof FactTimes>,
  times: FactTimes,
): Promise<FactOutcome> => {
  const { isApplied, item } = await updateIf(store, 'Appliances', {
    Key: key,
    UpdateExpression: 'SET lastRefusal = :refusal',
    ConditionExpression:
      'version = :version AND desiredBy.atMs <= :latestRequest AND (attribute_not_exists(lastRefusal) OR lastRefusal.atMs < :at)',
    ExpressionAttributeValues: {
      ':refusal': { version, reason, detail, ...times },
      ':version': version,
      ':latestRequest': latestRequestMs(times),
      ':at': times.atMs,
    },
  });
  if (isApplied) return { outcome: 'applied' };
  if (item) return { outcome: (item as Shadow).version < version ? 'version-not-found' : 'stale' };
  return outcomeWithoutItem(store, key, times.atMs);
};

const outcomeWithoutItem = async (
  store: Store,
  { gatewayId, sk }: ApplianceItemKey,
  atMs: number,
): Promise<FactOutcome> => {
  const inventory = await readInventory(store, gatewayId);
  if (!inventory || isRemoved(inventory)) return { outcome: outcomeWithoutGateway(inventory, atMs) };
  return { outcome: atMs <= absentAt(inventory, sk) ? 'stale' : 'version-not-found' };
};
