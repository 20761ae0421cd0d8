import {
  type Circuit,
  type FactTimes,
  isFulfilledBy,
  isMadeSince,
  isOver,
  latestRequestMs,
  mayConfirmByValues,
  type Refusal,
  type Shadow,
} from '../../domain/appliance.ts';
import { absentAt, isRemoved } from '../../domain/gateway.ts';
import { levelsApart, levelsTogether, reportedName } from '../../domain/level-setpoints.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { transact, updateIf } from '../store/writes.ts';
import { type ApplianceItemKey, settingsOf } from './appliances.ts';
import { type FactOutcome, outcomeWithoutGateway, readInventory } from './inventory.ts';
import { placeFor } from './item-limits.ts';
import { closed } from './open-since-index.ts';

export type Report = {
  /** The ids of the item, which its first report stores. */
  readonly ids?: Readonly<Record<string, string>>;
  /** Settings and measurements in their normal form. One that is absent keeps the value that was reported last. */
  readonly reported: object;
  /** What the report means by leaving out settings, unless it confirms a request for them. */
  readonly byDefault?: object;
  /** The version of the requested change that the appliance has fulfilled, if the gateway reports it. */
  readonly fulfilsVersion?: number | undefined;
};

/**
 * Stores what an appliance reports of a circuit, a time program or a holiday, if it is newer than what is stored, and removes
 * the requested change that the report confirms, in the same write. A report with the version of the change confirms it even if
 * a newer report was faster, whose values stay. A report without a version confirms the change if the report is the newest and
 * shows everything that is desired. What the report of a confirmation does not say, is what was asked for. The first report of
 * an item creates it, with its ids.
 */
export const report = (store: Store, key: ApplianceItemKey, sent: Report, times: FactTimes): Promise<FactOutcome> => {
  // Versions begin at 1; a backend in Go sends 0 for a missing version.
  const given = { ...sent, fulfilsVersion: sent.fulfilsVersion || undefined };
  // An attempt fails if it was the first, and the item is not as most are, or if the item was written concurrently.
  return retryingFrom(undefined as Shadow | undefined, { to: 'take over a report', atMost: 10 }, async (seen) => {
    const unused = seen && isAhead(given, seen) ? unknownVersion(seen.version) : undefined;
    const effect = seen ? effectOn(seen, given, times) : usualEffect(key, given, times);
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
  /** Whether the report becomes the newest. */
  readonly isNewest: boolean;
  readonly confirms: boolean;
  readonly values: Values;
  /** What stays desired, and the report does not say. */
  readonly unsaid?: readonly string[];
  readonly condition: string;
  /** The names and values of the condition, but for the time of the report. */
  readonly names?: Readonly<Record<string, string>>;
  readonly bounds?: Values;
};

type Values = Readonly<Record<string, unknown>>;

/**
 * The effect on most items, which needs no read: the report is newer, and nothing is open, or the report has its version and
 * says all that is desired. Which levels are desired cannot be part of a condition: their names are not known.
 */
const usualEffect = ({ sk }: ApplianceItemKey, given: Report, times: FactTimes): Effect => {
  const { fulfilsVersion: version } = given;
  const values = valuesOf(given);
  const usual = { isNewest: true, values };
  if (version === undefined)
    return { ...usual, confirms: false, condition: 'reportedAtMs < :reportedAtMs AND attribute_not_exists(desired)' };
  const others = settingsOf(sk).filter((name) => !Object.hasOwn(given.reported, name));
  return {
    ...usual,
    confirms: true,
    condition: [
      'reportedAtMs < :reportedAtMs AND version = :version AND (attribute_not_exists(desiredAtMs) OR desiredAtMs <= :latestRequest)',
      ...others.map((name) => `attribute_not_exists(desired.#${name})`),
      'attribute_not_exists(desiresLevels)',
    ].join(' AND '),
    names: namesOf(others),
    bounds: { ':version': version, ':latestRequest': latestRequestMs(times) },
  };
};

const valuesOf = ({ reported, byDefault }: Report): Values => ({ ...byDefault, ...reported });

/** Returns the effect on an item as it was seen; undefined if the report is stale. */
const effectOn = (seen: Shadow, given: Report, times: FactTimes): Effect | undefined => {
  const { desired, reportedAtMs, version, unsaid = [] } = seen;
  const isNewest = reportedAtMs < times.atMs;
  const confirms = desired !== undefined && isConfirmedBy(seen, given, times, isNewest);
  if (!isNewest && !confirms) return undefined;
  const said = valuesOf(given);
  const confirmed = confirms ? { ...said, ...askedFor(desired, given, times.atMs) } : said;
  return {
    isNewest,
    confirms,
    values: levelsTogether(isNewest ? confirmed : only(unsaid, levelsApart(confirmed)), levelsIn(seen)),
    ...(desired && !confirms && { unsaid: namesNotIn(said, desired) }),
    condition: `version = :version AND reportedAtMs = :seenAt AND ${desired ? 'attribute_exists' : 'attribute_not_exists'}(desired)`,
    bounds: { ':version': version, ':seenAt': reportedAtMs },
  };
};

/**
 * Returns what was asked for where a report that confirms it does not say it: a part that is absent, or cannot be read. An
 * override or a holiday that is over is none.
 */
const askedFor = (desired: object, { reported, byDefault = {} }: Report, atMs: number): Values => {
  const said = levelsApart(reported);
  return Object.fromEntries(
    Object.entries(desired).flatMap(([name, asked]) => {
      if (Object.hasOwn(said, name)) return [];
      const value = isOver(name, asked, atMs) ? null : asked;
      return value === null && Object.hasOwn(byDefault, name) ? [] : [[name, value]];
    }),
  );
};

/** A report with levels says that there are no others, even if it does not have the desired one. */
const namesNotIn = (said: Values, desired: object): string[] =>
  Object.keys(desired).filter((name) => !Object.hasOwn(said, reportedName(name)));

const levelsIn = ({ reported }: Shadow) => (reported as Partial<Circuit['reported']>).levelSetpoints;

const only = (names: readonly string[], values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));

const isConfirmedBy = (seen: Shadow, given: Report, times: FactTimes, isNewest: boolean): boolean =>
  given.fulfilsVersion === undefined
    ? isNewest && mayConfirmByValues(seen, times) && isFulfilledBy(seen, valuesOf(given), times.atMs)
    : given.fulfilsVersion === seen.version && isMadeSince(seen, times);

const updateOf = (
  { isNewest, confirms, values, unsaid, condition, names, bounds }: Effect,
  { fulfilsVersion }: Report,
  { atMs, receivedAtMs }: FactTimes,
) => {
  const taken = Object.entries(values);
  const set: Values = {
    receivedAtMs,
    ...(isNewest && { reportedAtMs: atMs }),
    ...(fulfilsVersion !== undefined && answered),
    ...(unsaid && { unsaid }),
  };
  const sets = [
    ...Object.keys(set).map((name) => `${name} = :${name}`),
    ...taken.map(([name]) => `reported.#${name} = :reported_${name}`),
  ];
  const allNames = { ...names, ...namesOf(Object.keys(values)) };
  return {
    UpdateExpression: `SET ${sets.join(', ')} ${confirms ? closed : ''}`,
    ConditionExpression: condition,
    ...(Object.keys(allNames).length > 0 && { ExpressionAttributeNames: allNames }),
    ExpressionAttributeValues: {
      ...Object.fromEntries(Object.entries(set).map(([name, value]) => [`:${name}`, value])),
      ...Object.fromEntries(taken.map(([name, value]) => [`:reported_${name}`, value])),
      ...bounds,
    },
  };
};

const namesOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [`#${name}`, name]));

/** The mark of an item that its gateway has answered with a version. */
const answered = { answersWithVersions: true };

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
  given: Report,
  { atMs: reportedAtMs, receivedAtMs }: FactTimes,
) => {
  const inventory = await readInventory(store, key.gatewayId);
  if (!inventory || isRemoved(inventory)) return { outcome: outcomeWithoutGateway(inventory, reportedAtMs) };
  if (reportedAtMs <= absentAt(inventory, key.sk)) return outcomeOf(false);
  const place = await placeFor(store, key, inventory);
  if (!place.check) return { outcome: 'noted', unused: place.expected } as const;
  const version = inventory.lastVersion + 1;
  const reported = valuesOf(given);
  const failed = await transact(store, {
    inventory: place.check,
    item: {
      Put: {
        TableName: store.tableName('Appliances'),
        Item: {
          ...key,
          ...given.ids,
          reported,
          reportedAtMs,
          receivedAtMs,
          version,
          ...(given.fulfilsVersion && answered),
        },
        ConditionExpression: 'attribute_not_exists(sk)',
      },
    },
  });
  return failed ? 'exists' : outcomeOf(true, isAhead(given, { version }) ? unknownVersion(version) : undefined);
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
