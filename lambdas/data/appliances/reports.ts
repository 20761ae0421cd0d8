import {
  type FactTimes,
  isFulfilledBy,
  isMadeSince,
  latestRequestMs,
  mayConfirmByValues,
  type Refusal,
  type Shadow,
} from '../../domain/appliance.ts';
import { absentAt, isRemoved } from '../../domain/gateway.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { transact, updateIf } from '../store/writes.ts';
import type { ApplianceItemKey } from './appliances.ts';
import { type FactOutcome, outcomeWithoutGateway, readInventory } from './inventory.ts';
import { placeFor } from './item-limits.ts';
import { closed } from './open-since-index.ts';

export type Report = {
  /** The ids of the item, which its first report stores. */
  readonly ids?: Readonly<Record<string, string>>;
  /** Settings and measurements in their normal form. One that is absent keeps the value that was reported last. */
  readonly reported: object;
  /** The version of the requested change that the appliance has fulfilled, if the gateway reports it. */
  readonly fulfilsVersion?: number | undefined;
};

/**
 * Stores what an appliance reports of a circuit, a time program or a holiday, if it is newer than what is stored, and removes
 * the requested change that the report confirms, in the same write. A report with the version of the change confirms it even if
 * a newer report was faster, whose values stay. A report without a version confirms the change if the report is the newest and
 * shows everything that is desired. The first report of an item creates it, with its ids.
 */
export const report = (
  store: Store,
  key: ApplianceItemKey,
  reported: Report,
  times: FactTimes,
): Promise<FactOutcome> => {
  // Versions begin at 1; a backend in Go sends 0 for a missing version.
  const given = { ...reported, fulfilsVersion: reported.fulfilsVersion || undefined };
  // An attempt fails if it was the first, and the item is not as most are, or if the item was written concurrently.
  return retryingFrom(undefined as Shadow | undefined, { to: 'take over a report', atMost: 10 }, async (seen) => {
    const unused = seen && isAhead(given, seen) ? unknownVersion(seen.version) : undefined;
    const effect = seen ? effectOn(seen, given, times) : usualEffect(given, times);
    if (!effect) return outcomeOf(false, unused);
    const { isApplied, item } = await updateIf(store, 'Appliances', { Key: key, ...updateOf(effect, given, times) });
    if (isApplied) return outcomeOf(true, unused);
    if (item) return again(item as Shadow);
    const creation = await create(store, key, given, times);
    return creation === 'exists' ? again(undefined) : creation;
  });
};

/** What a report changes in its item, if the item meets a condition. */
type Effect = {
  readonly takesOver: boolean;
  readonly confirms: boolean;
  readonly condition: string;
  /** The values of the condition, but for the time of the report. */
  readonly values?: Readonly<Record<string, unknown>>;
};

/** The effect on most items, which needs no read: the report is newer, and confirms its own version or nothing is open. */
const usualEffect = ({ fulfilsVersion: version }: Report, times: FactTimes): Effect =>
  version === undefined
    ? { takesOver: true, confirms: false, condition: 'reportedAtMs < :at AND attribute_not_exists(desired)' }
    : {
        takesOver: true,
        confirms: true,
        condition:
          'reportedAtMs < :at AND version = :version AND (attribute_not_exists(desiredAtMs) OR desiredAtMs <= :latestRequest)',
        values: { ':version': version, ':latestRequest': latestRequestMs(times) },
      };

/** Returns the effect on an item as it was seen; undefined if the report is stale. */
const effectOn = (seen: Shadow, given: Report, times: FactTimes): Effect | undefined => {
  const takesOver = seen.reportedAtMs < times.atMs;
  const confirms = seen.desired !== undefined && isConfirmedBy(seen, given, times, takesOver);
  if (!takesOver && !confirms) return undefined;
  return {
    takesOver,
    confirms,
    condition: `version = :version AND reportedAtMs = :seenAt AND ${seen.desired ? 'attribute_exists' : 'attribute_not_exists'}(desired)`,
    values: { ':version': seen.version, ':seenAt': seen.reportedAtMs },
  };
};

const isConfirmedBy = (seen: Shadow, given: Report, times: FactTimes, isNewest: boolean): boolean =>
  given.fulfilsVersion === undefined
    ? isNewest && mayConfirmByValues(seen, times) && isFulfilledBy(seen, given.reported, times.atMs)
    : given.fulfilsVersion === seen.version && isMadeSince(seen, times);

/** The mark of an item that its gateway has answered with a version. */
const answered = { answersWithVersions: true };

const updateOf = (
  { takesOver, confirms, condition, values }: Effect,
  { reported, fulfilsVersion }: Report,
  { atMs, receivedAtMs }: FactTimes,
) => {
  const taken = takesOver ? Object.entries(reported) : [];
  const sets = [
    'receivedAtMs = :receivedAt',
    ...(takesOver ? ['reportedAtMs = :at'] : []),
    ...taken.map(([name]) => `reported.#${name} = :reported_${name}`),
    ...(fulfilsVersion === undefined ? [] : ['answersWithVersions = :true']),
  ];
  return {
    UpdateExpression: `SET ${sets.join(', ')} ${confirms ? closed : ''}`,
    ConditionExpression: condition,
    ...(taken.length > 0 && {
      ExpressionAttributeNames: Object.fromEntries(taken.map(([name]) => [`#${name}`, name])),
    }),
    ExpressionAttributeValues: {
      ':receivedAt': receivedAtMs,
      ...(takesOver && { ':at': atMs }),
      ...Object.fromEntries(taken.map(([name, value]) => [`:reported_${name}`, value])),
      ...(fulfilsVersion !== undefined && { ':true': true }),
      ...values,
    },
  };
};

const outcomeOf = (isApplied: boolean, unused?: string): FactOutcome => ({
  outcome: isApplied ? 'applied' : 'stale',
  ...(unused !== undefined && { unused }),
});

/** No change of that version was requested yet, so no appliance can have fulfilled it. */
const isAhead = ({ fulfilsVersion = 0 }: Report, { version }: Pick<Shadow, 'version'>): boolean =>
  fulfilsVersion > version;

const unknownVersion = (newest: number): string =>
  `/data/fulfilsVersion: Expected a version of a change that was requested, ${newest} at most.`;

/** Creates the item if its gateway has it at the time of the report; returns `exists` if another write was faster. */
const create = async (
  store: Store,
  key: ApplianceItemKey,
  { ids, reported, fulfilsVersion }: Report,
  { atMs: reportedAtMs, receivedAtMs }: FactTimes,
) => {
  const inventory = await readInventory(store, key.gatewayId);
  if (!inventory || isRemoved(inventory)) return { outcome: outcomeWithoutGateway(inventory, reportedAtMs) };
  if (reportedAtMs <= absentAt(inventory, key.sk)) return outcomeOf(false);
  const place = await placeFor(store, key, inventory);
  if (!place.check) return { outcome: 'noted', unused: place.expected } as const;
  const version = inventory.lastVersion + 1;
  const failed = await transact(store, {
    inventory: place.check,
    item: {
      Put: {
        TableName: store.tableName('Appliances'),
        Item: { ...key, ...ids, reported, reportedAtMs, receivedAtMs, version, ...(fulfilsVersion && answered) },
        ConditionExpression: 'attribute_not_exists(sk)',
      },
    },
  });
  return failed
    ? 'exists'
    : outcomeOf(true, isAhead({ reported, fulfilsVersion }, { version }) ? unknownVersion(version) : undefined);
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
      'version = :version AND desiredAtMs <= :latestRequest AND (attribute_not_exists(lastRefusal) OR lastRefusal.atMs < :at)',
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
